import { selectRecords, type RecordBatch } from '../json/record-batch.ts';
import { IdentitySet } from './identity-set.ts';

/**
 * Lets each record through once. A record is known by its `id`; without one by its bytes.
 *
 * Equal records without an id are different records where they stand in one page, or, in a pass over a listing that
 * kept still, anywhere in that pass: the k-th of them is the k-th in every reading.
 */
export class UniqueRecords {
  readonly #given = new IdentitySet();
  #pass: IdentitySet | undefined;

  /** From here on equal records without an id are counted over all pages, not within each. */
  beginStillPass(): void {
    this.#pass = new IdentitySet();
  }

  /** How many were let through. */
  get size(): number {
    return this.#given.size;
  }

  /** The records of one page that were not given before. */
  fresh(batch: RecordBatch): RecordBatch {
    const fresh: number[] = [];
    let inPage = this.#pass;
    for (let index = 0; index < batch.count; index++) {
      let occurrence = 0;
      if (batch.ids[2 * index]! < 0) {
        inPage ??= new IdentitySet();
        while (!inPage.add(batch, index, occurrence)) occurrence++;
      }
      if (this.#given.add(batch, index, occurrence)) fresh.push(index);
    }
    return fresh.length === batch.count ? batch : selectRecords(batch, fresh);
  }
}
