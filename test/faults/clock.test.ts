import { describe, expect, it } from 'vitest';
import { after, always, from, inTurn, status, where, type FaultScript } from '../support/faults.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { inZone } from '../support/midday.ts';
import { lines, pagesOf } from '../support/run-against.ts';
import { runModel } from '../support/run-model.ts';

const received = modelRecords(400);
const service = new ModelService({ received, issued: received });
const ARGS = ['received', '--format', 'jsonl', '--concurrency', '1', '--page-size', '100'];
const WHOLE = { code: 0, stdout: lines(received) };
const slow = (code: number) => after(29_100, status(code));

describe('a page that is refused', () => {
  it.each<[what: string, script: FaultScript, pages: string[], listing?: string]>([
    [
      'after 29 s is asked for once more, and only then for less',
      inTurn(undefined, slow(502), slow(502)),
      ['0 x 100', '1 x 99', '1 x 99', '2 x 49'],
    ],
    ['after 29 s once, no smaller', inTurn(undefined, slow(504)), ['0 x 100', '1 x 99', '1 x 99', '2 x 98']],
    [
      'at once was large: less is asked for at once, without a wait, and once more as much',
      where(({ records }) => records.length > 50, status(502)),
      ['0 x 100', '0 x 50', '0 x 100'],
    ],
    ['at once is shrunk on every listing', inTurn(status(502)), ['0 x 100', '0 x 50'], 'issued'],
  ])('%s', async (_, script, pages, listing = 'received') => {
    const args = [listing, ...ARGS.slice(1)];
    const { requests, sleeps, ...exit } = await runModel(args, { service, script });
    expect(exit).toMatchObject(WHOLE);
    expect(pagesOf(requests).slice(0, pages.length)).toEqual(pages);
    if (pages.length === 3) expect(sleeps).toEqual([]);
  });
});

describe('the wait before another try', () => {
  inZone('America/Santiago');
  // The clock begins at 12:00:00, and chance is half of what it may be.
  it.each([
    [429, '60', 60_000],
    [429, ' 120 ', 120_000],
    [429, '0', 250],
    [503, 'Fri, 20 Nov 2026 12:02:00 GMT', 120_000],
    [503, 'Friday, 20-Nov-26 12:00:07 GMT', 7_000],
    [503, 'Fri Nov 20 12:00:08 2026', 8_000],
    [429, 'Fri, 20 Nov 2020 12:00:00 GMT', 250],
    [429, 'soon', 250],
    [429, '-5', 250],
    [429, '1.5', 250],
    [429, '', 250],
  ])(
    'is what the service says, or by chance: after %i with Retry-After %j, %i ms',
    async (code, after, wait) => {
      const script = inTurn(undefined, status(code, { 'retry-after': after }));
      const { sleeps, ...exit } = await runModel(ARGS, { service, script });
      expect(exit).toMatchObject(WHOLE);
      expect(sleeps).toEqual([wait]);
    },
  );

  it.each([
    ['121', '2026-11-20T12:02:01Z'],
    ['2026', '2026-11-20T12:33:46Z'],
    ['Fri, 20 Nov 2026 14:30:00 GMT', '2026-11-20T14:30:00Z'],
  ])(
    'is never over two minutes: where it is %s, the run ends at once and says when to come back',
    async (after, when) => {
      for (const retries of ['5', '0']) {
        const script = from(2, status(429, { 'retry-after': after }));
        const exit = await runModel([...ARGS, '--retries', retries], { service, script });
        expect(exit).toMatchObject({ code: 5, sleeps: [], requests: { length: 3 } });
        expect(exit.stderr).toContain(`the service wants no more requests before ${when}\n`);
      }
    },
  );

  it('grows by chance up to 20 s where the service says nothing', async () => {
    const args = [...ARGS, '--retries', '8'];
    const clock = { random: [0.999] };
    const { code, sleeps } = await runModel(args, { service, script: always(status(503)), clock });
    expect(code).toBe(5);
    expect(sleeps.map((ms) => Math.round(ms / 100) / 10)).toEqual([0.5, 1, 2, 4, 8, 16, 20, 20]);
  });

  it('is not spent without end: one quota for the run, however many requests fail', async () => {
    const args = [...ARGS.slice(0, 3), '--page-size', '1', '--concurrency', '64', '--retries', '100'];
    const { code, stderr, requests } = await runModel(args, { service, script: from(1, status(503)) });
    expect(code).toBe(5);
    // 500 tokens at 14 a retry, beside the first try of each of the 64 in flight.
    expect(requests.length).toBeLessThanOrEqual(1 + 64 + 36);
    expect(stderr).toContain('too many requests of this run have failed');
  });

  it.each([
    // Those that were out at the time are answered; after them each goes alone, and with every ten that went well one more.
    [429, /0{8}1{11}2[12]*3/],
    [503, /^(?!.*000)/],
  ])('of one request after a %i keeps the others waiting, or not', async (code, inFlight) => {
    const args = [...ARGS.slice(0, 3), '--page-size', '5', '--concurrency', '4'];
    const busy = status(code, { 'retry-after': '30' });
    const { requests, ...exit } = await runModel(args, {
      ...{ service, turns: () => 3 },
      script: ({ number }) => (number === 8 ? busy : undefined),
    });
    expect(exit).toMatchObject(WHOLE);
    expect(requests.map(({ beside }) => beside).join('')).toMatch(inFlight);
  });
});
