import { BACKSLASH, LETTER_U } from './ascii.ts';
import type { Span } from './span.ts';

/** What a letter behind a backslash stands for; those that stand for themselves are not listed. */
const CONTROLS: Readonly<Record<number, number>> = {
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};
const REPLACEMENT = 0xfffd;

/**
 * Writes the text of a string literal, `bytes[start .. end)` between its quotes, as UTF-8 into `to`; returns the bytes
 * written, which are never more than the literal has. Half a surrogate pair becomes U+FFFD, as where Node writes a string.
 */
export function unescape(bytes: Buffer, span: Span, to: Buffer): number {
  const end = span[1];
  let from = span[0];
  let out = 0;
  while (from < end) {
    const byte = bytes[from++]!;
    if (byte !== BACKSLASH) {
      to[out++] = byte;
      continue;
    }
    const letter = bytes[from++]!;
    if (letter !== LETTER_U) {
      to[out++] = CONTROLS[letter] ?? letter;
      continue;
    }
    const unit = hexUnit(bytes, from);
    from += 4;
    const low =
      isHigh(unit) && bytes[from] === BACKSLASH && bytes[from + 1] === LETTER_U
        ? hexUnit(bytes, from + 2)
        : 0;
    if (low >= 0xdc00 && low <= 0xdfff) {
      from += 6;
      out = putCodePoint(to, out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    } else out = putCodePoint(to, out, unit >= 0xd800 && unit <= 0xdfff ? REPLACEMENT : unit);
  }
  return out;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The four hexadecimal digits from `start` on. */
function hexUnit(bytes: Buffer, start: number): number {
  let unit = 0;
  for (let at = start; at < start + 4; at++) {
    const digit = bytes[at]!;
    // Letters of both cases have 9 more than their low four bits say.
    unit = (unit << 4) | ((digit & 0xf) + (digit > 0x39 ? 9 : 0));
  }
  return unit;
}

function putCodePoint(to: Buffer, start: number, code: number): number {
  let at = start;
  if (code < 0x80) to[at++] = code;
  else {
    if (code < 0x800) to[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) to[at++] = 0xe0 | (code >> 12);
      else {
        to[at++] = 0xf0 | (code >> 18);
        to[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    to[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}
