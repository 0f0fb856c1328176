import { UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { scanRecord } from '../../json/scan-records.ts';
import { ColumnWatch } from '../column-watch.ts';
import { ExportFile } from '../exports/export-file.ts';
import { RecordIndex } from './record-index.ts';
import { KeyReader, type KeyedRecord } from './record-key.ts';

export interface EarlierExportOptions {
  /** The file, jsonl or json. */
  readonly path: string;
  /** The columns that together say which record is which. */
  readonly key: readonly string[];
  /** Which of its records count; all without it. */
  readonly keep?: ((batch: RecordBatch) => RecordBatch) | undefined;
  /** Whether there may be no such file: then there was no record before. */
  readonly missingOk?: boolean;
}

/** What a record was in the earlier export: not there, the same, or another, which is then given. */
type EarlierRecord = 'none' | 'same' | { readonly record: RecordBatch };

/** The records of an earlier export, found by their key. They stay in the file; a changed one is read again. */
export class EarlierExport {
  /** Records that lack a part of the key. */
  withoutKey = 0;
  /** Records whose key an earlier one has. */
  repeatedKeys = 0;
  /** Undefined where there is none. */
  readonly #file: ExportFile | undefined;
  readonly #keys: KeyReader;
  readonly #index = new RecordIndex();

  private constructor(file: ExportFile | undefined, key: readonly string[]) {
    this.#file = file;
    this.#keys = new KeyReader(key);
  }

  /** Reads the file once. Throws UsageError when it is no export, or when no record of it has the key. */
  static async open({ path, key, keep, missingOk }: EarlierExportOptions): Promise<EarlierExport> {
    const file = await ExportFile.open(path).catch((error: unknown) => {
      if (missingOk && isMissing(error)) return undefined;
      throw error;
    });
    const earlier = new EarlierExport(file, key);
    const watch = new ColumnWatch(key);
    try {
      for await (const { batch, offset } of file?.parts() ?? [])
        earlier.#add(keep?.(batch) ?? batch, offset, watch);
      for (const column of watch.neverFound()) {
        throw new UsageError(`cannot compare with ${path}: ${watch.sentence(column)}`, {
          hint: 'Name the columns that tell records apart with --key <columns>.',
        });
      }
    } catch (error) {
      await earlier.close();
      throw error;
    }
    return earlier;
  }

  /** Whether there is no such file. */
  get isMissing(): boolean {
    return this.#file === undefined;
  }

  /** Finds what the record was, once: a second record of the same key is held against the second of the earlier ones. */
  take({ key, hashes }: KeyedRecord): EarlierRecord {
    for (const candidate of this.#index.candidates(hashes)) {
      if (this.#index.isTaken(candidate)) continue;
      if (this.#index.hasContent(candidate, hashes)) {
        this.#index.take(candidate);
        return 'same';
      }
      const record = this.#read(candidate);
      if (this.#keys.read(record, 0).key !== key) continue;
      this.#index.take(candidate);
      return { record };
    }
    return 'none';
  }

  /** The records that were not taken, in their order. */
  *rest(): Generator<RecordBatch> {
    for (let record = 0; record < this.#index.count; record++) {
      if (!this.#index.isTaken(record)) yield this.#read(record);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #add(batch: RecordBatch, offset: number, watch: ColumnWatch): void {
    watch.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const { cells, key, hashes } = this.#keys.read(batch, index);
      watch.see(cells);
      const [start, end] = [batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!];
      const repeated = this.#index.add(hashes, offset + start, end - start);
      if (key === undefined) this.withoutKey++;
      else if (repeated) this.repeatedKeys++;
    }
  }

  #read(record: number): RecordBatch {
    return scanRecord(this.#file!.read(...this.#index.span(record)));
  }
}

function isMissing(error: unknown): boolean {
  const { cause } = error as Error;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
