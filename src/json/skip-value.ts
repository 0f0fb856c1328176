import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from './ascii.ts';
import { endOfRun, type WordView } from './word-search.ts';

/*
 * Steps over JSON that the scanner has found to be well formed, and therefore checks nothing.
 */

/** 1 for the bytes that concern the nesting. */
const NESTS = new Uint8Array(256);
for (const byte of [QUOTE, OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET]) NESTS[byte] = 1;

/** 1 for the bytes that a number may have. */
const IN_NUMBER = new Uint8Array(256);
for (const byte of '+-.0123456789Ee') IN_NUMBER[byte.charCodeAt(0)] = 1;

/** The position of the quote that closes the string whose text goes on at `start`. */
export function endOfString(view: WordView, start: number): number {
  let at = endOfRun(view, start);
  while (view.bytes[at] === BACKSLASH) at = endOfRun(view, at + 2);
  return at;
}

/** The position behind the object or array that opens at `start`. */
export function endOfNested(view: WordView, start: number): number {
  const { bytes } = view;
  let depth = 0;
  let at = start;
  do {
    while (NESTS[bytes[at]!] === 0) at++;
    const byte = bytes[at++];
    if (byte === QUOTE) at = endOfString(view, at) + 1;
    else depth += byte === OPEN_BRACE || byte === OPEN_BRACKET ? 1 : -1;
  } while (depth > 0);
  return at;
}

/** The position behind the number that begins at `start`, within an object. */
export function endOfNumber(bytes: Buffer, start: number): number {
  let at = start;
  while (IN_NUMBER[bytes[at]!] === 1) at++;
  return at;
}

/** The position of the next byte that is not white space, within an object. */
export function endOfSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! <= SPACE) at++;
  return at;
}
