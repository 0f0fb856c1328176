import { hashRecord, selectRecords, type RecordBatch } from '../json/records.ts';

const FIRST_CAPACITY = 1024;

/**
 * Which records have been seen, for listings of a million: 8 bytes a slot in a table that is at least a third full
 * (16 MB for 1,000,000 records, where a Set of strings takes 100). Holds hashes, not records.
 */
export class IdentitySet {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  /** Open addressing, two words a slot; a slot is free when both are 0. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
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
    hashRecord(batch, index, occurrence, this.#hash);
    const place = this.#find(this.#hash[0]!, this.#hash[1]!);
    if (this.#isTaken(place)) return false;
    this.#slots[place] = this.#hash[0]!;
    this.#slots[place + 1] = this.#hash[1]!;
    this.#count++;
    if (this.#count * 3 > (this.#mask + 1) * 2) this.#grow();
    return true;
  }

  has(batch: RecordBatch, index: number, occurrence = 0): boolean {
    hashRecord(batch, index, occurrence, this.#hash);
    return this.#isTaken(this.#find(this.#hash[0]!, this.#hash[1]!));
  }

  #isTaken(place: number): boolean {
    return this.#slots[place] !== 0 || this.#slots[place + 1] !== 0;
  }

  /** Where in the table this hash is, or else the free slot where it belongs. */
  #find(high: number, low: number): number {
    const slots = this.#slots;
    let place = 2 * (high & this.#mask);
    while (this.#isTaken(place) && (slots[place] !== high || slots[place + 1] !== low)) {
      place = (place + 2) & (2 * this.#mask + 1);
    }
    return place;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += 2) {
      const high = old[from]!;
      const low = old[from + 1]!;
      if (high === 0 && low === 0) continue;
      const place = this.#find(high, low);
      this.#slots[place] = high;
      this.#slots[place + 1] = low;
    }
  }
}

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
