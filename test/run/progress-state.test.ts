import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/api/client.ts';
import { progressLine, Progress } from '../../src/run/progress.ts';
import { duration } from '../../src/run/notices.ts';
import { digitGrouper } from '../../src/output/terminal/number-text.ts';

const group = digitGrouper('en-US');

function request(number: number): RequestEvent {
  return { kind: 'request', request: number, attempt: 0, target: '/' };
}

function response(number: number): RequestEvent {
  return { ...request(number), kind: 'response', status: 200, milliseconds: 1, bytes: 1 } as RequestEvent;
}

function retry(number: number, wait: number): RequestEvent {
  return { ...request(number), kind: 'retry', wait, reason: 'reset' } as RequestEvent;
}

function running(): Progress {
  const progress = new Progress();
  progress.begin(0);
  return progress;
}

describe('standingLine', () => {
  it('begins with what is in flight', () => {
    const progress = running();
    expect(progressLine(progress, 0, group)).toBe('');
    progress.requested(request(1), 0);
    expect(progressLine(progress, 100, group)).toBe('1 in flight');
  });

  it('counts records of the total, pages, calls in flight, retries and pages that were too large', () => {
    const progress = running();
    for (const number of [1, 2, 3, 4]) progress.requested(request(number), 0);
    progress.requested(response(1), 100);
    progress.walked({ kind: 'page', records: 4000, total: 12_345 });
    progress.requested(retry(2, 400), 200);
    progress.walked({ kind: 'shrink', from: 500, to: 250, reason: 'large' });
    const line = '4,000 of 12,345 · 1 page · 1 retry · 1 page too large · 2 in flight';
    expect(progressLine(progress, 300, group)).toBe(line);
    progress.requested(retry(3, 400), 300);
    progress.walked({ kind: 'page', records: 345, total: 12_345 });
    expect(progressLine(progress, 300, group)).toBe(
      '4,345 of 12,345 · 2 pages · 2 retries · 1 page too large · 1 in flight',
    );
  });

  it('guesses the time left from two seconds on', () => {
    const progress = running();
    progress.walked({ kind: 'page', records: 100, total: 1000 });
    expect(progressLine(progress, 1_999, String)).toBe('100 of 1000 · 1 page');
    expect(progressLine(progress, 5_000, String)).toBe('100 of 1000 · 1 page · 45 s left');
  });

  it('has a limit for its goal', () => {
    const progress = running();
    progress.limit = 150;
    progress.walked({ kind: 'page', records: 100, total: 1000 });
    progress.walked({ kind: 'page', records: 100, total: 1000 });
    expect(progressLine(progress, 100, String)).toBe('150 of 150 · 2 pages');
  });

  it('does without a total, as with cursors', () => {
    const progress = running();
    progress.walked({ kind: 'page', records: 50, total: undefined });
    expect(progressLine(progress, 9_000, String)).toBe('50 · 1 page');
  });

  it('says for how long nothing is asked', () => {
    const progress = running();
    progress.requested(request(1), 0);
    progress.requested({ kind: 'throttled', wait: 12_000 }, 0);
    progress.requested(retry(1, 12_000), 0);
    expect(progressLine(progress, 2_500, String)).toBe('1 retry · waits 10 s');
    expect(progressLine(progress, 12_000, String)).toBe('1 retry');
  });

  it('does not count again what is read again', () => {
    const progress = running();
    progress.walked({ kind: 'page', records: 100, total: 101 });
    progress.walked({ kind: 'reread', round: 1 });
    progress.walked({ kind: 'page', records: 100, total: 101 });
    expect(progressLine(progress, 100, String)).toBe('100 of 101 · 2 pages · reading again what moved');
  });
});

describe('duration', () => {
  it.each([
    [1, '1 s'],
    [12_000, '12 s'],
    [99_000, '99 s'],
    [100_000, '2 min'],
    [3_600_000, '60 min'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});
