import { describe, expect, it } from 'vitest';
import { always, cut, drip, inTurn, reset, silence, truncatedGzip, type Fault } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const FAULTS = [
  ['a reset before the response', reset, 'the connection was reset'],
  ['a reset within the body', cut, /the connection was (closed before the response was complete|reset)/],
  ['a response byte by byte', drip, 'did not complete its response within 3 s'],
  ['silence', silence, 'did not answer within 3 s'],
] as const;

/** A short time limit only where it is to be met: a busy machine meets it with good answers too, and with the head of a response. */
function limitFor({ kind }: Fault): string[] {
  return kind === 'drip' || kind === 'silence' ? ['--timeout', '3'] : [];
}

describe.concurrent('the network', () => {
  it.each(FAULTS)('gives every record after %s', async (_, fault) => {
    const issued = modelRecords(25);
    const args = ['issued', '--page-size', '10', '--format', 'jsonl', ...limitFor(fault)];
    const exit = await runAgainst({ records: { issued }, script: inTurn(fault, undefined, fault), args });
    expect(exit).toMatchObject({ code: 0, text: lines(issued), stderr: '' });
    if (limitFor(fault).length === 0) expect(exit.requests).toHaveLength(4 + 2);
  });

  it.each(FAULTS)('ends with exit 5 and one line where there is always %s', async (_, fault, reason) => {
    const args = ['issued', '--retries', '2', ...limitFor(fault)];
    const exit = await runAgainst({ records: {}, script: always(fault), args });
    expect(exit).toMatchObject({ code: 5, text: '', stderr: expect.stringMatching(reason) });
    expect(exit.requests).toHaveLength(3);
    expect(exit.stderr).toContain(exit.host);
    expect(exit.stderr).toMatch(/^folio: [^\n]+\n( {2}[^\n]+\n)?$/);
  });

  it('gives every record of pages that the service compresses, one of them cut', async () => {
    const issued = modelRecords(4_500);
    const script = inTurn(undefined, truncatedGzip, cut);
    const args = ['issued', '--format', 'jsonl'];
    const { code, text, requests } = await runAgainst({ records: { issued }, script, args });
    expect({ code, whole: text === lines(issued) }).toEqual({ code: 0, whole: true });
    expect(requests[0]!.headers['accept-encoding']).toContain('gzip');
  });
});
