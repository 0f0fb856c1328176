import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse, type InfoRecord } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { LINE_FEED } from '../../json/ascii.ts';
import { unreadableFile } from '../exports/export-file.ts';
import { badList } from './list-layout.ts';

/** Larger files are no lists, and would fill the memory. */
const MAX_LIST_BYTES = 1 << 28;
const MAX_ROW_BYTES = 1 << 20;
/** Bytes that the parser gets at a time. */
const CHUNK_BYTES = 1 << 16;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The characters of bytes 0x80 to 0x9F: some versions of Node decode windows-1252 as latin1, which has control characters there. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const DELIMITERS = [';', ',', '\t'];

/** A row of a list: its cells without quotes. */
export interface ListRow {
  /** Its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether the file ends without a line feed behind this row: then it may be cut short. */
  readonly isOpen: boolean;
}

interface ListFile {
  readonly headings: readonly string[];
  /** The rows below the headings. Throws UsageError, with the line, for one that cannot be read. */
  readonly rows: () => AsyncGenerator<ListRow>;
}

/** Reads a list, csv with the delimiter of its first line. Throws UsageError where the file is none. */
export async function readListFile(path: string): Promise<ListFile> {
  const bytes = await utf8Of(path);
  const end = bytes.indexOf(LINE_FEED);
  const first = end < 0 ? bytes : bytes.subarray(0, end + 1);
  const bare = first.toString().replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((one) => bare.split(one).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  for await (const { cells } of csvRows(path, first, { delimiter, line: 1 })) {
    // Rows may have a cell more than the headings. The parser is faster with rows of one width, so the headings are read apart.
    return {
      headings: cells,
      rows: () => csvRows(path, bytes.subarray(first.length), { delimiter, line: 2 }),
    };
  }
  throw badList(path, 1, 'there are no headings', 'Name the file of a list: csv with a line of headings.');
}

/** The text of the file in UTF-8, without a byte order mark. What is not strict UTF-8 is read as windows-1252. */
async function utf8Of(path: string): Promise<Buffer> {
  const refuse = (message: string, hint: string): never => {
    throw new UsageError(message, { hint });
  };
  let bytes: Buffer;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    if (!found.isFile()) refuse(`cannot read ${path}: it is no file`, 'Name the file of a list.');
    if (found.size > MAX_LIST_BYTES)
      refuse(`${path} has more than 256 MiB`, 'A list has the documents of a few months.');
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadableFile(path, error);
  }
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = countLineFeeds(bytes.subarray(0, nul)) + 1;
    throw badList(path, line, 'it has bytes of no text', 'A list is csv: text in lines.');
  }
  if (isUtf8(bytes)) return bytes;
  const text = bytes.toString('latin1');
  return Buffer.from(text.replaceAll(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80]!));
}

/** All rows, of any number of cells: the tax authority's rows have more cells than its header. */
async function* csvRows(
  path: string,
  bytes: Buffer,
  { delimiter, line: firstLine }: { readonly delimiter: string; readonly line: number },
): AsyncGenerator<ListRow> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    // In `"El Roble" Ltda.` the quotes are part of the name.
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
    info: true,
  });
  const openQuote = (at: number): UsageError => badList(path, at, 'a quote is opened there and not closed');
  let [line, start] = [firstLine, 0];
  try {
    for await (const each of Readable.from(chunksOf(bytes)).compose(parser)) {
      const { record: cells, info } = each as { readonly record: string[]; readonly info: InfoRecord };
      const raw = bytes.subarray(start, info.bytes);
      if (cells.some((cell) => runsOn(cell, raw, delimiter))) throw openQuote(line);
      yield { line, cells, isOpen: raw.at(-1) !== LINE_FEED };
      line += countLineFeeds(raw);
      start = info.bytes;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The error comes before rows that are parsed and wait to be read, so its own position counts.
    const at = countLineFeeds(bytes.subarray(0, Number(error['bytes']))) + firstLine;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') throw openQuote(at);
    if (error.code !== 'CSV_MAX_RECORD_SIZE') throw error;
    throw badList(path, at, 'it has more than 1 MiB', 'A quote may be opened there and not closed.');
  }
}

/** Whether a cell begins with a quote of its text and goes on behind a delimiter or line feed, up to the quote of another cell. */
function runsOn(cell: string, raw: Buffer, delimiter: string): boolean {
  if (!cell.startsWith('"') || !(cell.includes(delimiter) || cell.includes('\n'))) return false;
  return !raw.includes(`"${cell.replaceAll('"', '""')}"`);
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
