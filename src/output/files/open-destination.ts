import type { Clock, OutputStream } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { Destination } from './destination.ts';
import type { Processes } from './processes.ts';
import { writeDirectly, type DirectSink } from './destination.ts';
import { Tally } from './destination.ts';
import { findTarget, type FileTarget, type Target } from './target.ts';

/** What of the outside world a destination needs. */
export interface DestinationContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Stops the wait for a pipe's reader. */
  readonly signal: AbortSignal;
  readonly processes: Processes;
}

export interface DestinationOptions {
  /** Whether `sha256` will be asked for. */
  readonly digest?: boolean;
  /** Whether what is written is made for a terminal, as tables are. Other text is gated when it goes to one. */
  readonly styled?: boolean;
  /** Whether what is written is no text, so that a terminal must not get it. */
  readonly binary?: boolean;
  /** Whether the run keeps a journal beside its file. One that is there is then not discarded. */
  readonly journalled?: boolean;
  /** Told when what a stopped run had kept beside the file was discarded. */
  readonly onDiscard?: () => void;
}

/**
 * Opens what `-o` names: undefined and `-` are stdout, a device or pipe is written straight, a file whole or not at
 * all. Everything that can be known to fail is found out here, before any request is sent.
 * Throws OutputError, and UsageError for what is binary and would go to a terminal. Whoever has opened a destination must commit or discard it, also when interrupted.
 */
export async function openDestination(
  output: string | undefined,
  context: DestinationContext,
  options: DestinationOptions = {},
): Promise<Destination> {
  const { digest = false, styled = false } = options;
  const target = await findTarget(output);
  if (target.kind === 'file')
    return (await import('./whole-file.ts')).openWholeFile(target, context, options);
  const sink = await openDirect(target, context);
  if (options.binary === true && sink.isTerminal) {
    sink.abandon?.();
    throw new UsageError('a workbook or Parquet cannot be shown on a terminal', {
      hint: 'Write to a file, as in -o invoices.xlsx.',
    });
  }
  return writeDirectly(sink, { tally: await Tally.open(digest), styled });
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
