import type { StoredRow, StoredValue } from './database.ts';

/*
 * Rows as COPY of PostgreSQL writes and reads them: a line each, a tab between two cells, and a backslash before what is meant
 * otherwise.
 */

const SPECIAL = /[\\\n\r\t\b\f\v]/;
const EVERY_SPECIAL = /[\\\n\r\t\b\f\v]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};
const MEANINGS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
};
const NOTHING = '\\N';

/** The line of a row, with its end. */
export function copyLine(row: StoredRow): string {
  return `${row.map(copyCell).join('\t')}\n`;
}

/** The cells of a line, without its end. */
export function readCopyLine(line: string): StoredRow {
  return line.split('\t').map((cell) => {
    if (cell === NOTHING) return null;
    return cell.includes('\\')
      ? cell.replaceAll(/\\(.)/gs, (_, letter: string) => MEANINGS[letter] ?? letter)
      : cell;
  });
}

function copyCell(value: StoredValue): string {
  if (value === null) return NOTHING;
  const text = String(value);
  return SPECIAL.test(text) ? text.replaceAll(EVERY_SPECIAL, (letter) => ESCAPES[letter]!) : text;
}
