import type { Hash } from 'node:crypto';
import { TerminalGate } from '../terminal/terminal-text.ts';
import type { Sink } from '../writer.ts';

/** Where the result of a run goes. In the end it is either committed or discarded. */
export interface Destination extends Sink {
  /** Whether it is a file, which appears whole; false for a stream, a device or a pipe. */
  readonly isFile: boolean;
  /** Bytes taken so far. */
  readonly bytes: number;
  /** SHA-256 of the bytes so far, in hex. Only of a destination that has a receipt; else a TypeError. */
  sha256(): string;
  /** Completes the result; a file appears under its name now. Rejects with OutputError, and then nothing changed. */
  commit(): Promise<void>;
  /** Leaves the file as it was before. May be called at any time and repeatedly; never rejects. */
  discard(): Promise<void>;
}

/** A stream, a device or a pipe: what is written cannot be taken back. */
export interface DirectSink extends Sink {
  readonly isTerminal: boolean;
  /** Waits until all is out, and lets go. */
  close?(): Promise<void>;
  /** Lets go at once. */
  abandon?(): void | Promise<void>;
}

interface DirectOptions {
  readonly tally: Tally;
  /** Whether the text is made for terminals, as tables are. Other text goes through a TerminalGate. */
  readonly styled: boolean;
}

/** A destination whose bytes are out as soon as they are written. Commit ends it; discard takes nothing back. */
export function writeDirectly(sink: DirectSink, { tally, styled }: DirectOptions): Destination {
  const gate = sink.isTerminal && !styled ? new TerminalGate(sink) : undefined;
  let ended = false;
  return {
    isFile: false,
    get bytes() {
      return tally.bytes;
    },
    sha256: () => tally.sha256(),
    write: (chunk) => (gate ?? sink).write(tally.add(chunk)),
    commit: async () => {
      ended = true;
      await gate?.end();
      await sink.close?.();
    },
    discard: async () => {
      const isOpen = !ended;
      ended = true;
      if (isOpen) await sink.abandon?.();
    },
  };
}

/** Counts the bytes that pass, and hashes them if asked to: hashing costs about as much as writing. */
export class Tally {
  bytes = 0;
  #hash: Hash | undefined;
  readonly #newHash: (() => Hash) | undefined;

  private constructor(newHash: (() => Hash) | undefined) {
    this.#newHash = newHash;
    this.#hash = newHash?.();
  }

  /** The runtime takes 3 ms to load its part for hashes, which only a run with a receipt needs. */
  static async open(hashes: boolean): Promise<Tally> {
    if (!hashes) return new Tally(undefined);
    const { createHash } = await import('node:crypto');
    return new Tally(() => createHash('sha256'));
  }

  /** Forgets what passed. */
  reset(): void {
    this.bytes = 0;
    this.#hash = this.#newHash?.();
  }

  /** Adds the chunk and hands it back as bytes. */
  add(chunk: Uint8Array | string): Uint8Array {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    this.bytes += bytes.byteLength;
    this.#hash?.update(bytes);
    return bytes;
  }

  /** SHA-256 so far, in hex. */
  sha256(): string {
    if (this.#hash === undefined) throw new TypeError('opened without a receipt');
    return this.#hash.copy().digest('hex');
  }
}

/** Writes a destination and commits it; discards it, and rejects alike, where `write` rejects. */
export async function written(
  destination: Destination,
  write: (destination: Destination) => Promise<void>,
): Promise<Destination> {
  try {
    await write(destination);
    await destination.commit();
    return destination;
  } catch (error) {
    await destination.discard();
    throw error;
  }
}
