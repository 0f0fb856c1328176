import { describe, expect, it } from 'vitest';
import { Extent } from '../../src/paging/extent.ts';

/** An extent of which the service said that there are 1000 records, and of which the first page of 100 was read. */
function begun(): Extent {
  const extent = new Extent();
  extent.total = 1000;
  extent.held({ offset: 0, from: 0, size: 100 }, 100);
  return extent;
}

describe('empty pages before the total', () => {
  it('are no end while there are two in a row: a service may be short of a page for a moment', () => {
    const extent = begun();
    extent.emptyAt(100);
    expect(extent.goesOnAt(200, 0)).toBe(true);
    extent.emptyAt(200);
    expect(extent.goesOnAt(300, 0)).toBe(true);
    expect(extent.goesOnAt(100, 0)).toBe(true);
  });

  it('are the end when there are three in a row, from the first of them on', () => {
    const extent = begun();
    for (const offset of [100, 200, 300]) extent.emptyAt(offset);
    expect([0, 99, 100, 400].map((offset) => extent.goesOnAt(offset, 0))).toEqual([true, true, false, false]);
  });

  it('are the end from the first of them on, in whatever order they came back', () => {
    const extent = begun();
    for (const offset of [300, 100, 200]) extent.emptyAt(offset);
    expect([99, 100].map((offset) => extent.goesOnAt(offset, 0))).toEqual([true, false]);
  });

  it('are counted anew behind a page that holds records', () => {
    const extent = begun();
    extent.emptyAt(100);
    extent.emptyAt(200);
    extent.held({ offset: 300, from: 300, size: 100 }, 1);
    extent.emptyAt(400);
    extent.emptyAt(500);
    expect(extent.goesOnAt(600, 0)).toBe(true);
    extent.emptyAt(600);
    expect([399, 400].map((offset) => extent.goesOnAt(offset, 0))).toEqual([true, false]);
  });

  it('are forgotten when the listing is read again', () => {
    const extent = begun();
    for (const offset of [100, 200, 300]) extent.emptyAt(offset);
    extent.reopen();
    extent.emptyAt(100);
    extent.emptyAt(200);
    expect(extent.goesOnAt(300, 0)).toBe(true);
  });
});
