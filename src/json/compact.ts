import { BACKSLASH, QUOTE, SPACE } from './ascii.ts';
import type { Span } from './span.ts';

/** `bytes[start .. end)`, which is JSON known to be well formed, without the white space between its tokens. */
export function compact(bytes: Buffer, start: number, end: number): Buffer {
  const result = Buffer.allocUnsafe(end - start);
  return result.subarray(0, compactInto(bytes, [start, end], result));
}

/** The same, written into `to`; returns the bytes written, which are never more than the span has. */
export function compactInto(bytes: Buffer, span: Span, to: Buffer): number {
  const end = span[1];
  let out = 0;
  let inString = false;
  for (let at = span[0]; at < end; at++) {
    const byte = bytes[at]!;
    if (!inString && byte <= SPACE) continue;
    to[out++] = byte;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) to[out++] = bytes[++at]!;
  }
  return out;
}
