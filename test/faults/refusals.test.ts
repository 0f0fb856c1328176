import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, from, status } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { runAgainst, startFaultServer } from '../support/run-against.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = 'token-of-the-organization-0123456789';
const issued = modelRecords(45);

describe.concurrent('a service that refuses', () => {
  it.each([401, 403])('the token midway (%i): exit 3, at once, the file not touched', async (code) => {
    const folder = temporaryFolder();
    const file = join(folder, 'out.csv');
    writeFileSync(file, 'old\n');
    const args = ['issued', '--page-size', '10', '-o', file, '--concurrency', '1'];
    const exit = await runAgainst({ records: { issued }, script: from(3, status(code)), args });
    expect({ code: exit.code, requests: exit.requests.length }).toEqual({ code: 3, requests: 4 });
    expect(exit.stderr).toContain(exit.host);
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old\n', ['out.csv']]);
  });
});

const NO_ADDRESS = 'has no such address';
const REFUSED = 'refuses the token (403)';
const EITHER = 'refuses the token or has no /v1/';

/** What the gateway says of an address that it does not have. */
const OF_GATEWAY = [
  `Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization=${TOKEN}`,
  'Authorization header requires Credential parameter.',
  'Missing Authentication Token',
  `Invalid key=value pair (missing equal-sign) in Authorization header: '${TOKEN}'.`,
];

/** Each body of a refusal, its status, the exit code that it means, and a part of the line that says so. */
const REFUSALS: readonly (readonly [status: number, body: string, code: number, says: string])[] = [
  ...OF_GATEWAY.map((message) => [403, JSON.stringify({ message }), 5, NO_ADDRESS] as const),
  [401, '{"message":"Unauthorized"}', 3, 'no token reached'],
  [404, '{"message":"Not Found"}', 5, NO_ADDRESS],
  [404, '<html>Not Found</html>', 5, NO_ADDRESS],
  [403, '{"Message":"User is not authorized to access this resource"}', 3, REFUSED],
  [403, '{"Message":"Deactivated"}', 3, REFUSED],
  [403, '{"message":"User is not authorized to access this resource"}', 3, REFUSED],
  [403, '{"message":"Forbidden"}', 3, EITHER],
  [403, '', 3, EITHER],
  [403, '<html>Forbidden</html>', 3, EITHER],
];

const COMMANDS = [
  ...['issued --format jsonl', 'customers --format jsonl', 'get /customers', 'get /customers/7'],
  ...['get /v1/customers', 'customers get 7', 'funds get 7', 'funds documents 7 --format jsonl'],
  ...['auth status --check', 'doctor'],
];

describe('a refusal', () => {
  it.each(REFUSALS)(
    'with %i and %s is said in the same words by every command, the token is not shown, and a login stores nothing',
    async (refused, body, code, says) => {
      const { baseUrl } = await startFaultServer({}, always(status(refused, {}, body)));
      const config = { FOLIO_CONFIG_DIR: temporaryFolder() };
      const env = { FOLIO_TOKEN: TOKEN, FOLIO_BASE_URL: baseUrl, ...config };
      const run = async (line: string) => ({ line, ...(await runHere(line.split(' '), { env })) });
      for (const { line, code: found, stdout, stderr } of await Promise.all(COMMANDS.map(run))) {
        const printed = stdout.toString('utf8') + stderr;
        expect({ line, found, says: printed.includes(says) }).toEqual({ line, found: code, says: true });
        expect(printed).not.toContain(TOKEN);
      }
      const login = ['auth', 'login', '--base-url', baseUrl];
      const exit = await runHere(login, { env: { FOLIO_TOKEN: undefined, ...config }, input: TOKEN });
      expect(exit).toMatchObject({ code, stdout: Buffer.alloc(0), stderr: expect.stringContaining(says) });
      expect(exit.stderr).toContain('the token was not stored');
    },
  );

  it('with 404 of one item is an unknown item, when a listing shows that the address is right', async () => {
    const unknown = status(404, {}, '{"message":"no such fund"}');
    const script = ({ url }: { url: URL }) => (url.pathname.endsWith('/7') ? unknown : undefined);
    for (const line of ['funds get 7', 'funds documents 7', 'customers get 7']) {
      const { code, requests } = await runAgainst({ records: {}, script, args: line.split(' ') });
      const paths = requests.map(({ url }) => url.pathname.slice(-2));
      expect({ line, code, paths }).toEqual({ line, code: 4, paths: ['/7', 'ed'] });
    }
  });

  it('with 400 about an unknown fiscal ID and something else says both', async () => {
    const unknown = { _type: 'EmptyResponseError', requestParams: { fiscalId: '863456789' } };
    const body = JSON.stringify({ errors: [unknown, { message: 'dueBy is not a date' }] });
    const args = ['issued', '--customer-fiscal-id', '86345678-9', '--format', 'csv'];
    const exit = await runAgainst({ records: {}, script: always(status(400, {}, body)), args });
    expect(exit).toMatchObject({ code: 4, stderr: expect.stringContaining('86345678-9') });
    expect(exit.stderr).toContain('dueBy is not a date');
  });
});
