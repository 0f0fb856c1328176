import { describe, expect, it } from 'vitest';
import { always, members } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const issued = modelRecords(45);

/** Reads all of them from a service that names this total. */
async function readOf(total: number) {
  const args = ['issued', '--page-size', '10', '--format', 'jsonl', '--concurrency', '2'];
  const script = always(members({ total: `${total}` }));
  const { code, text, stderr, requests } = await runAgainst({ records: { issued }, script, args });
  // No walk that ends needs so many.
  expect(requests.length).toBeLessThan(50);
  return { code, text, stderr };
}

describe.concurrent('a total that is not true', () => {
  it.each([1, 3, 10, 25])('that is %i too high is told, with every record that there is', async (more) => {
    const says = `${more} of the ${45 + more} records that the service names are in doubt`;
    const exit = await readOf(45 + more);
    expect(exit).toEqual({ code: 6, text: lines(issued), stderr: expect.stringContaining(says) });
  });

  it.each([44, 40, 39, 20, 10])('that is too low, %i of 45, hides no record', async (total) => {
    expect(await readOf(total)).toMatchObject({ code: 0, text: lines(issued) });
  });
});
