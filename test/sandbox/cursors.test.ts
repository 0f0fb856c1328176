import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../src/sandbox/cursors.ts';

const place = fc.record({ position: fc.nat(), direction: fc.constantFrom('ASC' as const, 'DESC' as const) });

describe('cursors', () => {
  it('lead back to their place, and hold what a query string must encode', () => {
    fc.assert(
      fc.property(fc.nat(), place, (seed, there) => {
        const cursor = writeCursor(seed, there);
        expect(readCursor(seed, cursor)).toEqual(there);
        for (const character of '+/=') expect(cursor).toContain(character);
      }),
    );
  });

  it('are refused when changed, or of another organization', () => {
    fc.assert(
      fc.property(
        place,
        fc.nat(19),
        fc.constantFrom('a', 'B', '3', '+', '/', ' ', '='),
        (there, at, character) => {
          const cursor = writeCursor(1, there);
          const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
          if (changed !== cursor) expect(readCursor(1, changed)).toBeUndefined();
          expect(readCursor(2, cursor)).toBeUndefined();
        },
      ),
    );
  });
});
