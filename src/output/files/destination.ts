import type { Hash } from 'node:crypto';
import type { Clock, OutputStream } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { TerminalGate } from '../terminal/terminal-text.ts';
import type { Sink } from '../writer.ts';
import type { Processes } from './processes.ts';
import { findTarget, type FileTarget, type Target } from './target.ts';

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

/** The part of the context that a destination needs. */
export interface DestinationContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Stops the wait for a pipe's reader. */
  readonly signal: AbortSignal;
  readonly processes: Processes;
}

interface DestinationOptions {
  /** Whether it has a receipt, or is one: then it is hashed, and no other run may write it meanwhile. */
  readonly hasReceipt?: boolean;
  /** Whether the text is made for a terminal, as tables are. Other text goes through a TerminalGate there. */
  readonly styled?: boolean;
  /** Whether the bytes are no text, so that a terminal must not get them. */
  readonly binary?: boolean;
}

/**
 * Opens what `-o` names: undefined and `-` are stdout; a device or pipe is written as the bytes come; a file appears whole
 * or not at all. Rejects at once where writing is certain to fail. The caller must commit or discard the destination, also when
 * interrupted.
 *
 * @throws OutputError; UsageError for binary output to a terminal.
 */
export async function openDestination(
  output: string | undefined,
  context: DestinationContext,
  { hasReceipt = false, styled = false, binary = false }: DestinationOptions = {},
): Promise<Destination> {
  const target = await findTarget(output);
  if (target.kind === 'file')
    return (await import('./whole-file.ts')).openWholeFile(target, context, hasReceipt);
  const sink = await openDirect(target, context);
  if (binary && sink.isTerminal) {
    throw new UsageError('this format is not text, and cannot be shown on a terminal', {
      hint: 'Write to a file, as in -o invoices.xlsx.',
    });
  }
  const tally = await Tally.open(hasReceipt);
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
      if (isOpen) sink.abandon?.();
    },
  };
}

/** A stream, a device or a pipe: what is written cannot be taken back. */
export interface DirectSink extends Sink {
  readonly isTerminal: boolean;
  /** Waits until all is out, and lets go. */
  close?(): Promise<void>;
  /** Lets go at once. */
  abandon?(): void;
}

async function openDirect(
  target: Exclude<Target, FileTarget>,
  context: DestinationContext,
): Promise<DirectSink> {
  if (target.kind !== 'descriptor' && target.kind !== 'device') return context[target.kind];
  const { openDescriptor, openDevice } = await import('./device.ts');
  return target.kind === 'device'
    ? openDevice(target, context)
    : openDescriptor(target.descriptor, target.shown);
}

/** Counts the bytes that pass, and hashes them if asked to: hashing costs about as much as writing. */
export class Tally {
  bytes = 0;
  #hash: Hash | undefined;
  readonly #newHash: (() => Hash) | undefined;

  private constructor(newHash?: () => Hash) {
    this.#newHash = newHash;
    this.#hash = newHash?.();
  }

  /** The runtime takes 3 ms to load its part for hashes, which only a run with a receipt needs. */
  static async open(hashes: boolean): Promise<Tally> {
    if (!hashes) return new Tally();
    const { createHash } = await import('node:crypto');
    return new Tally(() => createHash('sha256'));
  }

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
