import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { endOfPlainText, viewWords } from '../../json/word-search.ts';

/**
 * Whole rows of csv, each with `tail` put before its end: the delimiters of columns that were not known when the rows were
 * written. Where `tail` is `""`, only rows without any text get it, which readers would else take for nothing.
 */
export function appendToRows(rows: Buffer, tail: string): Buffer {
  const bytes = Buffer.from(tail);
  const places = findPlaces(rows, tail === '""');
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
function findPlaces(rows: Buffer, onlyBlank: boolean): number[] {
  const view = viewWords(rows);
  const places: number[] = [];
  let inQuotes = false;
  let start = 0;
  // Between the bytes at which this stops are most of all, and none that matters here.
  for (let at = endOfPlainText(view, 0); at < rows.length; at = endOfPlainText(view, at + 1)) {
    const byte = rows[at];
    // A quote within quotes is doubled: stepping out and in again.
    if (byte === QUOTE) inQuotes = !inQuotes;
    else if (byte === LINE_FEED && !inQuotes) {
      const place = at > start && rows[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
      if (!onlyBlank || place === start) places.push(place);
      start = at + 1;
    }
  }
  return places;
}

const LF_BYTE = 0x0a;
const QUOTE_BYTE = 0x22;

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
      if (byte === QUOTE_BYTE) this.#inQuotes = !this.#inQuotes;
      else if (byte === LF_BYTE && !this.#inQuotes) {
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
