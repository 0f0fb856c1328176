import { describe, expect, it } from 'vitest';
import { startFaultServer, runAgainst, withServer } from '../support/run-against.ts';
import { needingTerminal, runInTerminal } from '../support/in-terminal.ts';
import { jsonWebToken } from '../support/json-web-token.ts';
import { ModelService } from '../support/model-service.ts';
import { runHere } from '../support/run-here.ts';

const ARGS = ['issued', '--format', 'jsonl'];
const DAY = 24 * 60 * 60 * 1000;

const tokenUntil = (days: number): string =>
  jsonWebToken({ organizationId: 'org-17', exp: Math.floor((Date.now() + days * DAY) / 1000) });

describe.concurrent('a token that is a JSON Web Token', () => {
  it('has its organization and end shown, and is not itself', async () => {
    const token = tokenUntil(100);
    const env = { FOLIO_TOKEN: token, FOLIO_BASE_URL: 'https://api.example.com' };
    const { code, stdout } = await runHere(['auth', 'status'], { env });
    const text = stdout.toString();
    expect(code).toBe(0);
    expect(text).toMatch(/^organization +org-17$/m);
    expect(text).toMatch(/^expiresAt +\d{4}-\d\d-\d\dT/m);
    expect(text).not.toContain(token.slice(0, 20));
  });

  it.each([
    ['says so under -v in its last 14 days', 13.5, ['-v'], /the token ends on .* \(in 13 days\)/],
    ['is silent before', 14.5, ['-v'], /^(?!.*the token ends)/s],
    ['is silent off a terminal', 13.5, [], /^$/],
  ])('%s', async (_, days, flags, said) => {
    const options = { env: { FOLIO_TOKEN: tokenUntil(days) } };
    const { code, stderr } = await runAgainst({ records: {}, args: [...ARGS, ...flags], options });
    expect(code).toBe(0);
    expect(stderr).toMatch(said);
  });

  it('says so on a terminal in its last 14 days', needingTerminal, async () => {
    const server = await startFaultServer(new ModelService({ issued: ['{"id":1}'] }));
    await withServer(server, async ({ baseUrl }) => {
      const env = { FOLIO_TOKEN: tokenUntil(2.5), FOLIO_BASE_URL: baseUrl };
      const { code, screen } = await runInTerminal(ARGS, { env });
      expect(code).toBe(0);
      expect(screen).toMatch(/the token ends on .* \(in 2 days\)/);
    });
  });

  it('that has ended is not sent: exit 3, saying when it ended', async () => {
    const options = { env: { FOLIO_TOKEN: tokenUntil(-2.5) } };
    const { code, stderr, requests } = await runAgainst({ records: {}, args: ARGS, options });
    expect({ code, requests: requests.length }).toEqual({ code: 3, requests: 0 });
    expect(stderr).toMatch(/^folio: the token ended on \d{4}-\d\d-\d\d at \d\d:\d\d UTC \(2 days ago\)\n/);
  });

  it.each(['opaque-token-123', 'a.b.c', 'eyJ.e30.x', `${'x'.repeat(20)}.e30.`])(
    'or is not one (%s), which is fine',
    async (token) => {
      const options = { env: { FOLIO_TOKEN: token } };
      const { code, stderr, requests } = await runAgainst({ records: {}, args: ARGS, options });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(requests[0]!.headers['authorization']).toBe(token);
    },
  );
});
