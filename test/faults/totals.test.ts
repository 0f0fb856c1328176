import { describe, expect, it } from 'vitest';
import { always, inTurn, members, records, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, pagesAsked, runAgainst } from '../support/run-against.ts';

const ARGS = ['issued', '--page-size', '10', '--format', 'jsonl', '--concurrency', '2'];

/** The last page asked for more than once, or ever more pages: no walk that ends needs so many requests. */
const MANY = 50;

describe.concurrent('a total that is not true', () => {
  it.each([1, 3, 10, 25])('that is %i too high is told, with every record that there is', async (more) => {
    const issued = modelRecords(45);
    const script = always(members({ total: `${45 + more}` }));
    const { code, text, stderr, requests } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text }).toEqual({ code: 6, text: lines(issued) });
    expect(stderr).toContain(`${more} of the ${45 + more} records that the service names are in doubt`);
    expect(requests.length).toBeLessThan(MANY);
  });

  it.each([44, 40, 39, 20, 10])('that is too low, %i of 45, hides no record', async (total) => {
    const issued = modelRecords(45);
    const script = always(members({ total: `${total}` }));
    const { code, text, requests } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text }).toEqual({ code: 0, text: lines(issued) });
    expect(requests.length).toBeLessThan(MANY);
  });

  it('once, on a page in the middle, is found out', async () => {
    const issued = modelRecords(45);
    const script = inTurn(undefined, undefined, members({ total: '12' }));
    const { code, text } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text }).toEqual({ code: 0, text: lines(issued) });
  });
});

const RECEIVED = ['received', '--format', 'jsonl', '--concurrency', '1'];

describe.concurrent('a page that does not hold what was asked for', () => {
  it('short: goes on from the offset really reached', async () => {
    const issued = modelRecords(45);
    const script = inTurn(
      undefined,
      undefined,
      records((all) => all.slice(0, 3)),
    );
    const { code, text, stderr } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text, stderr }).toEqual({ code: 0, text: lines(issued), stderr: '' });
  });

  it('short everywhere, with the size asked for echoed: every record all the same', async () => {
    const issued = modelRecords(45);
    const script = always(records((all) => all.slice(0, 4)));
    const { code, text } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text }).toEqual({ code: 0, text: lines(issued) });
  });

  it('empty: is asked for once more', async () => {
    const issued = modelRecords(45);
    // The two that are asked for at once after the first; not by their turn, which is the machine's.
    const emptied = /options_page=1&options_pageSize=9|options_page=2&options_pageSize=8/;
    const script: FaultScript = ({ url }) => (emptied.test(url.search) ? records(() => []) : undefined);
    const { code, text, stderr } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text, stderr }).toEqual({ code: 0, text: lines(issued), stderr: '' });
  });

  it('empty from a place on: says how many are missing', async () => {
    const issued = modelRecords(45);
    const script: FaultScript = (_, page) => (page.members['page'] === '0' ? undefined : records(() => []));
    const { code, text, stderr, requests } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text }).toEqual({ code: 6, text: lines(issued.slice(0, 10)) });
    expect(stderr).toContain('35 of the 45 records');
    expect(requests.length).toBeLessThan(MANY);
  });

  it('smaller than asked for, as the echoed page size says: that size rules', async () => {
    const received = modelRecords(2_100);
    const capped = { records: { received }, args: [...RECEIVED, '--page-size', '1000'] };
    // A service that caps at 400 echoes 400, and numbers its pages by it.
    const script: FaultScript = ({ url }, page) => {
      const [size, number] = [400, Number(url.searchParams.get('options_page'))];
      const all = received.slice(number * size, (number + 1) * size);
      return page && combined(members({ pageSize: `${size}` }), all);
    };
    const { code, text, requests } = await runAgainst({ ...capped, script });
    expect({ code, text }).toEqual({ code: 0, text: lines(received) });
    expect(pagesAsked(requests).slice(0, 3)).toEqual(['0 x 1000', '1 x 399', '2 x 400']);
  });
});

/** The members of one fault with the records of another. */
function combined(fault: ReturnType<typeof members>, all: readonly string[]): ReturnType<typeof members> {
  if (fault.kind !== 'answer') return fault;
  const { of } = fault;
  return { ...fault, of: (page) => of({ ...page, records: all }) };
}
