import { CARRIAGE_RETURN, COMMA, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { firstMarked, viewWords, zeroBytes, type WordView } from '../../json/word-search.ts';

const COMMAS = 0x2c2c2c2c;
const QUOTES = 0x22222222;

/**
 * Bytes of csv in the making. Each `put` copies a cell's text from elsewhere to `at` and quotes it where RFC 4180 has
 * to: around a comma, a quote, CR or LF. The caller sees to it that there is room: twice the text and 6 bytes.
 */
export class CsvText {
  readonly view: WordView;
  at = 0;
  #taken = 0;

  constructor(size: number) {
    // Not from the pool that Node's small buffers share: what is written is handed on as it is.
    this.view = viewWords(Buffer.allocUnsafeSlow(size));
  }

  hasRoomFor(size: number): boolean {
    return this.at + size <= this.view.bytes.length;
  }

  /** What has been written since this was last asked. It does not change any more. */
  take(): Buffer {
    const taken = this.#taken;
    this.#taken = this.at;
    return this.view.bytes.subarray(taken, this.at);
  }

  putByte(byte: number): void {
    this.view.bytes[this.at++] = byte;
  }

  /** Ends a row of so many cells, each of which has been followed by a comma. */
  endRow(cells: number): void {
    if (cells > 0) this.at--;
    this.putByte(LINE_FEED);
  }

  /** Text that may have a comma, but neither a quote nor a control character: most text, so in words of four bytes. */
  putPlain(source: WordView, start: number, end: number): void {
    if (end + 3 > source.bytes.length) return this.putAny(source, start, end);
    const from = source.words;
    const to = this.view.words;
    let at = this.at;
    let commas = 0;
    let next = start;
    for (; next + 4 <= end; next += 4, at += 4) {
      const word = from.getInt32(next, true);
      to.setInt32(at, word, true);
      commas |= zeroBytes(word ^ COMMAS);
    }
    if (next < end) {
      const word = from.getInt32(next, true);
      to.setInt32(at, word, true);
      // Of the last word, only the bytes before `end` count.
      commas |= zeroBytes(word ^ COMMAS) & ((1 << (8 * (end - next))) - 1);
    }
    if (commas === 0) this.at += end - start;
    else this.#enclose(end - start);
  }

  /** Any text. */
  putAny(source: WordView, start: number, end: number): void {
    const { bytes } = source;
    const to = this.view.bytes;
    let at = this.at;
    for (let next = start; next < end; next++) {
      const byte = bytes[next]!;
      if (byte === QUOTE || byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        return this.#putQuoted(source, start, end);
      }
      to[at++] = byte;
    }
    this.at = at;
  }

  /** Puts quotes around the `length` bytes just written. */
  #enclose(length: number): void {
    const { bytes } = this.view;
    bytes.copyWithin(this.at + 1, this.at, this.at + length);
    bytes[this.at] = QUOTE;
    bytes[this.at + length + 1] = QUOTE;
    this.at += length + 2;
  }

  /** In quotes, each quote within doubled. */
  #putQuoted(source: WordView, start: number, end: number): void {
    const to = this.view;
    let at = this.at;
    let next = start;
    to.bytes[at++] = QUOTE;
    while (next + 4 <= end) {
      const word = source.words.getInt32(next, true);
      to.words.setInt32(at, word, true);
      const quotes = zeroBytes(word ^ QUOTES);
      const taken = quotes === 0 ? 4 : firstMarked(quotes) + 1;
      next += taken;
      at += taken;
      if (quotes !== 0) to.bytes[at++] = QUOTE;
    }
    for (; next < end; next++) {
      to.bytes[at++] = source.bytes[next]!;
      if (source.bytes[next] === QUOTE) to.bytes[at++] = QUOTE;
    }
    to.bytes[at++] = QUOTE;
    this.at = at;
  }
}
