import { describe, expect, it } from 'vitest';
import {
  always,
  inTurn,
  cut,
  drip,
  gzipWithoutEnd,
  reset,
  silence,
  status,
  truncatedGzip,
  wrongCrc,
  type Fault,
} from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, QUICK, runAgainst } from '../support/run-against.ts';
import { runFolio } from '../support/run-folio.ts';

const FAULTS = [
  ['a reset before the response', reset, 'the connection was reset'],
  ['a reset within the body', cut, /the connection was (closed before the response was complete|reset)/],
  ['half of a gzip body', truncatedGzip, 'the gzip body is cut short'],
  ['a gzip body without its end', gzipWithoutEnd, 'the gzip body is cut short'],
  ['a gzip body with a wrong checksum', wrongCrc, 'the gzip body is damaged'],
  ['a response byte by byte', drip, 'did not complete its response within 3 s'],
  ['silence', silence, 'did not answer within 3 s'],
  ['status 500', status(500), '500'],
  ['status 503', status(503), '503'],
] as const;

const ARGS = ['issued', '--page-size', '10', '--format', 'jsonl'];

/** A short time limit only where it is to be met: a busy machine meets it with good answers too, and with the head of a response. */
function limitFor({ kind }: Fault): string[] {
  return kind === 'drip' || kind === 'silence' ? ['--timeout', '3'] : [];
}

/** Has no name be known, as a name server says it: that of this machine may take its time, or be out of reach. */
const NOBODY_KNOWS = `--import=data:text/javascript,${encodeURIComponent(
  "import dns from 'node:dns';import{syncBuiltinESMExports as s}from'node:module';" +
    "dns.lookup=(n,o,d)=>d(Object.assign(new Error('getaddrinfo ENOTFOUND '+n),{code:'ENOTFOUND',syscall:'getaddrinfo',hostname:n}));s()",
)}`;

describe.concurrent('the network', () => {
  it.each(FAULTS)('gives every record after %s', async (_, fault) => {
    const issued = modelRecords(25);
    const script = inTurn(fault, undefined, fault);
    const args = [...ARGS, ...limitFor(fault)];
    const { code, text, stderr, requests } = await runAgainst({ records: { issued }, script, args });
    expect({ code, text, stderr }).toEqual({ code: 0, text: lines(issued), stderr: '' });
    if (limitFor(fault).length === 0) expect(requests).toHaveLength(4 + 2);
  });

  it.each(FAULTS)('ends with exit 5 and one line where there is always %s', async (_, fault, reason) => {
    const args = ['issued', '--retries', '2', ...limitFor(fault)];
    const script = always(fault);
    const { code, text, stderr, host, requests } = await runAgainst({ records: {}, script, args });
    // After a 500 a small page shows whether it was for the size.
    expect({ code, text, tries: requests.length }).toEqual({
      code: 5,
      text: '',
      tries: reason === '500' ? 4 : 3,
    });
    expect(stderr).toContain(host);
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/^folio: [^\n]+\n( {2}[^\n]+\n)?$/);
  });

  it('gives every record of pages that the service compresses, one of them cut', async () => {
    const issued = modelRecords(4_500);
    const script = inTurn(undefined, truncatedGzip, cut);
    const args = ['issued', '--format', 'jsonl'];
    const { code, text, requests } = await runAgainst({ records: { issued }, script, args });
    expect({ code, whole: text === lines(issued) }).toEqual({ code: 0, whole: true });
    expect(requests[0]!.headers['accept-encoding']).toContain('gzip');
  });

  it('names a host that refuses connections', async () => {
    // Where no test listens: one that was free a moment ago may be another test's by now.
    const host = '127.0.0.1:9';
    const args = ['issued', '--retries', '1', ...QUICK, '--base-url', `http://${host}`];
    const { code, stderr } = await runFolio(args);
    expect(code).toBe(5);
    expect(stderr).toContain(`could not reach ${host}: it refuses the connection (ECONNREFUSED)`);
  });

  it('names a host that nobody knows', async () => {
    const args = ['issued', '--retries', '1', ...QUICK, '--base-url', 'https://folio.invalid/v1'];
    const { code, stderr } = await runFolio(args, { env: { NODE_OPTIONS: NOBODY_KNOWS } });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^folio: could not reach folio\.invalid: its name .*DNS/);
  });
});
