import { describe, expect, it } from 'vitest';
import { ModelService, modelRecord, modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const args = ['received', '--page-size', '10', '--format', 'jsonl', '--concurrency', '1'];
const received = modelRecords(45);

/** Reads a listing that is changed before each request. Its page is made before that: a change is seen from the next request on. */
function runWhile(change: (all: string[], number: number) => void) {
  const service = new ModelService({ received: [...received] });
  return runAgainst({
    ...{ records: service, args },
    script: ({ number }) => void change(service.records.received, number),
  });
}

const sorted = (text: string): string[] => text.trimEnd().split('\n').sort();

describe.concurrent('a listing that moves while it is walked', () => {
  it.each([
    ['every record that was there throughout when one is deleted before the place', 0, [], received],
    [
      'no record twice when one is inserted before the place',
      3,
      [modelRecord(900)],
      [...received, modelRecord(900)],
    ],
  ])('gives %s', async (_, at, inserted, expected) => {
    const { code, text } = await runWhile((all, number) => {
      if (number === 1) all.splice(at, 1 - inserted.length, ...inserted);
    });
    // The deleted one had been read.
    expect([code, sorted(text)]).toEqual([0, sorted(lines(expected))]);
  });

  it('says so when it does not settle, with exit 6, and still gives no record twice', async () => {
    const { code, text, stderr } = await runWhile((all, number) => {
      all.splice(number % 7, number % 2, modelRecord(900 + number));
    });
    expect(code).toBe(6);
    expect(stderr).toMatch(/in doubt: the listing kept changing while it was read/);
    expect(new Set(sorted(text)).size).toBe(sorted(text).length);
  });
});
