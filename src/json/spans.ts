const FIRST_CAPACITY = 1024;

/** Stretches of a text that do not overlap, in order, each noted when it begins and again when it ends. */
export class Spans {
  #table = new Int32Array(FIRST_CAPACITY);
  #used = 0;

  begin(at: number): void {
    if (this.#used === this.#table.length) {
      const larger = new Int32Array(2 * this.#used);
      larger.set(this.#table);
      this.#table = larger;
    }
    this.#table[this.#used] = at;
  }

  end(at: number): void {
    this.#table[this.#used + 1] = at;
    this.#used += 2;
  }

  /** The first position of each and the one behind its last, in turn. */
  get table(): Int32Array {
    return this.#table.subarray(0, this.#used);
  }
}
