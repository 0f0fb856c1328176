import type { OutputStream } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { TerminalGate } from '../terminal/terminal-text.ts';
import { openTally, type Destination, type DirectSink } from './destination.ts';
import type { FileContext } from './side-files.ts';
import { findTarget, type FileTarget, type Target } from './target.ts';

export interface DestinationContext extends FileContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface DestinationOptions {
  /** Whether it has a receipt, or is one: then it is hashed, and locked. */
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
  const target = await findTarget(output);
  if (target.kind === 'file')
    return (await import('./whole-file.ts')).openWholeFile(target, context, hasReceipt);
  const sink = await openDirect(target, context);
  if (binary && sink.isTerminal) {
    throw new UsageError('this format is not text, and cannot be shown on a terminal', {
      hint: 'Write to a file, as in -o invoices.xlsx.',
    });
  }
  const tally = await openTally(hasReceipt);
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
