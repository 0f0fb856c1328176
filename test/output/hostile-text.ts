import * as fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

/** The classes by their numbers: a reading of its own, beside the one by Unicode's properties. */
export const FORBIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];

export function hasForbidden(text: string): boolean {
  return Array.from(text, (character) => character.codePointAt(0)!).some((code) =>
    FORBIDDEN.some(([first, last]) => code >= first && code <= last),
  );
}

/** Text in which the forbidden is as frequent as the rest, surrogates alone included. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 4 }),
      fc
        .constantFrom(...FORBIDDEN)
        .chain(([first, last]) =>
          fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code)),
        ),
      fc.constantFrom('\u001b]0;x\u0007', '\u001b[2J', '\u009b6n', '\u001bP$q"p\u001b\\', '\r\n', '漢', '👩‍👩‍👧'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
