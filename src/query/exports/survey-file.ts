import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import { LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { ExportFile } from './export-file.ts';

export interface Survey {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Undefined in a format whose records cannot be counted, and in a file that is damaged. */
  readonly records: number | undefined;
  /** What shows that the file is not whole; undefined where nothing does. */
  readonly damage: string | undefined;
}

const READ_AT_ONCE = 1024 * 1024;

/**
 * Reads a whole file and counts its records, in memory that does not grow. `header`: whether the first row of csv names the columns.
 * Throws UsageError when there is no such file, FolioError when it cannot be read.
 */
export async function surveyFile(
  path: string,
  { format, header }: { readonly format: string | undefined; readonly header: boolean },
): Promise<Survey> {
  const hash = createHash('sha256');
  const rows = format === 'csv' ? new RowCounter() : undefined;
  let bytes = 0;
  try {
    const chunks = createReadStream(path, { highWaterMark: READ_AT_ONCE });
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      rows?.add(chunk);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  const facts = { bytes, sha256: hash.digest('hex'), damage: undefined };
  if (format === 'json' || format === 'jsonl') return { ...facts, ...(await countRecords(path)) };
  if (rows === undefined) return { ...facts, records: undefined };
  if (rows.isWithin) return { ...facts, records: undefined, damage: 'it ends within a row' };
  return { ...facts, records: Math.max(0, rows.count - (header ? 1 : 0)) };
}

function unreadable(path: string, cause: unknown): FolioError {
  if (errorCode(cause) === 'ENOENT') {
    return new UsageError(`there is no file ${path}`, {
      hint: 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.',
      cause,
    });
  }
  return new FolioError(`cannot read ${path}: ${systemReason(cause)}`, {
    hint: 'Name a file that you may read.',
    cause,
  });
}

/** Counts the rows of csv that arrives in pieces. A line feed within quotes is text. */
class RowCounter {
  count = 0;
  /** Whether the bytes so far end within a row. */
  isWithin = false;
  #inQuotes = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      this.isWithin = byte !== LINE_FEED || this.#inQuotes;
      if (!this.isWithin) this.count++;
    }
  }
}

async function countRecords(path: string): Promise<Pick<Survey, 'records' | 'damage'>> {
  const file = await ExportFile.open(path);
  let records = 0;
  try {
    for await (const { batch } of file.parts()) records += batch.count;
    return { records, damage: undefined };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { records: undefined, damage: error.message.replace(`${path} is not a whole export: `, '') };
  } finally {
    await file.close();
  }
}
