import { describe, expect, it } from 'vitest';
import { always, from, inTurn, where, after, silence, status } from '../support/faults.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { lines, pagesAsked } from '../support/run-against.ts';
import { runModel } from '../support/run-model.ts';

const received = modelRecords(400);
const service = new ModelService({ received, issued: received });
const ARGS = ['received', '--format', 'jsonl', '--concurrency', '1', '--page-size', '100'];
const WHOLE = { code: 0, stdout: lines(received) };

describe('a page that is refused', () => {
  it('after 29 s was slow: it is asked for once more, and only then for less', async () => {
    const slow = after(29_100, status(502));
    const { requests, ...exit } = await runModel(ARGS, { service, script: inTurn(undefined, slow, slow) });
    expect(exit).toMatchObject(WHOLE);
    expect(pagesAsked(requests).slice(0, 5)).toEqual(['0 x 100', '1 x 99', '1 x 99', '2 x 49', '3 x 48']);
  });

  it('after 29 s once is not made smaller', async () => {
    const script = inTurn(undefined, after(29_100, status(504)));
    const { requests, ...exit } = await runModel(ARGS, { service, script });
    expect(exit).toMatchObject(WHOLE);
    expect(pagesAsked(requests).slice(1, 4)).toEqual(['1 x 99', '1 x 99', '2 x 98']);
  });

  it('at once was large: less is asked for at once, without a wait', async () => {
    const script = where(({ records }) => records.length > 50, status(502));
    const { requests, sleeps, ...exit } = await runModel(ARGS, { service, script });
    expect(exit).toMatchObject(WHOLE);
    expect(pagesAsked(requests).slice(0, 3)).toEqual(['0 x 100', '0 x 50', '1 x 49']);
    expect(sleeps).toEqual([]);
  });

  it('is shrunk on every listing', async () => {
    const args = ['issued', ...ARGS.slice(1)];
    const { requests, ...exit } = await runModel(args, { service, script: inTurn(status(502)) });
    expect(exit).toMatchObject(WHOLE);
    expect(pagesAsked(requests).slice(0, 2)).toEqual(['0 x 100', '0 x 50']);
  });
});

describe('the wait before another try', () => {
  it('is as long as the service says, in seconds or until a date', async () => {
    const script = inTurn(
      status(429, { 'retry-after': '60' }),
      status(503, { 'retry-after': 'Fri, 20 Nov 2026 12:02:30 GMT' }),
    );
    const { sleeps, ...exit } = await runModel(ARGS, { service, script });
    expect(exit).toMatchObject(WHOLE);
    // The clock began at 12:00:00: 60 s by the first, then 90 s up to the date.
    expect(sleeps).toEqual([60_000, 90_000]);
  });

  it('is never over two minutes: the run ends at once and says when to come back', async () => {
    const script = from(2, status(429, { 'retry-after': '121' }));
    const { code, stderr, sleeps, requests } = await runModel(ARGS, { service, script });
    expect({ code, sleeps, requests: requests.length }).toEqual({ code: 5, sleeps: [], requests: 3 });
    expect(stderr).toContain('2026-11-20T12:02:01Z');
  });

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

  it('keeps the others waiting after a 429: one request in flight, and slowly more', async () => {
    const args = [...ARGS.slice(0, 3), '--page-size', '5', '--concurrency', '4'];
    const busy = status(429, { 'retry-after': '30' });
    const { requests, ...exit } = await runModel(args, {
      service,
      script: ({ number }) => (number === 8 ? busy : undefined),
      turns: () => 3,
    });
    expect(exit).toMatchObject(WHOLE);
    const beside = requests.map((request) => request.beside);
    expect(beside.slice(4, 8)).toContain(3);
    // Those that were out at the time are answered; after them each goes alone, until ten went well.
    expect(beside.slice(14, 20)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(Math.max(...beside.slice(40))).toBeGreaterThan(1);
  });
});

describe('a run that is told to stop', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s while a request is out ends with %i, having asked no more', async (signal, code) => {
    const exit = await runModel(ARGS, {
      service,
      script: from(2, silence),
      onRequest: ({ number }, context) => {
        if (number === 2) context.stop(signal);
      },
    });
    expect(exit).toMatchObject({ code, stderr: `folio: stopped by ${signal}\n` });
    expect(exit.requests).toHaveLength(3);
  });
});
