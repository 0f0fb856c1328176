import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../../src/api/client.ts';
import { duration, progressLine } from '../../../src/run/progress/progress-state.ts';
import { ProgressState } from '../../../src/run/progress/progress-state.ts';
import { digitGrouper } from '../../../src/output/terminal/number-text.ts';

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

function running(): ProgressState {
  const standing = new ProgressState(undefined, 0);
  standing.begin(0);
  return standing;
}

describe('standingLine', () => {
  it('begins with what is in flight', () => {
    const standing = running();
    expect(progressLine(standing, 0, group)).toBe('');
    standing.asked(request(1), 0);
    expect(progressLine(standing, 100, group)).toBe('1 in flight');
  });

  it('counts records of the total, pages, calls in flight, retries and pages that were too large', () => {
    const standing = running();
    for (const number of [1, 2, 3, 4]) standing.asked(request(number), 0);
    standing.asked(response(1), 100);
    standing.walked({ kind: 'page', records: 4000, total: 12_345 });
    standing.asked(retry(2, 400), 200);
    standing.walked({ kind: 'shrink', from: 500, to: 250, reason: 'large' });
    const line = '4,000 of 12,345 · 1 page · 1 retry · 1 page too large · 2 in flight';
    expect(progressLine(standing, 300, group)).toBe(line);
    standing.asked(retry(3, 400), 300);
    standing.walked({ kind: 'page', records: 345, total: 12_345 });
    expect(progressLine(standing, 300, group)).toBe(
      '4,345 of 12,345 · 2 pages · 2 retries · 1 page too large · 1 in flight',
    );
  });

  it('guesses the time left from two seconds on', () => {
    const standing = running();
    standing.walked({ kind: 'page', records: 100, total: 1000 });
    expect(progressLine(standing, 1_999, String)).toBe('100 of 1000 · 1 page');
    expect(progressLine(standing, 5_000, String)).toBe('100 of 1000 · 1 page · 45 s left');
  });

  it('has a limit for its goal', () => {
    const standing = running();
    standing.limit = 150;
    standing.walked({ kind: 'page', records: 100, total: 1000 });
    standing.walked({ kind: 'page', records: 100, total: 1000 });
    expect(progressLine(standing, 100, String)).toBe('150 of 150 · 2 pages');
  });

  it('does without a total, as with cursors', () => {
    const standing = running();
    standing.walked({ kind: 'page', records: 50, total: undefined });
    expect(progressLine(standing, 9_000, String)).toBe('50 · 1 page');
  });

  it('says for how long nothing is asked', () => {
    const standing = running();
    standing.asked(request(1), 0);
    standing.asked({ kind: 'throttled', wait: 12_000 }, 0);
    standing.asked(retry(1, 12_000), 0);
    expect(progressLine(standing, 2_500, String)).toBe('1 retry · waits 10 s');
    expect(progressLine(standing, 12_000, String)).toBe('1 retry');
  });

  it('does not count again what is read again', () => {
    const standing = running();
    standing.walked({ kind: 'page', records: 100, total: 101 });
    standing.walked({ kind: 'reread', round: 1 });
    standing.walked({ kind: 'page', records: 100, total: 101 });
    expect(progressLine(standing, 100, String)).toBe('100 of 101 · 2 pages · reading again what moved');
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
