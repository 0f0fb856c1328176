import { describe, expect, it } from 'vitest';
import { always, inTurn } from '../support/fault-script.ts';
import { members, records } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const ARGS = ['customers', '--page-size', '10', '--format', 'jsonl'];
const customers = modelRecords(45);

describe.concurrent('a cursor that comes again', () => {
  it.each([
    ['A A', [members({ nextToken: '"a"' }), members({ nextToken: '"a"' })]],
    ['A B A', [members({ nextToken: '"a"' }), members({ nextToken: '"b"' }), members({ nextToken: '"a"' })]],
  ])('ends with exit 5: %s', async (_, faults) => {
    const script = inTurn(...faults);
    const { code, stderr, requests } = await runAgainst({ records: { customers }, script, args: ARGS });
    expect(code).toBe(5);
    expect(stderr).toContain('the service sent a cursor that it had sent before');
    expect(requests).toHaveLength(faults.length);
  });

  it('ends with exit 5 also where the service never sends another', async () => {
    const script = always(members({ nextToken: '"c10"' }));
    const { code, requests } = await runAgainst({ records: { customers }, script, args: ARGS });
    expect({ code, requests: requests.length }).toEqual({ code: 5, requests: 2 });
  });

  it('is not every empty page: one with a new cursor is no end', async () => {
    const script = inTurn(
      undefined,
      records(() => []),
    );
    const { code, text } = await runAgainst({ records: { customers }, script, args: ARGS });
    const given = [...customers.slice(0, 10), ...customers.slice(20)];
    expect({ code, text }).toEqual({ code: 0, text: lines(given) });
  });
});
