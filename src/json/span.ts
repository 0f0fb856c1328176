/** Where a value's text is in a body: `bytes[start .. end)`. */
export type Span = readonly [start: number, end: number];

/** The value at the span, parsed. For small parts of a body only: numbers become doubles. */
export function readJson(bytes: Buffer, span: Span): unknown {
  return JSON.parse(bytes.toString('utf8', span[0], span[1]));
}

/** The count that is at the span, or undefined where there is none or anything but a whole number from 0 on. */
export function readCount(bytes: Buffer, span: Span | undefined): number | undefined {
  const value = span && readJson(bytes, span);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
