/** A listing into which records are inserted, and from which they are deleted, while it is read. */
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

  /** Several changes at once, among them such that leave the total as it was: one record gone, another come. */
  changeOften(): void {
    for (let times = this.#random(4); times > 0; times--) this.change();
    if (this.#changes === 0 || this.#random(3) > 0 || this.records.length === 0) return;
    for (let pairs = this.#random(4); pairs > 0 && this.records.length > 0; pairs--) {
      this.#delete(this.#random(this.records.length));
      this.#insert(this.#random(this.records.length + 1));
    }
  }

  /** More records than a page holds are gone at once, and perhaps as many come at the end; or nothing happens. */
  changeMany(): void {
    if (this.#changes === 0 || this.#random(3) > 0) return;
    this.#changes--;
    const at = this.#random(2) * this.#random(this.records.length + 1);
    const isReplaced = this.#random(2) === 0;
    for (let left = this.#random(40); left > 0 && at < this.records.length; left--) {
      this.#delete(at);
      if (isReplaced) this.#insert(this.records.length);
    }
  }

  /** Inserts or deletes a record, or does nothing. */
  change(): void {
    if (this.#changes === 0 || this.#random(3) > 0) return;
    this.#changes--;
    const at = this.#random(this.records.length + 1);
    if (this.#random(2) === 0) this.#insert(at);
    else this.#delete(at);
  }

  #insert(at: number): void {
    this.records.splice(at, 0, this.#record(this.#nextId++));
  }

  #delete(at: number): void {
    for (const gone of this.records.splice(at, 1)) this.throughout.delete(gone);
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
