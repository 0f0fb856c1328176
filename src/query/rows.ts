import type { Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';

/** One field of a row: its name, and its value as JSON text, so that a number keeps all its digits. */
export type RowField = readonly [name: string, json: string];
/** One row of a result. */
export type Row = readonly RowField[];

/** The rows of a result as records, so that every writer can write them. A column `a.b` stays one member of that name. */
export function batchOfRows(rows: readonly Row[]): RecordBatch {
  const bounds = new Int32Array(rows.length * 2);
  const texts: Buffer[] = [];
  let at = 0;
  for (const [index, row] of rows.entries()) {
    const text = Buffer.from(`{${row.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}\n`);
    bounds[2 * index] = at;
    at += text.length;
    bounds[2 * index + 1] = at - 1;
    texts.push(text);
  }
  const ids = new Int32Array(rows.length * 2).fill(-1);
  return { bytes: Buffer.concat(texts), count: rows.length, bounds, ids, spaced: false };
}

/** The JSON text of a cell. Numbers and arrays stay as they came; a missing cell is `null`. */
export function cellJson(cell: Cell | undefined): string {
  if (cell === undefined) return 'null';
  return cell.kind === 'string' ? JSON.stringify(cell.text) : cell.text;
}
