import { describe, expect, it } from 'vitest';
import { always, inTurn, members, records, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, pagesAsked, runAgainst } from '../support/run-against.ts';

/** The last page asked for more than once, or ever more pages: no walk that ends needs so many requests. */
const MANY = 50;

const issued = modelRecords(45);
const ALL = lines(issued);

async function read(script: FaultScript) {
  const args = ['issued', '--page-size', '10', '--format', 'jsonl', '--concurrency', '2'];
  const { code, text, stderr, requests } = await runAgainst({ records: { issued }, script, args });
  expect(requests.length).toBeLessThan(MANY);
  return { code, text, stderr };
}

const totalOf = (total: number) => members({ total: `${total}` });
const empty = records(() => []);

describe.concurrent('a total that is not true', () => {
  it.each([1, 3, 10, 25])('that is %i too high is told, with every record that there is', async (more) => {
    const says = `${more} of the ${45 + more} records that the service names are in doubt`;
    const exit = await read(always(totalOf(45 + more)));
    expect(exit).toEqual({ code: 6, text: ALL, stderr: expect.stringContaining(says) });
  });

  it.each([44, 40, 39, 20, 10])('that is too low, %i of 45, hides no record', async (total) => {
    expect(await read(always(totalOf(total)))).toMatchObject({ code: 0, text: ALL });
  });
});

// The two pages that are asked for at once after the first; not by their turn, which is the machine's.
const emptied = /options_page=1&options_pageSize=9|options_page=2&options_pageSize=8/;

describe.concurrent('a page that does not hold what was asked for', () => {
  it.each<readonly [string, FaultScript]>([
    ['with a total of 12, once: is found out', inTurn(undefined, undefined, totalOf(12))],
    [
      'short: goes on from the offset really reached',
      inTurn(
        undefined,
        undefined,
        records((all) => all.slice(0, 3)),
      ),
    ],
    ['short everywhere, with the size asked for echoed', always(records((all) => all.slice(0, 4)))],
    ['empty: is asked for once more', ({ url }) => (emptied.test(url.search) ? empty : undefined)],
  ])('%s: every record comes', async (_, script) => {
    expect(await read(script)).toEqual({ code: 0, text: ALL, stderr: '' });
  });

  it('empty from a place on: says how many are missing', async () => {
    const exit = await read((_, page) => (page.members['page'] === '0' ? undefined : empty));
    const stderr = expect.stringContaining('35 of the 45 records') as string;
    expect(exit).toEqual({ code: 6, text: lines(issued.slice(0, 10)), stderr });
  });

  it('smaller than asked for, as the echoed page size says: that size rules', async () => {
    const received = modelRecords(2_100);
    // A service that caps at 400 echoes 400, and numbers its pages by it.
    const script: FaultScript = ({ url }) => {
      const fault = members({ pageSize: '400' });
      const start = Number(url.searchParams.get('options_page')) * 400;
      const of = fault.kind === 'answer' ? fault.of : undefined;
      return {
        kind: 'answer',
        of: (page) => of!({ ...page, records: received.slice(start, start + 400) }),
      };
    };
    const args = ['received', '--format', 'jsonl', '--concurrency', '1', '--page-size', '1000'];
    const { code, text, requests } = await runAgainst({ records: { received }, args, script });
    expect({ code, text }).toEqual({ code: 0, text: lines(received) });
    expect(pagesAsked(requests).slice(0, 3)).toEqual(['0 x 1000', '1 x 399', '2 x 400']);
  });
});
