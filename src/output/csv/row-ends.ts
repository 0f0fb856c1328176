import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { endOfPlainText, viewWords } from '../../json/word-search.ts';

/**
 * Whole rows of csv or tsv, each with `tail` put before its end: the delimiters of columns that were not known when the
 * rows were written. Where `tail` is `""`, only rows without any text get it, which readers would else take for nothing.
 *
 * @param quotes whether a line feed may stand within quotes; in tsv, a quote is text
 */
export function appendToRows(rows: Buffer, tail: string, quotes: boolean): Buffer {
  const bytes = Buffer.from(tail);
  const places = findPlaces(rows, tail === '""', quotes);
  const result = Buffer.allocUnsafeSlow(rows.length + places.length * bytes.length);
  let start = 0;
  let at = 0;
  for (const place of places) {
    at += rows.copy(result, at, start, place);
    at += bytes.copy(result, at);
    start = place;
  }
  rows.copy(result, at, start);
  return result;
}

/** Where each row's last cell ends: before a line feed outside quotes, or the carriage return that is before it. */
function findPlaces(rows: Buffer, onlyBlank: boolean, quotes: boolean): number[] {
  const view = viewWords(rows);
  const places: number[] = [];
  let inQuotes = false;
  let start = 0;
  // Between the bytes at which this stops are most of all, and none that matters here.
  for (let at = endOfPlainText(view, 0); at < rows.length; at = endOfPlainText(view, at + 1)) {
    const byte = rows[at];
    // A quote within quotes is doubled: stepping out and in again.
    if (byte === QUOTE && quotes) inQuotes = !inQuotes;
    else if (byte === LINE_FEED && !inQuotes) {
      const place = at > start && rows[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
      if (!onlyBlank || place === start) places.push(place);
      start = at + 1;
    }
  }
  return places;
}

/**
 * Counts the rows of csv or tsv that arrives in pieces: a line feed within quotes is text. A doubled quote leaves the quotes and
 * enters them again, so that each quote just turns the state.
 */
export class RowCounter {
  rows = 0;
  readonly #quotes: boolean;
  #inQuotes = false;
  #inRow = false;

  /** @param quotes as for `appendToRows` */
  constructor(quotes: boolean) {
    this.#quotes = quotes;
  }

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === QUOTE && this.#quotes) this.#inQuotes = !this.#inQuotes;
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
