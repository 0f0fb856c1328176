import type { RecordBatch } from '../../json/record-batch.ts';

/** Rows as bytes, each ended, all with the same number of columns. */
export interface Rows {
  readonly bytes: Buffer;
  readonly columns: number;
}

/** Turns records into the rows of one dialect of csv. */
export interface RowEncoder {
  /** The columns that were asked for, else those that have appeared so far. */
  readonly columns: readonly string[];
  /** The line that names the columns, ended. */
  header(): Buffer;
  /** The rows of the records, with the columns known by then: a new one is always the last. The bytes are the taker's. */
  encode(batch: RecordBatch): Iterable<Rows>;
}
