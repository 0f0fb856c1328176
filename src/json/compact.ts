import { BACKSLASH, QUOTE, SPACE } from './ascii.ts';

/** `bytes[start .. end)`, which is JSON known to be well formed, without the white space between its tokens. */
export function compact(bytes: Buffer, start: number, end: number): Buffer {
  const result = Buffer.allocUnsafe(end - start);
  let to = 0;
  let inString = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (!inString && byte <= SPACE) continue;
    result[to++] = byte;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) result[to++] = bytes[++at]!;
  }
  return result.subarray(0, to);
}
