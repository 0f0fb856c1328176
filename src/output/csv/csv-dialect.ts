import { stringify } from 'csv-stringify';
import { CellReader, type Cell } from '../../json/cells.ts';
import type { RowEncoder } from './plain-csv.ts';
import { formulaGuard } from './formula-guard.ts';

const ROWS_AT_ONCE = 500;

/**
 * Rows by csv-stringify, for every dialect but plain csv. It gets only strings: it would write true as `1`.
 *
 * @param excel CRLF instead of LF, and text that a spreadsheet would run as a formula made inert
 */
export function dialectRows(
  columns: readonly string[] | undefined,
  delimiter: string,
  excel: boolean,
): RowEncoder {
  const reader = new CellReader(columns);
  const stringifier = stringify({
    delimiter,
    record_delimiter: excel ? '\r\n' : '\n',
    // With a record delimiter of its own it would otherwise not quote a field with a bare LF or CR.
    quote_record_delimiter: true,
    // No limit: rows are read back in the turn of the event loop in which they were written.
    readableHighWaterMark: 2 ** 30,
  });
  const guard = excel ? formulaGuard(delimiter) : String;
  const textOf = (cell: Cell | undefined): string =>
    cell === undefined ? '' : cell.kind === 'number' ? cell.text : guard(cell.text);
  /** The bytes of all rows so far: csv-stringify makes each row at once, since nothing limits its size. */
  const take = (): Buffer => {
    const rows: Buffer[] = [];
    // Up to Node 24 one read gives all that is held; from Node 26 on it gives one row.
    for (let row: Buffer | null; (row = stringifier.read() as Buffer | null) !== null;) rows.push(row);
    return rows.length === 1 ? rows[0]! : Buffer.concat(rows);
  };
  return {
    get columns() {
      return reader.columns;
    },
    guard,
    *encode(batch) {
      let waiting = 0;
      for (let index = 0; index < batch.count; index++) {
        const { length } = reader.columns;
        const cells = reader.read(batch, index);
        if (waiting === ROWS_AT_ONCE || (waiting > 0 && cells.length !== length)) {
          yield { bytes: take(), columns: length };
          waiting = 0;
        }
        stringifier.write(cells.map(textOf));
        waiting++;
      }
      if (waiting > 0) yield { bytes: take(), columns: reader.columns.length };
    },
  };
}
