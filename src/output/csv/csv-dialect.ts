import { stringify } from 'csv-stringify';
import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';

export interface RowEncoder {
  readonly columns: readonly string[];
  /** Makes the name of a column inert where cells are. */
  readonly guard?: (name: string) => string;
  /**
   * The rows of the records, with the columns known by then; a new column is always the last. Bytes are valid until the next ones
   * come: an export of 100,000 would otherwise fill 86 MB of buffers.
   */
  encode(batch: RecordBatch): Iterable<{ readonly bytes: Buffer; readonly columns: number }>;
}

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
    // No limit: rows are read back at once, before the event loop goes on.
    readableHighWaterMark: 2 ** 30,
  });
  const guard = excel ? formulaGuard(delimiter) : String;
  const textOf = (cell: Cell | undefined): string => guard(cell?.text ?? '');
  /** The bytes of all rows so far: csv-stringify makes each row at once, since nothing limits its size. */
  const take = (): Buffer => {
    const rows: Buffer[] = [];
    // Up to Node 24 one read gives all that is held; from Node 26 on it gives one row.
    for (let row: Buffer | null; (row = stringifier.read() as Buffer | null) !== null;) rows.push(row);
    return Buffer.concat(rows);
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

/**
 * The beginnings of text that a spreadsheet runs as a formula (OWASP, "CSV Injection"): a character, or its full-width variant,
 * which some programs convert. White space and controls may precede it, since some programs drop them. A tab,
 * CR or LF at the start is dangerous whatever follows.
 */
const TRIGGER = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** The same for the text after a separator, which always follows a tab or line break. */
const INNER_TRIGGER = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/**
 * A plain number in the usual ways to write one: `-12.50`, `-1,234.56`, `-1.234,56`, `+5`, `-1e-7`, `-5 %`; also the last
 * number of a JSON list, `-5]`.
 */
const NUMBER =
  /^\s*[+-]?(?:\d+|\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+)?(?:[.,]\d+)?(?:[eE][+-]?\d+)?\s?%?[\]}]*$/;

/** Characters that may end a cell early, if a program expects another separator than the file has. */
const SEPARATORS = [',', ';', '\t', '\r', '\n'];

/**
 * Makes a function that puts an apostrophe before text that would run as a formula. In `a;=1+1` it precedes `=`: a program
 * that separates by `;` sees two cells, and the quotes around the text do not protect the second.
 *
 * @param delimiter of the file; text with it stands in quotes and is one cell
 */
export function formulaGuard(delimiter = ','): (text: string) => string {
  const separators = SEPARATORS.filter((separator) => separator !== delimiter);
  const breaks = new RegExp(`([${separators.join('')}])`);
  return (text) => {
    if (!/[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/.test(text)) return text;
    // The parts, and the separators between them.
    const guarded = text
      .split(breaks)
      .map((part, at) => (at > 0 && wouldRun(part, INNER_TRIGGER) ? `'${part}` : part))
      .join('');
    return wouldRun(text, TRIGGER) ? `'${guarded}` : guarded;
  };
}

function wouldRun(text: string, trigger: RegExp): boolean {
  return trigger.test(text) && !(NUMBER.test(text) && /\d/.test(text));
}
