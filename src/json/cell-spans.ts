/** What a column holds in the record at hand: null or nothing. */
export const ABSENT = 0;
/** A string without escapes; the span is that of its text, without the quotes. */
export const PLAIN = 1;
export const NUMBER = 2;
export const BOOLEAN = 3;
/** A string with escapes; the span is again that of its text. */
export const ESCAPED = 4;
/** An array, or an object that was asked for as a whole: JSON text, with the white space that was sent. */
export const JSON_TEXT = 5;

/** Where the value of each column is in the record at hand, and of what kind: in tables, since objects would be made by the million. */
export class CellSpans {
  kinds = new Uint8Array(64);
  starts = new Int32Array(64);
  ends = new Int32Array(64);

  /** Makes the first `columns` ABSENT, and room for them. */
  clear(columns: number): void {
    this.growTo(columns);
    this.kinds.fill(ABSENT, 0, columns);
  }

  /** A negative column is one that nobody wants. */
  set(column: number, kind: number, start: number, end: number): void {
    if (column < 0) return;
    this.kinds[column] = kind;
    this.starts[column] = start;
    this.ends[column] = end;
  }

  /** The column `to` shows what `from` does. */
  repeat(from: number, to: number): void {
    this.set(to, this.kinds[from]!, this.starts[from]!, this.ends[from]!);
  }

  growTo(columns: number): void {
    if (columns <= this.kinds.length) return;
    const size = Math.max(columns, 2 * this.kinds.length);
    const [kinds, starts, ends] = [new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
    kinds.set(this.kinds);
    starts.set(this.starts);
    ends.set(this.ends);
    Object.assign(this, { kinds, starts, ends });
  }
}
