import { BadBody } from './bad-body.ts';

/** Where a value's text is in a body: `bytes[start .. end)`. */
export type Span = readonly [start: number, end: number];

/** Bytes of a value that is parsed: as objects it can take thirty times as much. */
const MAX_PARSED = 64 * 1024;

/** The value at the span, parsed. For small parts of a body only: numbers become doubles. Throws BadBody for a large one. */
export function readJson(bytes: Buffer, span: Span): unknown {
  if (span[1] - span[0] > MAX_PARSED) {
    throw new BadBody(`expected a small value, found one of ${span[1] - span[0]} bytes`, span[0]);
  }
  return JSON.parse(bytes.toString('utf8', span[0], span[1]));
}

/** The count that is at the span, or undefined where there is none or anything but a whole number from 0 on. */
export function readCount(bytes: Buffer, span: Span | undefined): number | undefined {
  const value = span && readJson(bytes, span);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
