import { open, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { PROFILE_COLUMN } from '../known-columns.ts';
import { batchOfRows, type Row, type RowField } from '../rows.ts';
import { ExportFile, unreadableFile } from './export-file.ts';
import { parse, type CsvError } from 'csv-parse';
import { unguardFormula } from '../../output/csv/formula-guard.ts';
import { readTsvText } from '../../output/csv/tsv.ts';
import { parseDecimal } from '../../json/decimal.ts';

const CHUNK_BYTES = 1 << 18;

/** How files of other kinds begin, and what they are. */
const OTHER_FILES: readonly (readonly [start: string, what: string])[] = [
  ['PK\u0003\u0004', 'a workbook or another zip archive'],
  ['PAR1', 'a parquet file'],
  ['\u001F\u008B', 'compressed with gzip'],
  ['%PDF', 'a PDF'],
  ['SQLite format 3\0', 'a SQLite database'],
];

/**
 * The records of an export, in their order, from a file that may be larger than memory: jsonl or json, else csv.
 * Throws UsageError where the file cannot be read, is of another kind or is not whole.
 *
 * @param exact whether text must be told from numbers, which csv does not
 */
export async function* readExport(
  path: string,
  { exact = false }: { readonly exact?: boolean } = {},
): AsyncGenerator<RecordBatch> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  try {
    const start = await startOf(file, path);
    refuseOtherFile(path, start);
    const [first = ''] = start
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart();
    if (first === '' || first === '[' || first === '{') yield* readJson(path);
    else if (exact) throw notExact(path);
    else yield* readCsv(file, path, start);
  } finally {
    await file.close();
  }
}

/** Whether the first record of an export has the name of a profile; undefined where there is none, or nothing can be read. */
export async function saysProfile(file: string): Promise<boolean | undefined> {
  const reader = new CellReader([PROFILE_COLUMN]);
  try {
    for await (const batch of readExport(file)) {
      if (batch.count > 0) return reader.read(batch, 0)[0] !== undefined;
    }
  } catch (error) {
    // Whoever reads all of it says why it cannot be read.
    if (!(error instanceof UsageError)) throw error;
  }
  return undefined;
}

async function startOf(file: FileHandle, path: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, 0)
    .catch((error: unknown) => {
      throw unreadableFile(path, error);
    });
  return buffer.subarray(0, bytesRead);
}

function refuseOtherFile(path: string, start: Buffer): void {
  const text = start.toString('latin1', 0, 16);
  const other = OTHER_FILES.find(([begin]) => text.startsWith(begin));
  if (other === undefined) return;
  throw new UsageError(`${path} is ${other[1]}, and records are read from jsonl, json and csv`, {
    hint: 'Export with -o <file>.jsonl, which keeps every record as it was sent.',
  });
}

/** The error for a csv file where an exact comparison is needed: everything in it would look changed. */
function notExact(path: string): UsageError {
  return new UsageError(`${path} is neither jsonl nor json: in csv, text and numbers look the same`, {
    hint: 'Export with --format jsonl to have a file to compare with.',
  });
}

async function* readJson(path: string): AsyncGenerator<RecordBatch> {
  const file = await ExportFile.open(path);
  try {
    for await (const { batch } of file.parts()) yield batch;
  } finally {
    await file.close();
  }
}

async function* readCsv(file: FileHandle, path: string, start: Buffer): AsyncGenerator<RecordBatch> {
  const reader = new CsvReader(path, start);
  for (let position = 0; ;) {
    // A new buffer each time: the parser keeps the ends of rows that are not whole.
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    yield batchOfRows(await reader.read(chunk.subarray(0, bytesRead)));
  }
  yield batchOfRows(await reader.end());
}

const DELIMITERS = [',', ';', '\t', '|'];
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Reads csv as folio writes it, in any dialect, and tsv, part by part. A row becomes a record with a member for each column.
 * Digits become numbers: a text of digits, such as an id, becomes a number of the same digits.
 */
export class CsvReader {
  readonly #path: string;
  readonly #delimiter: string;
  /** True for a file of --excel, which has a byte order mark: an apostrophe stands before text that would run as a formula. */
  readonly #isGuarded: boolean;
  readonly #isTsv: boolean;
  readonly #parser: ReturnType<typeof parse>;
  #header: readonly string[] | undefined;
  #rows: Row[] = [];
  #failure: UsageError | undefined;

  /**
   * @param path for messages; its ending shows tsv
   * @param start the first bytes of the file, which show the dialect: its first line, if that is not too long
   */
  constructor(path: string, start: Buffer) {
    this.#path = path;
    this.#isGuarded = start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.#isTsv = /\.(?:tsv|tab)$/i.test(path);
    this.#delimiter = this.#isTsv ? '\t' : delimiterOf(start.toString('utf8'));
    this.#parser = parse({
      bom: true,
      delimiter: this.#delimiter,
      record_delimiter: ['\r\n', '\n'],
      ...(this.#isTsv && { quote: false }),
    });
    this.#parser.on('readable', () => this.#take());
    this.#parser.on('error', (error) => (this.#failure ??= this.#refuse(reasonOf(error))));
  }

  /** The rows that end in this part of the file. Throws UsageError where a row does not fit the header. */
  async read(part: Uint8Array): Promise<Row[]> {
    await new Promise((resolve) => this.#parser.write(part, resolve));
    return this.#taken();
  }

  /** The last row, where no line feed ends it. Throws UsageError where the file ends within a quoted cell. */
  async end(): Promise<Row[]> {
    await new Promise<void>((resolve) => {
      this.#parser.once('end', resolve).once('error', () => resolve());
      this.#parser.end();
    });
    return this.#taken();
  }

  #taken(): Row[] {
    this.#take();
    if (this.#failure !== undefined) throw this.#failure;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #take(): void {
    for (;;) {
      const read = this.#parser.read() as string[] | null;
      if (read === null) return;
      const cells = this.#isTsv ? read.map(readTsvText) : read;
      if (this.#header === undefined) this.#header = cells;
      else this.#rows.push(this.#recordOf(this.#header, cells));
    }
  }

  #recordOf(header: readonly string[], cells: readonly string[]): Row {
    return header.map((name, index): RowField => [
      name,
      jsonOf(this.#isGuarded ? unguardFormula(cells[index]!, this.#delimiter) : cells[index]!),
    ]);
  }

  #refuse(what: string): UsageError {
    return new UsageError(`${this.#path} is not a whole export: ${what}`, {
      hint: 'It may have been cut short or edited: `folio verify` tells whether it is what was delivered.',
    });
  }
}

function reasonOf(error: Error): string {
  const { code, records = 0, record, message } = error as CsvError & Record<string, unknown>;
  const row = Number(records) + 1;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'it ends within a row';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `row ${row} has a quote within a cell`;
    default:
      return code.startsWith('CSV_RECORD_INCONSISTENT')
        ? `row ${row} has ${(record as unknown[]).length} cells, its header ${/expect (\d+)/.exec(message)?.[1]}`
        : message;
  }
}

function jsonOf(cell: string): string {
  if (cell === '') return 'null';
  return typeof parseDecimal(cell) === 'object' ? cell : JSON.stringify(cell);
}

/** The delimiter that the header has most often, outside of quotes. */
function delimiterOf(start: string): string {
  const header = start.split('\n', 1)[0]!.replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
