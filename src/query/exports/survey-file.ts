import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ExportFile } from './export-file.ts';
import { FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import { LINE_FEED, QUOTE } from '../../json/bytes.ts';

/** What a file holds. */
export interface Survey {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Undefined in a format whose records cannot be counted, and in a file that is damaged. */
  readonly records: number | undefined;
  /** What shows that the file is not whole; undefined where nothing does. */
  readonly damage: string | undefined;
}

interface FileForm {
  readonly format: string | undefined;
  /** csv: whether the first row names the columns. */
  readonly header: boolean;
}

const READ_AT_ONCE = 1024 * 1024;

/**
 * Reads a whole file and counts what it holds. Its memory does not grow with the file.
 *
 * @throws UsageError when there is no such file, FolioError when it cannot be read
 */
export async function surveyFile(path: string, { format, header }: FileForm): Promise<Survey> {
  const isTable = format === 'csv';
  const [hash, counter] = [createHash('sha256'), new RowCounter()];
  let bytes = 0;
  for await (const chunk of chunksOf(path)) {
    hash.update(chunk);
    bytes += chunk.length;
    if (isTable) counter.add(chunk);
  }
  const facts = { bytes, sha256: hash.digest('hex') };
  if (format === 'json' || format === 'jsonl') return { ...facts, ...(await countDocuments(path)) };
  if (!isTable) return { ...facts, records: undefined, damage: undefined };
  if (!counter.isWhole) return { ...facts, records: undefined, damage: 'it ends within a row' };
  return { ...facts, records: Math.max(0, counter.rows - (header ? 1 : 0)), damage: undefined };
}

/** Counts the rows of csv that arrives in pieces. A line feed within quotes is text. */
class RowCounter {
  rows = 0;
  #inQuotes = false;
  #inRow = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === LINE_FEED && !this.#inQuotes) {
        this.rows++;
        this.#inRow = false;
        continue;
      }
      this.#inRow = true;
    }
  }

  /** Whether the bytes so far end at the end of a row. */
  get isWhole(): boolean {
    return !this.#inRow;
  }
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.allocUnsafeSlow(READ_AT_ONCE);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      throw new UsageError(`there is no file ${path}`, {
        hint: 'Name a file that -o wrote, a folder of such files, or a receipt with --receipt.',
        cause: error,
      });
    }
    throw new FolioError(`cannot read ${path}: ${systemReason(error)}`, {
      hint: 'Name a file that you may read.',
      cause: error,
    });
  }
}

async function countDocuments(path: string): Promise<Pick<Survey, 'records' | 'damage'>> {
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
