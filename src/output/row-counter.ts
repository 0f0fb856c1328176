const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/**
 * Counts the rows of csv or tsv that arrives in pieces: a line feed within quotes is text. A doubled quote leaves the quotes and
 * enters them again, so that each quote just turns the state.
 */
export class RowCounter {
  rows = 0;
  #inQuotes = false;
  #inRow = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === LINE_FEED && !this.#inQuotes) {
        this.rows++;
        this.#inRow = false;
        continue;
      }
      this.#inRow = true;
    }
  }

  /** True when the bytes so far end where a row does. */
  get isWhole(): boolean {
    return !this.#inRow;
  }
}
