import { describe, expect, it } from 'vitest';
import { always, body, inTurn, members, status, where, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const all = modelRecords(45);

/** Reads a listing of 45 records, or of none, ten to a page. */
async function read(line: string, script: FaultScript, records = all) {
  const [listing = '', ...flags] = line.split(' ');
  const args = [listing, ...flags, '--page-size', '10', '--format', 'jsonl', '--retries', '1'];
  const served = { [listing]: records };
  const { code, text, stderr, requests } = await runAgainst({ records: served, script, args });
  // No walk that ends needs so many.
  expect(requests.length).toBeLessThan(50);
  return { code, text, stderr, requests: requests.length };
}

const WHOLE = { code: 0, text: lines(all) };
const saying = (words: string) => expect.stringContaining(words) as string;

describe.concurrent('a listing', () => {
  it.each([1, 3, 10, 25])('whose total is %i too high is delivered, and the total in doubt', async (more) => {
    const isOne = more === 1 ? 'is' : 'are';
    const stderr = saying(`${more} of the ${45 + more} records that the service names ${isOne} in doubt`);
    const exit = await read('issued', always(members({ total: `${45 + more}` })));
    expect(exit).toMatchObject({ ...WHOLE, code: 6, stderr });
  });

  it.each([44, 40, 39, 20, 10])('whose total is too low, %i of 45, hides no record', async (total) => {
    expect(await read('issued', always(members({ total: `${total}` })))).toMatchObject(WHOLE);
  });

  it('with a record that cannot be read even alone names its place, and delivers the others', async () => {
    const script = where(({ records }) => records.includes(all[37]!), status(502));
    const stderr = saying('the service does not serve record 38 of the listing, even alone');
    const text = lines(all.toSpliced(37, 1));
    expect(await read('received', script)).toMatchObject({ code: 6, text, stderr });
  });

  it.each(['received', 'received --limit 3'])('of a service that is down: %s', async (line) => {
    const exit = await read(line, always(status(502)));
    expect([exit.code, exit.text, exit.requests < 40]).toEqual([5, '', true]);
  });
});

describe.concurrent('a cursor', () => {
  const next = (cursor: string) => members({ nextToken: `"${cursor}"` });
  const AGAIN = saying('page after page it sends records that it had sent before');

  it.each([
    ['A B A', inTurn(next('a'), next('b'), next('a')), 3],
    ['never another', always(next('c10')), 2],
  ])('that comes again ends with exit 6 where records came before it: %s', async (_, script, requests) => {
    expect(await read('customers', script)).toMatchObject({ code: 6, stderr: AGAIN, requests });
  });

  it('that comes again ends with exit 5 where no record came before it', async () => {
    const stderr = saying('the service goes on with cursors that bring nothing new');
    expect(await read('customers', always(next('c10')), [])).toMatchObject({ code: 5, stderr });
  });

  const NO_TOKENS = [',"nextToken":null', ',"nextToken":""', ''];
  it.each(NO_TOKENS)('that is none ends the listing: %s', async (member) => {
    const exit = await read('customers', always(body(`{"data":[${all[0]}]${member}}`)));
    expect(exit).toMatchObject({ code: 0, text: lines([all[0]!]) });
  });
});
