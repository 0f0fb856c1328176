import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjoiningWindow, overlappingWindow } from '../../src/paging/page-sizes.ts';

describe('a window that overlaps the page before', () => {
  const place = fc.integer({ min: 1, max: 1_000_000 });
  const most = fc.integer({ min: 1, max: 2_000 });

  it('holds the record before and as many after it as such a page of so many records can', () => {
    fc.assert(
      fc.property(place, most, fc.nat(100), (from, largest, before) => {
        const floor = Math.max(0, from - before);
        const { offset, size } = overlappingWindow(from, largest, { floor, mayExceed: false });
        const gains = Array.from({ length: largest }, (_, at) => at + 1)
          .filter((each) => from % each > 0 && from % each <= from - floor)
          .map((each) => each - (from % each));
        expect(offset % size).toBe(0);
        if (gains.length === 0) expect({ offset, size }).toEqual(adjoiningWindow(from, largest));
        else {
          expect(offset).toBeLessThan(from);
          expect(offset).toBeGreaterThanOrEqual(floor);
          expect(offset + size - from).toBe(Math.max(...gains));
        }
      }),
    );
  });

  it('exists for every size from 7 on up to the 420th record', () => {
    for (let from = 1; from < 420; from++) {
      for (let size = 7; size < 30; size++) expect(overlappingWindow(from, size).offset).toBeLessThan(from);
    }
  });

  it('exists for every size from 10 on at every place, with a few records more where the place needs them', () => {
    for (const from of [2_520, 27_720, 360_360, 5_040, 720_720]) {
      for (let size = 10; size < 500; size++) {
        const window = overlappingWindow(from, size);
        expect(window.offset).toBeLessThan(from);
        expect(window.size).toBeLessThanOrEqual(size + 9);
      }
    }
    expect(overlappingWindow(2_520, 10)).toEqual({ offset: 2_519, size: 11 });
  });
});
