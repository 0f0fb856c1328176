import { TextDecoder } from 'node:util';
import { visible } from './terminal-text.ts';
import type { Sink } from './writer.ts';

/** Line ends and tabs belong to the formats; everything between them is text. */
const LAYOUT = /(\r\n|\n|\t)/;

/**
 * Lets a format that knows nothing of terminals (csv, jsonl) write to one: its bytes are read as UTF-8 and pass
 * `visible`, but for line ends and tabs. Sequences and characters split over chunks are seen as one.
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

  /** Writes what was held back: to be called after the last chunk. */
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
