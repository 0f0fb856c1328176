import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { batchWithoutIds, type RecordBatch } from '../json/records.ts';

/** One field of a row: its name, and its value as JSON text, so that a number keeps all its digits. */
export type RowField = readonly [name: string, json: string];
export type Row = readonly RowField[];

/** A text as JSON; null where there is none. */
export function textJson(text: string | undefined): string {
  return JSON.stringify(text ?? null);
}

/** An amount as JSON, with every digit; null where there is none. */
export function amountJson(amount: Decimal | undefined): string {
  return amount === undefined ? 'null' : formatDecimal(amount);
}

const FIRST_SIZE = 16 * 1024;
/** The most bytes of UTF-8 that a unit of a text takes. */
const BYTES = 3;

/** Rows that are passed on together. */
const ROWS_AT_ONCE = 1_000;

/** Rows as records, a thousand at a time; at least one batch, be it empty. */
export function* batchesOfRows(rows: Iterable<Row>): Generator<RecordBatch> {
  let some: Row[] = [];
  for (const row of rows) {
    some.push(row);
    if (some.length < ROWS_AT_ONCE) continue;
    yield batchOfRows(some);
    some = [];
  }
  yield batchOfRows(some);
}

/** The rows of a result as records, so that every writer can write them. A column `a.b` stays one member of that name. */
export function batchOfRows(rows: Iterable<Row>): RecordBatch {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    let text = names.get(name);
    if (text === undefined) names.set(name, (text = `${JSON.stringify(name)}:`));
    return text;
  };
  const bounds: number[] = [];
  let bytes = Buffer.allocUnsafe(FIRST_SIZE);
  let at = 0;
  for (const row of rows) {
    let text = '{';
    for (const [name, json] of row) text += `${text === '{' ? '' : ','}${nameOf(name)}${json}`;
    text += '}\n';
    if (at + BYTES * text.length > bytes.length) {
      const longer = Buffer.allocUnsafe(2 * (at + BYTES * text.length));
      bytes.copy(longer, 0, 0, at);
      bytes = longer;
    }
    bounds.push(at);
    at += bytes.write(text, at);
    bounds.push(at - 1);
  }
  return batchWithoutIds(bytes.subarray(0, at), Int32Array.from(bounds), false);
}
