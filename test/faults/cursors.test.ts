import { describe, expect, it } from 'vitest';
import { always, body, inTurn, members, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const args = ['customers', '--page-size', '10', '--format', 'jsonl'];
const customers = modelRecords(45);
const run = (script: FaultScript, all = customers) =>
  runAgainst({ records: { customers: all }, script, args });
const next = (cursor: string) => members({ nextToken: `"${cursor}"` });

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
});
