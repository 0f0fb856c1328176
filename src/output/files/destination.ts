import type { OutputStream } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { TerminalGate } from '../terminal/terminal-text.ts';
import type { OpenTarget, Sink } from '../writer.ts';
import type { FileContext } from './side-files.ts';
import { findStream, findTarget } from './target.ts';

export interface Destination extends Sink {
  /** False for a stream, a device or a pipe. */
  readonly isFile: boolean;
  readonly bytes: number;
  /** SHA-256 of the bytes so far, in hex. Only of a destination with a receipt; else a TypeError. */
  sha256(): string;
  /** Makes the file appear. Rejects with OutputError, and then nothing has changed. */
  commit(): Promise<void>;
  /** Leaves a file as it was. May be called at any time and repeatedly; never rejects. */
  discard(): Promise<void>;
}

export interface DestinationContext extends FileContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface DestinationOptions {
  /** Whether it has a receipt, or is a receipt: then it is hashed, and locked. */
  readonly hasReceipt?: boolean;
  /** Whether the text is made for a terminal. Other text goes through a TerminalGate there. */
  readonly styled?: boolean;
  readonly binary?: boolean;
}

/**
 * Opens what `-o` names: undefined and `-` are stdout; a device or pipe is written as the bytes come; a file appears whole or not
 * at all. The caller must commit or discard the destination, also when interrupted. Throws OutputError where writing is certain
 * to fail; UsageError for binary output to a terminal.
 */
export async function openDestination(
  output: string | undefined,
  context: DestinationContext,
  { hasReceipt = false, styled = false, binary = false }: DestinationOptions = {},
): Promise<Destination> {
  const target = await openTarget(output, context, hasReceipt);
  if (binary && target.isTerminal) {
    throw new UsageError('this format is not text, and cannot be shown on a terminal', {
      hint: 'Write to a file, as in -o invoices.xlsx.',
    });
  }
  const gate = target.isTerminal && !styled ? new TerminalGate(target) : undefined;
  // Hashing costs about as much as writing, and Node takes 3 ms to load its hashes.
  const hash = hasReceipt ? (await import('node:crypto')).createHash('sha256') : undefined;
  let bytes = 0;
  return {
    spare: target.spare,
    isFile: target.spare !== undefined,
    get bytes() {
      return bytes;
    },
    sha256() {
      if (hash === undefined) throw new TypeError('opened without a receipt');
      return hash.copy().digest('hex');
    },
    async write(chunk) {
      const sent = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += sent.byteLength;
      hash?.update(sent);
      await (gate ?? target).write(sent);
    },
    async commit() {
      if (gate !== undefined) await gate.end();
      await target.commit?.();
    },
    discard: async () => target.discard?.(),
  };
}

async function openTarget(
  output: string | undefined,
  context: DestinationContext,
  hasReceipt: boolean,
): Promise<OpenTarget> {
  if (output === undefined) return context.stdout;
  const descriptor = findStream(output);
  if (descriptor === 1) return context.stdout;
  if (descriptor === 2) return context.stderr;
  const found = descriptor === undefined ? await findTarget(output) : undefined;
  if (found?.kind === 'file')
    return (await import('./whole-file.ts')).openWholeFile(found, context, hasReceipt);
  const { openDescriptor, openDevice } = await import('./device.ts');
  return found === undefined ? openDescriptor(descriptor!, output) : openDevice(found, context);
}

/** Writes a destination and commits it; discards it, and rejects alike, where `write` rejects. */
export async function writeAndCommit(
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
