import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';

/*
 * Steps over JSON that the scanner has found well formed, and therefore without a check: about twice as fast as the scanner.
 */

/** 1 for the bytes that end a run of ordinary characters in a string. */
const ENDS_RUN = new Uint8Array(256);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

/** 1 for the bytes that concern the nesting. */
const NESTS = new Uint8Array(256);
for (const byte of [QUOTE, OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET]) NESTS[byte] = 1;

/** The position of the first quote or backslash from `at` on. */
export function endOfRun(bytes: Buffer, start: number): number {
  let at = start;
  while (ENDS_RUN[bytes[at]!] === 0) at++;
  return at;
}

/** The position of the quote that closes the string whose text goes on at `at`. */
export function endOfString(bytes: Buffer, start: number): number {
  let at = endOfRun(bytes, start);
  while (bytes[at] === BACKSLASH) at = endOfRun(bytes, at + 2);
  return at;
}

/** The position behind the object or array that opens at `start`. */
export function endOfNested(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  do {
    while (NESTS[bytes[at]!] === 0) at++;
    const byte = bytes[at++];
    if (byte === QUOTE) at = endOfString(bytes, at) + 1;
    else depth += byte === OPEN_BRACE || byte === OPEN_BRACKET ? 1 : -1;
  } while (depth > 0);
  return at;
}

/** The position behind the number or literal that begins at `start`, within an object. */
export function endOfScalar(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! > SPACE && bytes[at] !== COMMA && bytes[at] !== CLOSE_BRACE) at++;
  return at;
}

/** The position of the next byte that is not white space. */
export function endOfSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! <= SPACE) at++;
  return at;
}
