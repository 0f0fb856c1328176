import { UsageError } from '../errors.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { ChangeRows } from './change-rows.ts';
import { ColumnWatch } from './column-watch.ts';
import { EarlierExport, type EarlierExportOptions } from './earlier-export.ts';
import { KeyReader } from './key-reader.ts';
import { batchOfRows, type Row } from './rows.ts';

export interface ChangesOptions extends EarlierExportOptions {
  /** Columns to show in each row beside the key. */
  readonly shown: readonly string[];
}

/** How many records there are of each kind, and what makes the comparison less than certain. */
export interface ChangesSummary {
  added: number;
  changed: number;
  gone: number;
  unchanged: number;
  /** Records, of both, that lack a part of the key: a change in one shows as one gone and one added. */
  withoutKey: number;
  /** Records of the earlier export whose key another one before it has: these are paired in order. */
  repeatedKeys: number;
}

const ROWS_TOGETHER = 1000;

/** Compares a listing, as it comes, with an earlier export of it. */
export class Changes {
  readonly summary: ChangesSummary;
  readonly #earlier: EarlierExport;
  readonly #keys: KeyReader;
  readonly #rows: ChangeRows;
  readonly #watch: ColumnWatch;

  private constructor({ key, shown }: ChangesOptions, earlier: EarlierExport) {
    const { withoutKey, repeatedKeys } = earlier;
    this.summary = { added: 0, changed: 0, gone: 0, unchanged: 0, withoutKey, repeatedKeys };
    this.#earlier = earlier;
    this.#keys = new KeyReader(key);
    this.#rows = new ChangeRows(key, shown);
    this.#watch = new ColumnWatch(key);
  }

  /** Reads the earlier export, before anything is asked of the service. Throws UsageError as `EarlierExport.open` does. */
  static async open(options: ChangesOptions): Promise<Changes> {
    return new Changes(options, await EarlierExport.open(options));
  }

  /** The columns that make sense without the records themselves: for a terminal. */
  get columns(): readonly string[] {
    return this.#rows.columns;
  }

  /** What became of the records of a batch: rows in their order, none for those that are as they were. */
  compare(batch: RecordBatch): RecordBatch {
    this.#watch.sample(batch);
    const rows: Row[] = [];
    for (let index = 0; index < batch.count; index++) rows.push(...this.#compareRecord(batch, index));
    return batchOfRows(rows);
  }

  /**
   * At the end of the whole listing: the records that are no more, in their old order. Throws UsageError when records
   * came but none had the key, which would make all of them look new and all earlier ones gone.
   */
  *gone(): Generator<RecordBatch> {
    for (const column of this.#watch.neverFound()) {
      throw new UsageError(`cannot compare: in the listing, ${this.#watch.sentence(column)}`, {
        hint: 'Name the columns that tell records apart: --key <columns>',
      });
    }
    let rows: Row[] = [];
    for (const record of this.#earlier.rest()) {
      this.summary.gone++;
      rows.push(this.#rows.whole('gone', record, 0));
      if (rows.length < ROWS_TOGETHER) continue;
      yield batchOfRows(rows);
      rows = [];
    }
    yield batchOfRows(rows);
  }

  async close(): Promise<void> {
    await this.#earlier.close();
  }

  #compareRecord(batch: RecordBatch, index: number): Row[] {
    const record = this.#keys.read(batch, index);
    this.#watch.see(record.cells);
    if (record.key === undefined) this.summary.withoutKey++;
    const earlier = this.#earlier.take(record);
    if (earlier === 'none') {
      this.summary.added++;
      return [this.#rows.whole('added', batch, index)];
    }
    const rows = earlier === 'same' ? [] : this.#rows.changed(earlier.record, batch, index);
    if (rows.length === 0) this.summary.unchanged++;
    else this.summary.changed++;
    return rows;
  }
}
