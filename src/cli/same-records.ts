import type { RecordBatch } from '../json/record-batch.ts';
import { hashRecord } from '../json/record-identity.ts';

/**
 * Whether pages that are read again hold the records of a page read before, in the same order: by id, else by their
 * bytes. What is said of a record may have changed, such as its signed links, which do every time.
 */
export class SameRecords {
  readonly #before: RecordBatch;
  #met = 0;

  constructor(before: RecordBatch) {
    this.#before = before;
  }

  /** True when every record of the page before has come again. */
  get isComplete(): boolean {
    return this.#met >= this.#before.count;
  }

  /** False when the next records are others than those of the page before; more records behind them are no matter. */
  goesOn(again: RecordBatch): boolean {
    const [one, other] = [new Uint32Array(2), new Uint32Array(2)];
    for (let index = 0; index < again.count && !this.isComplete; index++) {
      hashRecord(this.#before, this.#met++, 0, one);
      hashRecord(again, index, 0, other);
      if (one[0] !== other[0] || one[1] !== other[1]) return false;
    }
    return true;
  }
}
