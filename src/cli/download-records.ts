import type { DownloadResult } from '../downloads/download-files.ts';
import { IncompleteError } from '../errors.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { scanLines } from '../json/scan-page.ts';

/** What a record of a download says. */
export const downloadColumns = ['invoice', 'file', 'bytes', 'status'] as const;

/** Files named in a message, at most. */
const MOST_NAMED = 20;

/** Turns what became of files into records, and keeps count of those that could not be had. */
export class DownloadRecords {
  readonly #failed: string[] = [];
  #files = 0;

  /** One record, as a batch of its own so that it leaves at once; undefined for a file that was not asked for. */
  recordOf(result: DownloadResult): RecordBatch | undefined {
    const { file, status, stored, failure } = result;
    if (status === 'unwanted') return undefined;
    this.#files++;
    if (failure !== undefined) this.#failed.push(`${file.stem}-${file.index} (${failure.message})`);
    // The invoice's number is written as the service wrote it.
    const rest = JSON.stringify({ file: stored?.name ?? null, bytes: stored?.bytes ?? null, status });
    return scanLines(Buffer.from(`{"invoice":${file.shown},${rest.slice(1)}\n`));
  }

  /** Throws IncompleteError, with the list, where some could not be had. */
  checkAll(): void {
    const failed = this.#failed;
    if (failed.length === 0) return;
    const named = failed.slice(0, MOST_NAMED).join('; ');
    const more = failed.length > MOST_NAMED ? `; and ${failed.length - MOST_NAMED} more` : '';
    throw new IncompleteError(`${failed.length} of ${this.#files} files could not be had: ${named}${more}`, {
      hint: 'run the same command again: what is there is not fetched again',
    });
  }
}
