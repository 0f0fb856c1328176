import type { RecordBatch } from '../../json/record-batch.ts';
import type { Notices } from '../notices.ts';

/** Makes something else of records: totals, changes. */
export interface ResultMaker {
  /** The rows of the result, with everything that comes read to its end. */
  rows(records: AsyncIterable<RecordBatch>): AsyncIterable<RecordBatch>;
  /**
   * The columns to show, once the first row is there, for those that were asked for; undefined for all that the rows
   * have. Throws UsageError for one that the result does not have.
   */
  columns(asked: readonly string[] | undefined): readonly string[] | undefined;
  /** What is to be said of the whole, at its end. */
  announce(notices: Notices): void;
}
