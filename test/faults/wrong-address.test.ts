import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { startFaultServer, withServer } from '../support/run-against.ts';
import { always, type FaultScript } from '../support/faults.ts';
import { ModelService } from '../support/model-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = 'token-of-the-organization-0123456789';

/** Each body of a refusal, its status, the exit code that it means, and a part of the line that says so. */
const REFUSALS: readonly (readonly [status: number, body: string, code: number, says: string])[] = [
  [
    403,
    `{"message":"Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization=${TOKEN}"}`,
    5,
    'has no such address',
  ],
  [403, '{"message":"Authorization header requires Credential parameter."}', 5, 'has no such address'],
  [403, '{"message":"Missing Authentication Token"}', 5, 'has no such address'],
  [
    403,
    `{"message":"Invalid key=value pair (missing equal-sign) in Authorization header: '${TOKEN}'."}`,
    5,
    'has no such address',
  ],
  [404, '{"message":"Not Found"}', 5, 'has no such address'],
  [404, '<html>Not Found</html>', 5, 'has no such address'],
  [403, '{"Message":"User is not authorized to access this resource"}', 3, 'refuses the token (403)'],
  [403, '{"Message":"Deactivated"}', 3, 'refuses the token (403)'],
  [403, '{"message":"User is not authorized to access this resource"}', 3, 'refuses the token (403)'],
  [403, '{"message":"Forbidden"}', 3, 'refuses the token or has no /v1/'],
  [403, '', 3, 'refuses the token or has no /v1/'],
  [403, '<html>Forbidden</html>', 3, 'refuses the token or has no /v1/'],
];

const COMMANDS: readonly (readonly string[])[] = [
  ['issued', '--format', 'jsonl'],
  ['customers', '--format', 'jsonl'],
  ['get', '/customers'],
  ['get', '/customers/7'],
  ['get', '/v1/customers'],
  ['customers', 'get', '7'],
  ['funds', 'get', '7'],
  ['funds', 'documents', '7', '--format', 'jsonl'],
  ['auth', 'status', '--check'],
  ['doctor'],
];

describe('a refusal', () => {
  describe.each(REFUSALS)('with %i and %s', (status, body, code, says) => {
    const response = { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
    const start = () => startFaultServer(new ModelService(), always({ kind: 'answer', of: () => response }));

    it(`is exit ${code}, in the same words by every command, and the token is not shown`, async () => {
      await withServer(await start(), async ({ baseUrl }) => {
        const env = { FOLIO_TOKEN: TOKEN, FOLIO_BASE_URL: baseUrl, FOLIO_CONFIG_DIR: temporaryFolder() };
        const run = async (args: readonly string[]) => ({ args, ...(await runHere(args, { env })) });
        for (const exit of await Promise.all(COMMANDS.map(run))) {
          const said = exit.stdout.toString('utf8') + exit.stderr;
          const { args } = exit;
          expect({ args, code: exit.code, says: said.includes(says) }).toEqual({ args, code, says: true });
          expect(said).not.toContain(TOKEN);
        }
      });
    });

    it('stores no login', async () => {
      await withServer(await start(), async ({ baseUrl }) => {
        const env = { FOLIO_TOKEN: undefined, FOLIO_CONFIG_DIR: temporaryFolder() };
        const exit = await runHere(['auth', 'login', '--base-url', baseUrl], { env, input: TOKEN });
        expect(exit).toMatchObject({ code, stdout: Buffer.alloc(0) });
        expect(exit.stderr).toContain(says);
        expect(exit.stderr).toContain('the token was not stored');
      });
    });
  });

  it('with 404 of one item is an unknown item, where there are listings', async () => {
    const response = { status: 404, headers: {}, body: Buffer.from('{"message":"no such fund"}') };
    const answer = { kind: 'answer', of: () => response } as const;
    const script: FaultScript = ({ url }) => (url.pathname.endsWith('/7') ? answer : undefined);
    await withServer(await startFaultServer(new ModelService(), script), async ({ baseUrl }) => {
      const env = { FOLIO_BASE_URL: baseUrl };
      expect((await runHere(['funds', 'get', '7'], { env })).code).toBe(4);
      expect((await runHere(['funds', 'documents', '7'], { env })).code).toBe(4);
      expect((await runHere(['customers', 'get', '7'], { env })).code).toBe(4);
    });
  });
});

describe('a 400 about an unknown fiscal ID and something else', () => {
  it('says both', async () => {
    const unknown = { _type: 'EmptyResponseError', requestParams: { fiscalId: '863456789' } };
    const body = Buffer.from(JSON.stringify({ errors: [unknown, { message: 'dueBy is no date' }] }));
    const script = always({ kind: 'answer', of: () => ({ status: 400, headers: {}, body }) } as const);
    await withServer(await startFaultServer(new ModelService(), script), async ({ baseUrl }) => {
      const args = ['issued', '--customer-fiscal-id', '86345678-9', '--format', 'csv'];
      const exit = await runHere(args, { env: { FOLIO_BASE_URL: baseUrl } });
      expect(exit.code).toBe(4);
      expect(exit.stderr).toContain('86345678-9');
      expect(exit.stderr).toContain('dueBy is no date');
    });
  });
});
