import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse, type InfoRecord } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { LINE_FEED } from '../../json/ascii.ts';
import { Breaks } from '../../json/cooperative-task.ts';
import { unreadableFile } from '../exports/export-file.ts';
import { badList } from './list-layout.ts';

export interface ListRow {
  /** Its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Where it ends in the bytes that were read. */
  readonly end: number;
  /** Whether the file ends without a line feed behind this row: then it may be cut short. */
  readonly isOpen: boolean;
}

const DELIMITERS = [';', ',', '\t'];

/**
 * Reads a list, csv with the delimiter of its first line: the headings and the rows. Reading a row throws UsageError with the
 * line if the row cannot be read. Throws UsageError if the file is not a list.
 */
export async function readListFile(path: string, signal: AbortSignal) {
  const bytes = await utf8Of(path);
  const outsideQuotes = bytes.toString('latin1', 0, MAX_ROW).replaceAll(/"[^"]*"/g, '');
  const [firstLine = ''] = outsideQuotes.split('\n', 1);
  const counts = DELIMITERS.map((one) => firstLine.split(one).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  const csv = { path, delimiter, signal };
  for await (const { cells, end } of csvRows({ ...csv, bytes, firstLine: 1 })) {
    if (cells.every((cell) => cell.trim() === '')) break;
    // The library is much faster with rows of one width, and those of registers have a cell more than the headings.
    const below = { bytes: bytes.subarray(end), firstLine: 1 + lineFeedsIn(bytes.subarray(0, end)) };
    return { headings: cells, rows: () => csvRows({ ...csv, ...below }) };
  }
  throw badList(path, 1, 'there are no headings', 'Name the file of a list: csv with a line of headings.');
}

/** Larger files are not lists, and would fill the memory. */
const MAX_LIST_BYTES = 1 << 28;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The characters of bytes 0x80 to 0x9F: some versions of Node decode windows-1252 as latin1, with controls there. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** The text of the file in UTF-8, without a byte order mark. What is not strict UTF-8 is read as windows-1252. */
async function utf8Of(path: string): Promise<Buffer> {
  const refuse = (error: unknown): never => {
    throw unreadableFile(path, error);
  };
  const found = await stat(path).catch(refuse);
  if (!found.isFile() && !found.isDirectory())
    throw new UsageError(`cannot read ${path}: it is not a file`, { hint: 'Name the file of a list.' });
  if (found.size > MAX_LIST_BYTES)
    throw new UsageError(`${path} has more than 256 MiB`, {
      hint: 'A list has the documents of a few months.',
    });
  let bytes = await readFile(path).catch(refuse);
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = 1 + lineFeedsIn(bytes.subarray(0, nul));
    throw badList(path, line, 'it has bytes of no text', 'A list is csv: text in lines.');
  }
  if (isUtf8(bytes)) return bytes;
  const text = bytes.toString('latin1');
  return Buffer.from(text.replaceAll(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80]!));
}

/** The most characters of a row. A longer row has an unclosed quote, or the file is not a list. */
const MAX_ROW = 1 << 20;

interface Csv {
  readonly path: string;
  readonly bytes: Buffer;
  readonly firstLine: number;
  readonly delimiter: string;
  readonly signal: AbortSignal;
}

/** All rows, of any number of cells: the tax authority's rows have more cells than its header. */
async function* csvRows({ path, bytes, firstLine, delimiter, signal }: Csv): AsyncGenerator<ListRow> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    // In `"El Roble" Ltda.` the quotes are part of the name.
    relax_quotes: true,
    max_record_size: MAX_ROW,
    info: true,
  });
  const openQuote = (at: number): UsageError => badList(path, at, 'a quote is opened there and not closed');
  const breaks = new Breaks(signal);
  let [line, start] = [firstLine, 0];
  try {
    for await (const each of Readable.from(chunksOf(bytes)).pipe(parser)) {
      if (breaks.isDue) await breaks.take();
      const { record: cells, info } = each as { readonly record: string[]; readonly info: InfoRecord };
      const raw = bytes.subarray(start, info.bytes);
      if (cells.some((cell) => runsOn(cell, raw, delimiter))) throw openQuote(line);
      yield { line, cells, end: info.bytes, isOpen: raw.at(-1) !== LINE_FEED };
      line += lineFeedsIn(raw);
      start = info.bytes;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The error comes before rows that are parsed and wait to be read, so its own position counts.
    const at = firstLine + lineFeedsIn(bytes.subarray(0, Number(error['bytes'])));
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') throw openQuote(at);
    if (error.code !== 'CSV_MAX_RECORD_SIZE') throw error;
    throw badList(path, at, 'it has more than 1 MiB', 'A quote may be opened there and not closed.');
  }
}

/** Whether a cell begins with a literal quote and was read past a delimiter or line feed up to the quote of another cell. */
function runsOn(cell: string, raw: Buffer, delimiter: string): boolean {
  if (!cell.startsWith('"') || !(cell.includes(delimiter) || cell.includes('\n'))) return false;
  return !raw.includes(`"${cell.replaceAll('"', '""')}"`);
}

/** Bytes that the library reads at a time. */
const CHUNK_BYTES = 1 << 16;

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
