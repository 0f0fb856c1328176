import { open, type FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import type { RecordBatch } from '../../json/records.ts';
import { CsvReader } from './csv-reader.ts';
import { ExportFile, unreadableFile } from './export-file.ts';
import { batchOfRows } from '../rows.ts';

const CHUNK_BYTES = 1 << 18;

/**
 * The records of an export, in their order, from a file that may be larger than memory: jsonl or json, else csv.
 * Throws UsageError where the file cannot be read or is not whole.
 */
export async function* readExport(path: string): AsyncGenerator<RecordBatch> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  try {
    const start = await startOf(file, path);
    if (start === '' || start === '[' || start === '{') yield* readJson(path);
    else yield* readCsv(file, path);
  } finally {
    await file.close();
  }
}

/** The first character that is not blank. */
async function startOf(file: FileHandle, path: string): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  return buffer
    .toString('utf8', 0, bytesRead)
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, 1);
}

async function* readJson(path: string): AsyncGenerator<RecordBatch> {
  const file = await ExportFile.open(path);
  try {
    for await (const { batch } of file.parts()) yield batch;
  } finally {
    await file.close();
  }
}

async function* readCsv(file: FileHandle, path: string): AsyncGenerator<RecordBatch> {
  const reader = new CsvReader(path);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    yield batchOfRows(reader.read(decoder.decode(chunk.subarray(0, bytesRead), { stream: true })));
  }
  yield batchOfRows(reader.end());
}
