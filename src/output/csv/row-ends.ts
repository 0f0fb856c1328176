import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { endOfPlainText, viewWords } from '../../json/word-search.ts';

/**
 * Whole rows of csv or tsv with `tail` added at the end of each: the delimiters of columns that were not known when the
 * rows were written. A `tail` of `""` is added to empty rows only, because readers skip empty lines.
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

/** Where the last cell of each row ends: before a line feed outside quotes, or before the CR of a CR LF. */
function findPlaces(rows: Buffer, onlyBlank: boolean, quotes: boolean): number[] {
  const view = viewWords(rows);
  const places: number[] = [];
  let inQuotes = false;
  let start = 0;
  // The search stops at quotes and controls and skips everything else, which is most of the text.
  for (let at = endOfPlainText(view, 0); at < rows.length; at = endOfPlainText(view, at + 1)) {
    const byte = rows[at];
    // A quote within a cell is doubled: the first leaves the quotes, the second enters them again.
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
 * Counts the rows of csv or tsv that arrives in pieces. A line feed within quotes is text.
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

  /** Whether the bytes so far end at the end of a row. */
  get isWhole(): boolean {
    return !this.#inRow;
  }
}
