import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { always, body, cut, drip, inTurn, reset, silence, status, truncatedGzip } from '../support/faults.ts';
import type { Fault, FaultScript } from '../support/faults.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { randomRuns } from '../support/random-runs.ts';
import { lines } from '../support/run-against.ts';
import { runModel } from '../support/run-model.ts';

const received = modelRecords(300);
const service = new ModelService({ received, customers: ['{"id":1}'] });
const WHOLE = '{"data":[{"id":1}],"errors":[],"nextToken":null}';

/** Gets one page: what comes of it, besides what is printed how many requests there were and how long the waits. */
async function get(script: FaultScript, ...flags: string[]) {
  const { requests, sleeps, ...exit } = await runModel(['get', '/customers', ...flags], { service, script });
  return { ...exit, requests: requests.length, sleeps };
}

describe('a request', () => {
  const statuses = [408, 425, 429, 500, 502, 503, 504].map((code) => [code, status(code)] as const);
  const others = { 'a reset connection': reset, 'half a body': cut, 'half of gzip': truncatedGzip };
  const slow = { silence, 'a slow body': drip, 'what is not JSON': body('{') };
  const FAULTS = [...statuses, ...Object.entries<Fault>({ ...others, ...slow })];
  it.each(FAULTS)('is sent again after %s', async (_, fault) => {
    const exit = { code: 0, stdout: WHOLE, stderr: '', requests: 3, sleeps: [250, 500] };
    expect(await get(inTurn(fault, fault))).toEqual(exit);
  });

  const CODES: Readonly<Record<number, number>> = { 400: 2, 401: 3, 403: 3 };
  it.each([400, 401, 403, 404, 204, 302, 410, 418])('is sent once where the answer is %i', async (answer) => {
    const exit = await get(always(status(answer)));
    expect(exit).toMatchObject({ code: CODES[answer] ?? 5, stdout: '', requests: 1, sleeps: [] });
  });

  const LISTING = ['received', '--format', 'jsonl', '--page-size', '5', '--concurrency'];

  it('costs nothing in the end where another try succeeds', async () => {
    const script: FaultScript = ({ number }) => (number % 2 === 0 ? reset : undefined);
    const exit = await runModel([...LISTING, '1'], { service, script });
    expect(exit).toMatchObject({ code: 0, stdout: lines(received) });
    expect(exit.sleeps.length).toBeGreaterThan(50);
  });
});

const small = Buffer.from('{"total":1}');
/** Too random for gzip to make small. */
const large = Buffer.from(
  `"${Array.from({ length: 40_000 }, (_, at) => ((at * at * 7919) >> 5).toString(36)).join('')}"`,
);

/** What is printed of a body in this encoding, or the exit code and the error. */
async function decoded(bytes: Buffer, encoding: string | undefined): Promise<string> {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
  const fault: Fault = { kind: 'answer', of: () => ({ status: 200, headers, body: bytes }) };
  const { code, stdout, stderr } = await get(always(fault), '--retries', '0');
  return code === 0 ? stdout.trimEnd() : `${code} ${stderr}`;
}

describe('a body', () => {
  it.each([undefined, '', 'identity', ' Identity '])('is as it was sent in encoding %j', async (encoding) => {
    expect(await decoded(small, encoding)).toBe(String(small));
  });

  it.each(['gzip', 'GZIP', 'x-gzip'])('is inflated from %s, small, large, in pieces', async (encoding) => {
    expect(await decoded(gzipSync(small), encoding)).toBe(String(small));
    expect(await decoded(gzipSync(large), encoding)).toBe(String(large));
    const pieces = [small.subarray(0, 4), small.subarray(4)].map((piece) => gzipSync(piece));
    expect(await decoded(Buffer.concat(pieces), encoding)).toBe(String(small));
  });

  it.each([
    ...['br', 'deflate', 'gzip, gzip', 'gzip,identity'].map((name) => [name, ` (${name})`]),
    ['gz\u001bip', ''],
  ])('in encoding %j is refused', async (encoding, shown) => {
    const says = `5 folio: the response has an encoding that folio did not request${shown}\n`;
    expect(await decoded(gzipSync(small), encoding)).toContain(says);
  });

  const BROKEN =
    /^5 folio: .* with an unusable body: the gzip body (?:is cut short|is damaged|has bytes after its end)/;

  it.each([small, large])('that is cut or damaged is never taken for another', async (text) => {
    const packed = gzipSync(text);
    const cutShort = fc.nat(packed.length - 1).map((length) => packed.subarray(0, length));
    await fc.assert(
      fc.asyncProperty(cutShort, async (broken) => {
        expect(await decoded(broken, 'gzip')).toMatch(BROKEN);
      }),
      { numRuns: randomRuns(100) },
    );
    const places = fc.tuple(fc.integer({ min: 10, max: packed.length - 1 }), fc.nat(7));
    await fc.assert(
      fc.asyncProperty(places, async ([at, bit]) => {
        const flipped = Buffer.from(packed);
        flipped[at]! ^= 1 << bit;
        const read = await decoded(flipped, 'gzip');
        // A bit of the padding before the checksum means nothing.
        if (read !== String(text)) expect(read).toMatch(BROKEN);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  const RESTS = [Buffer.alloc(4), small, Buffer.from([0x1f]), gzipSync('b').subarray(0, 12)];
  it.each(RESTS)('has no bytes after its end', async (rest) => {
    for (const text of [small, large])
      expect(await decoded(Buffer.concat([gzipSync(text), rest]), 'gzip')).toMatch(BROKEN);
  });
});
