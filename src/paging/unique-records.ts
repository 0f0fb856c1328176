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
  #onlyPass = false;

  /** Reads again: of everything, equal records without an id are counted over all pages, else within each. */
  beginAgain(everything: boolean): void {
    this.countByPage();
    if (everything) this.#pass = new IdentitySet();
  }

  /** From here on equal records without an id are counted within each page: this pass may have some of them twice. */
  countByPage(): void {
    this.#onlyPass = false;
    this.#pass = undefined;
  }

  /** Nothing is read twice: equal records without an id are all different, also from those that were restored. */
  beginOnlyPass(): void {
    this.#onlyPass = true;
  }

  /** Notes what an earlier walk gave, batch by batch in its order, so that this walk goes on after it. */
  restore(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++) {
      if (batch.ids[2 * index]! < 0) this.#addNext(batch, index);
      else this.#given.add(batch, index);
    }
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
        if (this.#onlyPass) {
          this.#addNext(batch, index);
          fresh.push(index);
          continue;
        }
        inPage ??= new IdentitySet();
        while (!inPage.add(batch, index, occurrence)) occurrence++;
      }
      if (this.#given.add(batch, index, occurrence)) fresh.push(index);
    }
    return fresh.length === batch.count ? batch : selectRecords(batch, fresh);
  }

  /** One more of the records that are equal to this one, which has no id. */
  #addNext(batch: RecordBatch, index: number): void {
    for (let occurrence = 0; !this.#given.add(batch, index, occurrence);) occurrence++;
  }
}
