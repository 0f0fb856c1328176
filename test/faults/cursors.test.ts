import { describe, expect, it } from 'vitest';
import { HashReader } from '../../src/json/identity.ts';
import { always, body, inTurn, members, records, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { batchOf } from '../support/records.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const args = ['customers', '--page-size', '10', '--format', 'jsonl'];
const customers = modelRecords(45);
const run = (script: FaultScript, all = customers) =>
  runAgainst({ records: { customers: all }, script, args });
const next = (cursor: string) => members({ nextToken: `"${cursor}"` });

describe.concurrent('two customers whose fast hashes are the same', () => {
  it('are both given in their places, though nothing counts them', async () => {
    const twins = ['000h0000000a', '000X00000P0Q'].map((id) => `{"name":"Ada","id":"${id}"}`);
    const [one, other] = twins.map((text) => new HashReader().read(batchOf(text), 0).content());
    expect(one).toBe(other);
    const all = [twins[0]!, ...customers.slice(0, 20), twins[1]!, ...customers.slice(20)];
    const { code, text, requests } = await run(() => undefined, all);
    // Without a second reading to find out whether they are one.
    expect({ code, text, requests: requests.length }).toEqual({ code: 0, text: lines(all), requests: 5 });
  });
});

describe.concurrent('a cursor that comes again', () => {
  it.each([
    ['A A', [next('a'), next('a')]],
    ['A B A', [next('a'), next('b'), next('a')]],
  ])('ends with exit 6 where records came before it: %s', async (_, faults) => {
    const { code, stderr, requests } = await run(inTurn(...faults));
    expect([code, requests.length]).toEqual([6, faults.length]);
    expect(stderr).toContain('page after page it sends records that it had sent before');
  });

  it('ends so also where the service never sends another', async () => {
    const { code, requests } = await run(always(next('c10')));
    expect([code, requests.length]).toEqual([6, 2]);
  });

  it('ends with exit 5 where no record came before it', async () => {
    const { code, stderr } = await run(always(next('c10')), []);
    expect(code).toBe(5);
    expect(stderr).toContain('the service goes on with cursors that bring nothing new');
  });

  it.each([',"nextToken":null', ',"nextToken":""', ''])('ends where there is none: %s', async (member) => {
    const exit = await run(always(body(`{"data":[${customers[0]}]${member}}`)));
    expect(exit).toMatchObject({ code: 0, text: lines([customers[0]!]) });
  });

  it.each([
    ['the same page', 6, `"data":[${customers.slice(0, 10).join(',')}]`],
    ['an empty page', 5, '"data":[]'],
  ])('is followed no further where fresh ones bring %s again and again', async (_, exit, page) => {
    let sent = 0;
    const { code, requests } = await run(() => body(`{${page},"nextToken":"new${sent++}"}`));
    expect(code).toBe(exit);
    expect(requests.length).toBeLessThan(60);
  });

  it('is not every empty page: one with a new cursor is no end', async () => {
    const empty = records(() => []);
    const exit = await run(inTurn(undefined, empty));
    expect(exit).toMatchObject({
      code: 0,
      text: lines([...customers.slice(0, 10), ...customers.slice(20)]),
    });
  });
});
