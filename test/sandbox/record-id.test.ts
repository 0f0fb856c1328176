import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecordIds } from '../../src/sandbox/data/record-id.ts';

it('an id leads to its record, in its own organization and as it is', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(5_000_000), fc.nat(23), (seed, index, at) => {
      const id = new RecordIds(seed).of(index);
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(new RecordIds(seed).indexOf(id, index + 1)).toBe(index);
      expect(new RecordIds(seed).indexOf(id, index)).toBe(-1);
      expect(new RecordIds(seed + 1).indexOf(id, index + 1)).toBe(-1);
      const changed = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
      expect(new RecordIds(seed).indexOf(changed, 2 ** 32)).toBe(-1);
    }),
  );
  expect(new RecordIds(1).indexOf('', 10)).toBe(-1);
});
