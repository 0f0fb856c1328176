import { describe, expect, it } from 'vitest';
import { HashReader } from '../../src/json/identity.ts';
import { SeenOrder } from '../../src/paging/seen-order.ts';
import { batchOf } from '../support/records.ts';

/** Whether pages, each of records named by letters, show that the order depends on the request. */
function changes(...pages: readonly string[]): boolean {
  const order = new SeenOrder(() => new HashReader());
  for (const page of pages) order.see(batchOf(...[...page].map((letter) => `{"name":"${letter}"}`)));
  return order.isUnstable;
}

describe('the order of a service', () => {
  it.each([
    ['two records of a page change places', ['abcdef', 'badef']],
    ['the same, with another between them', ['abcdef', 'bxa']],
    ['the same, several pages later', ['abc', 'cde', 'efg', 'gxfh']],
  ])('depends on the request where %s', (_, pages) => {
    expect(changes(...pages)).toBe(true);
  });

  it.each([
    ['pages have records in common', ['abcdef', 'efgh', 'hij']],
    ['some were inserted and others deleted', ['abcdef', 'axcyf', 'zbxdye']],
    ['a record was inserted between those of two pages', ['ab', 'cd', 'xabcd', 'acd']],
    ['two of different pages stand in another order', ['abc', 'xyd', 'xayd']],
    ['equal records stand in one page', ['aba', 'bab', 'baab']],
  ])('does not where %s', (_, pages) => {
    expect(changes(...pages)).toBe(false);
  });

  it('is looked at where pages end and begin, however long they are', () => {
    const long = Array.from({ length: 1000 }, (_, at) => String.fromCodePoint(0x4e00 + at));
    const [last = '', ...others] = long.toReversed();
    expect(changes(long.join(''), [last, ...others].join(''))).toBe(true);
    expect(changes(long.join(''), long.slice(990).join(''))).toBe(false);
  });
});
