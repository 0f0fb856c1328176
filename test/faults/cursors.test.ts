import { describe, expect, it } from 'vitest';
import { HashReader } from '../../src/json/identity.ts';
import { always, inTurn, body, members, records, type FaultScript } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { batchOf } from '../support/records.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const ARGS = ['customers', '--page-size', '10', '--format', 'jsonl'];
const customers = modelRecords(45);

describe.concurrent('two customers whose fast hashes are the same', () => {
  it('are both given in their places, though nothing counts them', async () => {
    const twins = ['000h0000000a', '000X00000P0Q'].map((id) => `{"name":"Ada","id":"${id}"}`);
    const [one, other] = twins.map((text) => new HashReader().read(batchOf(text), 0).content());
    expect(one).toBe(other);
    const all = [twins[0]!, ...customers.slice(0, 20), twins[1]!, ...customers.slice(20)];
    const { code, text, requests } = await runAgainst({ records: { customers: all }, args: ARGS });
    // In their places, and without a second reading to settle whether they are one.
    expect({ code, text, requests: requests.length }).toEqual({ code: 0, text: lines(all), requests: 5 });
  });
});

describe.concurrent('a cursor that comes again', () => {
  it.each([
    ['A A', [members({ nextToken: '"a"' }), members({ nextToken: '"a"' })]],
    ['A B A', [members({ nextToken: '"a"' }), members({ nextToken: '"b"' }), members({ nextToken: '"a"' })]],
  ])('ends with exit 6 where records came before it: %s', async (_, faults) => {
    const script = inTurn(...faults);
    const { code, stderr, requests } = await runAgainst({ records: { customers }, script, args: ARGS });
    expect(code).toBe(6);
    expect(stderr).toContain('page after page it sends records that it had sent before');
    expect(requests).toHaveLength(faults.length);
  });

  it('ends so also where the service never sends another', async () => {
    const script = always(members({ nextToken: '"c10"' }));
    const { code, requests } = await runAgainst({ records: { customers }, script, args: ARGS });
    expect({ code, requests: requests.length }).toEqual({ code: 6, requests: 2 });
  });

  it('ends with exit 5 where no record came before it', async () => {
    const script = always(members({ nextToken: '"c10"' }));
    const { code, stderr } = await runAgainst({ records: {}, script, args: ARGS });
    expect(code).toBe(5);
    expect(stderr).toContain('the service goes on with cursors that bring nothing new');
  });

  it.each(['null', '""', undefined])('ends where there is none: %s', async (nextToken) => {
    const last = `{"data":[${customers[0]}]${nextToken === undefined ? '' : `,"nextToken":${nextToken}`}}`;
    const { code, text } = await runAgainst({ records: {}, script: always(body(last)), args: ARGS });
    expect({ code, text }).toEqual({ code: 0, text: lines([customers[0]!]) });
  });

  it.each([
    ['the same page', 6, `"data":[${customers.slice(0, 10).join(',')}]`],
    ['an empty page', 5, '"data":[]'],
  ])('is followed no further where fresh ones bring %s again and again', async (_, exit, page) => {
    let sent = 0;
    const script: FaultScript = () => body(`{${page},"nextToken":"new${sent++}"}`);
    const { code, requests } = await runAgainst({ records: {}, script, args: ARGS });
    expect(code).toBe(exit);
    expect(requests.length).toBeLessThan(60);
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
