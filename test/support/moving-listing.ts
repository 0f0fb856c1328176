/** A listing into which records are inserted, and from which they are deleted, one between two readings at most. */
export class MovingListing {
  readonly records: string[];
  /** The records that have been there all the time. */
  readonly throughout: Set<string>;
  readonly #random: (below: number) => number;
  readonly #record: (id: number) => string;
  #nextId: number;
  #changes: number;

  constructor(random: (below: number) => number, record: (id: number) => string) {
    this.#random = random;
    this.#record = record;
    this.#nextId = random(80);
    this.records = Array.from({ length: this.#nextId }, (_, id) => record(id));
    this.throughout = new Set(this.records);
    this.#changes = random(6);
  }

  /** Inserts or deletes a record, or does nothing. */
  change(): void {
    if (this.#changes === 0 || this.#random(3) > 0) return;
    this.#changes--;
    const at = this.#random(this.records.length + 1);
    if (this.#random(2) === 0) this.records.splice(at, 0, this.#record(this.#nextId++));
    else for (const gone of this.records.splice(at, 1)) this.throughout.delete(gone);
  }

  /** What is wrong with what was given of it, by a walk that says that it is everything or does not. */
  faultOf(given: readonly string[], complete: boolean): string | undefined {
    const unique = new Set(given);
    if (unique.size < given.length) return 'a record came twice';
    if (!complete) return undefined;
    const missing = [...this.throughout].filter((record) => !unique.has(record));
    return missing.length === 0 ? undefined : `not given: ${missing.join(' ')}`;
  }
}
