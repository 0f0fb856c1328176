import { CellReader, type Cell } from '../../json/cells.ts';
import { csvLine, type CsvDialect, type RowEncoder } from './plain-csv.ts';

/** Characters of rows that are written at a time. */
const PIECE = 256 * 1024;

/**
 * The rows of every dialect but plain csv.
 *
 * @param excel whether text that a spreadsheet would run as a formula is made inert
 */
export function dialectRows(
  columns: readonly string[] | undefined,
  dialect: CsvDialect,
  excel: boolean,
): RowEncoder {
  const reader = new CellReader(columns);
  const guard = excel ? formulaGuard(dialect.delimiter) : String;
  const textOf = (cell: Cell | undefined): string => guard(cell?.text ?? '');
  return {
    get columns() {
      return reader.columns;
    },
    guard,
    *encode(batch) {
      let rows = '';
      for (let index = 0; index < batch.count; index++) {
        const { length } = reader.columns;
        const cells = reader.read(batch, index);
        if (rows.length >= PIECE || (rows !== '' && cells.length !== length)) {
          yield { bytes: Buffer.from(rows), columns: length };
          rows = '';
        }
        rows += csvLine(cells.map(textOf), dialect);
      }
      if (rows !== '') yield { bytes: Buffer.from(rows), columns: reader.columns.length };
    },
  };
}

/**
 * What makes a spreadsheet run text as a formula (OWASP, "CSV Injection"): its first character, or the full-width variant
 * of it, which some programs convert. White space and controls may stand before it, since some programs drop them. A tab,
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
 * Makes what puts an apostrophe before text that a spreadsheet would run as a formula. `a;=1+1` gets one before `=`: a program
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
