import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cursors } from '../../../src/sandbox/endpoints/customers.ts';

const place = fc.record({ position: fc.nat(), direction: fc.constantFrom('ASC' as const, 'DESC' as const) });

describe('Cursors', () => {
  it('lead back to their place, and hold what a query string must encode', () => {
    fc.assert(
      fc.property(fc.nat(), place, (seed, there) => {
        const cursor = new Cursors(seed).write(there);
        expect(new Cursors(seed).read(cursor)).toEqual(there);
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
          const cursor = new Cursors(1).write(there);
          const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
          if (changed !== cursor) expect(new Cursors(1).read(changed)).toBeUndefined();
          expect(new Cursors(2).read(cursor)).toBeUndefined();
        },
      ),
    );
  });
});
