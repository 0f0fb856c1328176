import fc from 'fast-check';

/** Code points from 0xD800 on are halves of others, and so no characters. */
const HALVES = { from: 0xd800, count: 0x800 };

/**
 * Any character of Unicode. The unit of fast-check that is called `binary` is the same, but keeps a table of all of them: 85 MB
 * in each process, and most of a second to make it.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - HALVES.count })
  .map((at) => String.fromCodePoint(at < HALVES.from ? at : at + HALVES.count), placeOf);

/** Tells fast-check which texts, such as names of prototypes, are made of these characters. */
function placeOf(text: unknown): number {
  const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('not one character');
  if (point < HALVES.from) return point;
  if (point < HALVES.from + HALVES.count) throw new Error('half a character');
  return point - HALVES.count;
}
