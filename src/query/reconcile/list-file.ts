import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';
import { LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { unreadableFile } from '../exports/export-file.ts';

/** The error for a list that cannot be read as it is. Lines count from 1. */
export function badList(path: string, line: number, what: string, hint?: string): UsageError {
  return new UsageError(`${path}, line ${line}: ${what}`, {
    hint: hint ?? 'Download the list again, or correct that line. Nothing was written.',
  });
}

export interface ListRow {
  /** Its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether the file ends without a line feed behind this row: then it may be cut short. */
  readonly isOpen: boolean;
}

const DELIMITERS = [';', ',', '\t'];

/**
 * Reads a list, csv with the delimiter of its first line: the headings, and the rows below them, which throw UsageError with the line
 * for one that cannot be read. Throws UsageError where the file is none.
 */
export async function readListFile(path: string) {
  const text = await textOf(path);
  const bare = text
    .split('\n', 1)
    .join()
    .replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((one) => bare.split(one).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  const [first] = csvRows(path, text, delimiter);
  if (first === undefined)
    throw badList(path, 1, 'there are no headings', 'Name the file of a list: csv with a line of headings.');
  function* rows(): Generator<ListRow> {
    const all = csvRows(path, text, delimiter);
    all.next();
    yield* all;
  }
  return { headings: first.cells, rows };
}

/** Larger files are no lists, and would fill the memory. */
const MAX_LIST_BYTES = 1 << 28;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The characters of bytes 0x80 to 0x9F: some versions of Node decode windows-1252 as latin1, which has control characters there. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** The text of the file, without a byte order mark. What is not strict UTF-8 is read as windows-1252. */
async function textOf(path: string): Promise<string> {
  const refuse = (error: unknown): never => {
    throw unreadableFile(path, error);
  };
  const found = await stat(path).catch(refuse);
  if (!found.isFile() && !found.isDirectory())
    throw new UsageError(`cannot read ${path}: it is no file`, { hint: 'Name the file of a list.' });
  if (found.size > MAX_LIST_BYTES)
    throw new UsageError(`${path} has more than 256 MiB`, {
      hint: 'A list has the documents of a few months.',
    });
  let bytes = await readFile(path).catch(refuse);
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
  const text = isUtf8(bytes)
    ? bytes.toString()
    : bytes
        .toString('latin1')
        .replaceAll(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80]!);
  const nul = text.indexOf('\0');
  if (nul < 0) return text;
  throw badList(
    path,
    1 + lineFeedsIn(text, 0, nul),
    'it has bytes of no text',
    'A list is csv: text in lines.',
  );
}

/** Characters of a row. A longer one is of a quote that is never closed, or of no list. */
const MAX_ROW = 1 << 20;

/**
 * All rows, of any number of cells: the tax authority's rows have more cells than its header. A cell within quotes may have delimiters
 * and line feeds; in `"El Roble" Ltda.` the quotes are part of the name. To read csv by a library took longer than all else here.
 */
export function* csvRows(path: string, text: string, delimiter: string): Generator<ListRow> {
  const separator = delimiter.charCodeAt(0);
  let line = 1;

  const endOfCell = (from: number): number => {
    let at = from;
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === separator || character === LINE_FEED) break;
    }
    return at;
  };
  /** Where the quote is that closes the one there; two of them are one of the text. -1 for none. */
  const closingQuote = (opening: number): number => {
    let at = text.indexOf('"', opening + 1);
    while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
    return at;
  };
  const cellAt = (at: number): readonly [cell: string, end: number] => {
    const end = endOfCell(at);
    if (text.charCodeAt(at) === QUOTE) {
      const closing = closingQuote(at);
      const endOfQuoted = endOfCell(closing + 1);
      if (closing >= 0 && (endOfQuoted === closing + 1 || text.startsWith('\r\n', closing + 1)))
        return [text.slice(at + 1, closing).replaceAll('""', '"'), endOfQuoted];
      // It is closed nowhere, or by a quote of another cell.
      if (closing < 0 || closing > end) throw badList(path, line, 'a quote is opened there and not closed');
    }
    return [text.slice(at, text.startsWith('\r\n', end - 1) ? end - 1 : end), end];
  };

  for (let at = 0; at < text.length;) {
    const start = at;
    const cells: string[] = [];
    do {
      const [cell, end] = cellAt(at);
      cells.push(cell);
      at = end + 1;
    } while (text[at - 1] === delimiter);
    if (at - start > MAX_ROW)
      throw badList(path, line, 'it has more than 1 MiB', 'A quote may be opened there and not closed.');
    yield { line, cells, isOpen: at > text.length };
    line += lineFeedsIn(text, start, at);
  }
}

function lineFeedsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
