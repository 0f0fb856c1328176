import { Readable } from 'node:stream';
import type { InputStream, OutputStream } from '../../src/context.ts';
import { Interrupted } from '../../src/errors.ts';

/** Keeps what is written to it. */
export class FakeOutput implements OutputStream {
  readonly isTerminal: boolean;
  readonly isPipe: boolean;
  readonly columns: number | undefined;
  readonly rows = undefined;
  readonly #chunks: Buffer[] = [];

  constructor(options: { terminal?: boolean; pipe?: boolean; columns?: number } = {}) {
    this.isPipe = options.pipe ?? false;
    this.isTerminal = (options.terminal ?? false) && !this.isPipe;
    this.columns = options.columns ?? (this.isTerminal ? 80 : undefined);
  }

  /** Everything written so far, as bytes. */
  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Everything written so far, as UTF-8. */
  get text(): string {
    return this.bytes.toString('utf8');
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    // A copy: a writer may use its buffer again as soon as the write has resolved.
    this.#chunks.push(typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes));
  }
}

export interface FakeInputOptions {
  /** What is piped in; undefined is the end of input at once, as under cron. */
  readonly text?: string | undefined;
  /** Lines that the user types, one for each hidden prompt; a missing one is Ctrl-C. Makes the input a terminal. */
  readonly typed?: readonly string[] | undefined;
}

/** Gives what it was made with, and keeps the prompts that were shown. */
export class FakeInput implements InputStream {
  readonly isTerminal: boolean;
  readonly prompts: string[] = [];
  readonly #typed: string[];
  #text: string;

  constructor(options: FakeInputOptions = {}) {
    this.isTerminal = options.typed !== undefined;
    this.#typed = [...(options.typed ?? [])];
    this.#text = options.text ?? '';
  }

  open(): Readable {
    return Readable.from([Buffer.from(this.#text)]);
  }

  async readAll(): Promise<string> {
    if (this.isTerminal) throw new Error('the test would wait at a terminal for the end of input');
    const text = this.#text;
    this.#text = '';
    return text;
  }

  readLine(prompt: string): Promise<string> {
    return this.readHidden(prompt);
  }

  async readHidden(prompt: string): Promise<string> {
    if (!this.isTerminal) throw new Error('a hidden prompt needs a terminal');
    this.prompts.push(prompt);
    const line = this.#typed.shift();
    if (line === undefined) throw new Interrupted('SIGINT');
    return line;
  }
}
