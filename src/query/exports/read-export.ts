import { open, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { batchOfRows, type Row, type RowField } from '../rows.ts';
import { csvOrTsv, formOf, type CsvForm, type FormFlags } from './csv-form.ts';
import type { DeliveredColumn } from './read-receipt.ts';
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
 * Throws UsageError where the file cannot be read, is of another kind or is not whole, or where it must be said how it was
 * written.
 *
 * @param exact whether text must be told from numbers, which csv does not
 */
export async function* readExport(
  path: string,
  { exact = false, ...flags }: FormFlags & { readonly exact?: boolean } = {},
): AsyncGenerator<RecordBatch> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  try {
    const start = await startOf(file, path);
    refuseOtherFile(path, start);
    const form = await formOf(path, start, flags);
    if (form === undefined) yield* readJson(path);
    else if (exact) throw notExact(path);
    else yield* readCsv(file, path, form);
  } finally {
    await file.close();
  }
}

/**
 * The profiles whose records an export holds, in the order in which they come; undefined where its records do not say whose they
 * are. None where it has no records.
 *
 * @param tolerant whether an export that cannot be read, which whoever reads it tells of, has those of its readable beginning
 * @throws UsageError where it cannot be read, and where only some of its records say whose they are
 */
export async function profilesInExport(
  file: string,
  { tolerant = false, ...flags }: FormFlags & { readonly tolerant?: boolean } = {},
): Promise<readonly string[] | undefined> {
  const reader = new CellReader([PROFILE_COLUMN]);
  const held = new Set<string>();
  let isUnsaid = false;
  try {
    for await (const batch of readExport(file, flags)) {
      for (let index = 0; index < batch.count; index++) {
        const [cell] = reader.read(batch, index);
        if (cell === undefined) isUnsaid = true;
        else held.add(cell.text);
        if (isUnsaid && held.size === 0) return undefined;
      }
    }
  } catch (error) {
    if (!tolerant || !(error instanceof UsageError)) throw error;
  }
  if (!isUnsaid) return [...held];
  throw new UsageError(`${file} does not say of all its records of which profile they are`, {
    hint: 'Export it again with --all-profiles.',
  });
}

/** The records that say that they are of the profile. */
export async function* recordsOfProfile(
  records: AsyncIterable<RecordBatch>,
  profile: string,
): AsyncGenerator<RecordBatch> {
  const reader = new CellReader([PROFILE_COLUMN]);
  for await (const batch of records) {
    const own: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      if (reader.read(batch, index)[0]?.text === profile) own.push(index);
    }
    if (own.length > 0) yield selectRecords(batch, own);
  }
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

async function* readCsv(file: FileHandle, path: string, form: CsvForm): AsyncGenerator<RecordBatch> {
  const reader = new CsvReader(path, form);
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

/**
 * Reads csv in any dialect that folio writes, and tsv, part by part. A row becomes a record with a member for each column. Where
 * it is not known of which kind a column is, digits become numbers: a text of digits, such as an id, becomes a number of the
 * same digits.
 */
export class CsvReader {
  readonly #path: string;
  readonly #form: CsvForm;
  readonly #parser: ReturnType<typeof parse>;
  #header: readonly string[] | undefined;
  #rows: Row[] = [];
  #failure: UsageError | undefined;

  /** @param path for messages */
  constructor(path: string, form: CsvForm) {
    this.#path = path;
    this.#form = form;
    this.#header = form.columns;
    this.#parser = parse({
      bom: true,
      delimiter: form.delimiter,
      record_delimiter: ['\r\n', '\n'],
      ...(form.quoting !== 'csv' && { quote: false }),
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
      const cells = this.#parser.read() as string[] | null;
      if (cells === null) return;
      const texts = cells.map((cell) => this.#textOf(cell));
      if (this.#header === undefined) this.#header = texts;
      else if (this.#header.length === texts.length) this.#rows.push(this.#recordOf(this.#header, texts));
      else
        this.#failure ??= this.#refuse(
          `its rows have ${texts.length} cells, and ${this.#header.length} columns are named`,
        );
    }
  }

  #textOf(cell: string): string {
    const { quoting, isGuarded, delimiter } = this.#form;
    if (quoting === 'tsv') return readTsvText(cell);
    if (quoting === 'either' && /["\\]/.test(cell)) this.#failure ??= csvOrTsv(this.#path);
    return isGuarded ? unguardFormula(cell, delimiter) : cell;
  }

  #recordOf(header: readonly string[], cells: readonly string[]): Row {
    const { kinds } = this.#form;
    return header.map((name, index): RowField => [name, jsonOf(cells[index]!, kinds.get(name))]);
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

/** The JSON text of a cell, whose column is of that kind. An empty cell is null, whatever it was. */
function jsonOf(cell: string, kind: DeliveredColumn['kind'] | undefined): string {
  if (cell === '') return 'null';
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell;
  if (kind === 'nested' && isJson(cell)) return cell;
  return kind !== 'text' && typeof parseDecimal(cell) === 'object' ? cell : JSON.stringify(cell);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
