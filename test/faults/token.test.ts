import { describe, expect, it } from 'vitest';
import { always, body, html, reset, silence, status, type Fault } from '../support/faults.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { TRIES_ALL } from '../support/random-runs.ts';
import { runAgainst } from '../support/run-against.ts';
import { TEST_TOKEN } from '../support/run-folio.ts';
import { runModel } from '../support/run-model.ts';

const COMMANDS = [
  'issued',
  'received --issuer-fiscal-id 76543210-9',
  'customers',
  'customers get 1',
  'customers portal-link 1',
  'funds',
  'funds get 1',
  'funds documents 1',
  'get /invoices/issued',
];
/** In `npm test`, each command meets each fault in one of them, in turn; in `.ci/run` in all. */
const VERBOSITIES = ['', '--quiet', '--verbose', '--debug'];

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The token as it is, in a URL and in base64: a service or a proxy that repeats it may do so in any of them. */
const REPEATED = [
  TEST_TOKEN,
  encodeURIComponent(TEST_TOKEN),
  ...['', ':', 'x:'].map((before) => base64(`${before}${TEST_TOKEN}`)),
].join(' ');
/** What only the token can be in each of them: in base64 its first and last letters run into what stands beside it. */
const TRACES = [
  TEST_TOKEN.slice(0, 20),
  encodeURIComponent(TEST_TOKEN).slice(0, 20),
  ...['', ':', 'x:'].map((before) => base64(`${before}${TEST_TOKEN}`).slice(8, 28)),
];

/** A refusal that repeats the token wherever a response has words. */
function repeating(code: number): Fault {
  const text = JSON.stringify({
    message: `bad token ${REPEATED}`,
    errors: [{ _type: TEST_TOKEN, requestName: REPEATED }],
  });
  const response = { status: code, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  return { kind: 'answer', of: () => response };
}

const FAULTS: readonly (readonly [string, Fault])[] = [
  ...[400, 401, 403, 404, 429, 500, 502].map((code) => [`status ${code}`, repeating(code)] as const),
  ['a redirect', status(302, { location: `https://${TEST_TOKEN}.example/${TEST_TOKEN}` })],
  ['an encoding that nobody asked for', status(200, { 'content-encoding': TEST_TOKEN })],
  ['a body that is no page', body(JSON.stringify({ [TEST_TOKEN]: TEST_TOKEN }))],
  ['a body that is no JSON', body(`token ${REPEATED}`)],
  ['HTML', html],
  ['a reset', reset],
  ['silence', silence],
];

describe('the token', () => {
  const faults = FAULTS.map(([name, fault], nth) => [name, fault, nth] as const);
  it.each(faults)('is in no line of any command, however much it says: %s', async (_, fault, nth) => {
    const service = new ModelService({ issued: modelRecords(5) });
    for (const [at, command] of COMMANDS.entries()) {
      const one = VERBOSITIES[(at + nth) % VERBOSITIES.length]!;
      for (const verbosity of TRIES_ALL ? VERBOSITIES : [one]) {
        const argv = [...command.split(' '), ...(verbosity === '' ? [] : [verbosity]), '--retries', '1'];
        const { code, stdout, stderr } = await runModel(argv, { service, script: always(fault) });
        // What a run delivers is data, whatever it holds.
        const said = code === 0 ? stderr : stdout + stderr;
        for (const trace of TRACES) expect(said, argv.join(' ')).not.toContain(trace);
      }
    }
  });

  it('is sent alone, in the one header', async () => {
    const { requests } = await runAgainst({ records: {}, args: ['issued'] });
    expect(requests[0]!.headers['authorization']).toBe(TEST_TOKEN);
    const others = { ...requests[0]!.headers, authorization: '' };
    expect(JSON.stringify(others) + requests[0]!.url.href).not.toContain(TEST_TOKEN);
  });
});
