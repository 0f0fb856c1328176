import { open, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { batchOfRows } from '../rows.ts';
import { CsvReader } from './csv-reader.ts';
import { ExportFile, unreadableFile } from './export-file.ts';

const CHUNK_BYTES = 1 << 18;

/** How a file begins that is nothing to read records from, and what it is. */
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

/** Says of a file that it would compare as if everything in it had changed. */
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
    // A new one each time: the parser keeps what it has not come to the end of.
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    yield batchOfRows(await reader.read(chunk.subarray(0, bytesRead)));
  }
  yield batchOfRows(await reader.end());
}
