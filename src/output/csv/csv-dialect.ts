import { stringify, type Stringifier } from 'csv-stringify';
import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { guardFormula } from './formula-guard.ts';

const ROWS_AT_ONCE = 500;

/**
 * Rows by csv-stringify, for every dialect but plain csv. It gets only strings: it would write the
 * boolean true as `1`, and put an apostrophe before negative numbers.
 */
export class DialectRows {
  readonly #reader: CellReader;
  readonly #excel: boolean;
  readonly #delimiter: string;
  readonly #stringifier: Stringifier;

  /** @param excel CRLF instead of LF, and text that a spreadsheet would run as a formula made inert */
  constructor(columns: readonly string[] | undefined, delimiter: string, excel: boolean) {
    this.#reader = new CellReader(columns);
    this.#excel = excel;
    this.#delimiter = delimiter;
    this.#stringifier = stringify({
      delimiter,
      record_delimiter: excel ? '\r\n' : '\n',
      // With a record delimiter of its own it would otherwise not quote a field with a bare LF or CR.
      quote_record_delimiter: true,
      // No limit: rows are read back in the turn of the event loop in which they were written.
      readableHighWaterMark: 2 ** 30,
    });
  }

  get columns(): readonly string[] {
    return this.#reader.columns;
  }

  guard = (name: string): string => (this.#excel ? guardFormula(name, this.#delimiter) : name);

  *encode(batch: RecordBatch): Generator<{ readonly bytes: Buffer; readonly columns: number }> {
    let waiting = 0;
    for (let index = 0; index < batch.count; index++) {
      const columns = this.#reader.columns.length;
      const cells = this.#reader.read(batch, index);
      if (waiting === ROWS_AT_ONCE || (waiting > 0 && cells.length !== columns)) {
        yield { bytes: this.#take(), columns };
        waiting = 0;
      }
      this.#stringifier.write(cells.map((cell) => this.#textOf(cell)));
      waiting++;
    }
    if (waiting > 0) yield { bytes: this.#take(), columns: this.#reader.columns.length };
  }

  #textOf(cell: Cell | undefined): string {
    if (cell === undefined) return '';
    return this.#excel && cell.kind !== 'number' ? guardFormula(cell.text, this.#delimiter) : cell.text;
  }

  /** The bytes of all rows so far: csv-stringify makes each row at once, since nothing limits what it holds. */
  #take(): Buffer {
    const rows: Buffer[] = [];
    // Up to Node 24 one read gives all that is held; from Node 26 on it gives one row.
    for (let row: Buffer | null; (row = this.#stringifier.read() as Buffer | null) !== null;) rows.push(row);
    return rows.length === 1 ? rows[0]! : Buffer.concat(rows);
  }
}
