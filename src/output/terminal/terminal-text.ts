import { TextDecoder } from 'node:util';
import type { Sink } from '../writer.ts';

/**
 * What a terminal must not be given: controls (they move the cursor, set the title, write the clipboard), formats
 * (bidirectional and zero-width characters make text look like other text), separators of lines, surrogates without
 * a partner, and the rest of what Unicode calls ignorable, such as tags. Only the variation selectors of emoji and the
 * grapheme joiner pass: they choose a shape and do nothing else.
 */
const UNSAFE = /(?![\ufe00-\ufe0f\u034f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Makes text safe to show on a terminal. A control that Unicode has a picture of (C0 and DEL) becomes that picture: ESC
 * becomes `␛`. Any other unsafe character becomes its number: U+202E becomes `\u{202e}`. Line feeds and tabs are controls
 * too: split lines before.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16)}}`;
}

/** Line ends and tabs belong to the formats; everything between them is text. */
const LAYOUT = /(\r\n|\n|\t)/;

/**
 * Lets a format that knows nothing of terminals (csv, jsonl) write to one. Its bytes are read as UTF-8, and everything but
 * line ends and tabs goes through `visible`. Characters may be split over chunks.
 */
export class TerminalGate implements Sink {
  readonly #sink: Sink;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** A carriage return, whose line feed may come with the next chunk. */
  #held = '';

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    this.#held = text.endsWith('\r') ? '\r' : '';
    await this.#pass(text.slice(0, text.length - this.#held.length));
  }

  /** Writes what was held back. Call it after the last chunk. */
  async end(): Promise<void> {
    await this.#pass(this.#held + this.#decoder.decode());
    this.#held = '';
  }

  async #pass(text: string): Promise<void> {
    if (text === '') return;
    const parts = text.split(LAYOUT);
    await this.#sink.write(parts.map((part, index) => (index % 2 === 0 ? visible(part) : part)).join(''));
  }
}
