import type { RecordBatch } from '../json/record-batch.ts';
import { hashRecord } from '../json/record-identity.ts';

const FIRST_CAPACITY = 1024;

/**
 * Which records have been seen, for listings of a million: 8 bytes a slot in tables that are at least a third full
 * (16 MB for 1,000,000 records, where a Set of strings takes 100). Holds hashes, not records.
 */
export class IdentitySet {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  /** Open addressing: a slot is free when both halves are 0. */
  #high = new Uint32Array(FIRST_CAPACITY);
  #low = new Uint32Array(FIRST_CAPACITY);
  readonly #hash = new Uint32Array(2);

  /** Different records so far. */
  get size(): number {
    return this.#count;
  }

  /**
   * Notes the record `index`; returns whether it is new. Records without an id are known by their bytes: `occurrence`
   * says which of several equal ones of one reading this is, from 0.
   */
  add(batch: RecordBatch, index: number, occurrence = 0): boolean {
    const [high, low] = this.#identity(batch, index, occurrence);
    const slot = this.#slotOf(high, low);
    if (this.#isTaken(slot)) return false;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#count++;
    if (this.#count * 3 > (this.#mask + 1) * 2) this.#grow();
    return true;
  }

  has(batch: RecordBatch, index: number, occurrence = 0): boolean {
    const [high, low] = this.#identity(batch, index, occurrence);
    return this.#isTaken(this.#slotOf(high, low));
  }

  #identity(batch: RecordBatch, index: number, occurrence: number): readonly [high: number, low: number] {
    hashRecord(batch, index, occurrence, this.#hash);
    const low = this.#hash[1]!;
    return [this.#hash[0]! || Number(low === 0), low];
  }

  #isTaken(slot: number): boolean {
    return this.#high[slot] !== 0 || this.#low[slot] !== 0;
  }

  /** The slot that holds this identity, or else the free one where it belongs. */
  #slotOf(high: number, low: number): number {
    let slot = high & this.#mask;
    while (this.#isTaken(slot) && (this.#high[slot] !== high || this.#low[slot] !== low))
      slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const [highs, lows] = [this.#high, this.#low];
    const capacity = 2 * highs.length;
    this.#mask = capacity - 1;
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    for (let index = 0; index < highs.length; index++) {
      const [high, low] = [highs[index]!, lows[index]!];
      if (high === 0 && low === 0) continue;
      const slot = this.#slotOf(high, low);
      this.#high[slot] = high;
      this.#low[slot] = low;
    }
  }
}
