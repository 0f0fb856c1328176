import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { batchWithoutIds, type RecordBatch } from '../json/records.ts';
import { UsageError } from '../errors.ts';
import { nearestNames } from './nearest-names.ts';

/** One field of a row: its name, and its value as JSON text, so that a number keeps all its digits. */
export type RowField = readonly [name: string, json: string];
export type Row = readonly RowField[];

/** The column that a terminal draws. */
export const BAR = 'bar';

export function textJson(text: string | undefined): string {
  return JSON.stringify(text ?? null);
}

/** An amount as JSON, with every digit; null where there is none. */
export function amountJson(amount: Decimal | undefined): string {
  return amount === undefined ? 'null' : formatDecimal(amount);
}

/** Rows that are passed on together. */
const ROWS_AT_ONCE = 1_000;

/** Rows as records, a thousand at a time; at least one batch, which may be empty. */
export function* batchesOfRows(rows: Iterable<Row>): Generator<RecordBatch> {
  let some: Row[] = [];
  for (const row of rows) {
    if (some.push(row) < ROWS_AT_ONCE) continue;
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
  let lines = '';
  let at = 0;
  for (const row of rows) {
    let text = '{';
    for (const [name, json] of row) text += `${text === '{' ? '' : ','}${nameOf(name)}${json}`;
    lines += `${text}}\n`;
    bounds.push(at, (at += Buffer.byteLength(text) + 1));
    at++;
  }
  return batchWithoutIds(Buffer.from(lines), Int32Array.from(bounds), false);
}

/** The columns that a flag names. Throws UsageError for one that the result does not have. */
export function chosenColumns(
  all: readonly string[],
  chosen: readonly string[],
  flag: string,
): readonly string[] {
  const unknown = chosen.find((column) => !all.includes(column));
  if (unknown === undefined) return chosen;
  const [near] = nearestNames(unknown, all);
  const columns = all.length === 1 ? 'Its only column is' : 'Its columns are';
  throw new UsageError(`${flag}: the result has no column ${unknown}`, {
    hint: near === undefined ? `${columns} ${all.join(', ')}.` : `Did you mean ${near}?`,
  });
}

/** Groups items by a key, in order of first appearance. */
export function groupsBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known) known.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups items by currency: amounts of different currencies are never compared. */
export function byCurrency<T>(items: readonly T[], currencyOf: (item: T) => string | undefined): T[][] {
  return [...groupsBy(items, currencyOf).values()];
}
