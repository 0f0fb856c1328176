import { statSync } from 'node:fs';
import type { Context } from '../context.ts';
import { Interrupted } from '../errors.ts';
import { findStream, makeFolder } from '../output/files/target.ts';
import type { GlobalFlags, OutputFlags, QuestionFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import type { Notices } from './notices.ts';
import { checkPaths, type ReadPath, type WrittenPath } from './paths.ts';
import { PartState } from './part-state.ts';
import { showingProgress } from './progress.ts';
import { runDay, type RunDay } from './run-day.ts';
import { sharedBySessions, type SharedBySessions } from './session.ts';

/** The flags that concern a run as a whole: the service, the requests, the messages, what columns mean, and the day. */
type RunFlags = GlobalFlags &
  RequestFlags &
  ReceiptFlags &
  Pick<QuestionFlags, 'field'> &
  Pick<OutputFlags, 'columns'> & { readonly asOf?: number | undefined };

export interface RunOptions {
  readonly flags: RunFlags;
  /** As receipts name it: `issued`. */
  readonly name: string;
  /** The same in the plural, for progress: `issued invoices`. */
  readonly records: string;
  /** The list of what is found, which begins before the run. */
  readonly notices: Notices;
  /** What it reads besides the token file and the store: none of it is ever written over. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** Where the records go, as typed behind -o. The receipt names it. */
  readonly output?: string | undefined;
  /** The folder that gets a file for each part, as typed behind --output-dir. It is made if need be. */
  readonly folder?: string | undefined;
  /** What else it writes: a database, or the files of that folder, whose receipts are those of their parts. */
  readonly files?: readonly WrittenPath[] | undefined;
  /** The names of several parts, in the order of progress and receipt. */
  readonly partNames?: readonly string[] | undefined;
  /** What the parts are: profiles, unless said otherwise. */
  readonly partKind?: 'profiles' | 'listings' | undefined;
}

/** A run: what all its parts share. */
export interface Run extends RunOptions {
  /** Its standard output removes the progress from the same terminal with the first byte. */
  readonly context: Context;
  /** The state of the only part, or of what joins all of them. */
  readonly whole: PartState;
  readonly parts: readonly PartState[];
  readonly shared: SharedBySessions;
  readonly day: RunDay;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The state of the part of this name; without one, of the only part, or of what joins all. */
export function stateOf({ whole, parts }: Pick<Run, 'whole' | 'parts'>, name: string | undefined): PartState {
  return parts.find((part) => part.name === name) ?? whole;
}

/**
 * Does the work of a command, which sends all its requests within; shows progress, and writes the receipt at the end, also after
 * a failure. Throws UsageError before the work where it would write over what it reads, OutputError for a receipt that cannot be
 * written.
 */
export async function inRun(
  outer: Context,
  options: RunOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const {
    flags,
    records,
    output,
    folder,
    notices,
    partNames = [],
    reads = [],
    partKind = 'profiles',
  } = options;
  const { clock } = outer;
  const startedAt = clock.now();
  const whole = new PartState(undefined, { clock, notices });
  const parts = partNames.map((name) => new PartState(name, { clock, notices }));
  const view = { flags, records, parts: parts.length > 0 ? parts : [whole], partKind };
  await showingProgress(outer, view, async (context) => {
    const { receiptOf, withReceipt } = flags.receipt === undefined ? {} : await import('./receipt.ts');
    const receipt = receiptOf?.(flags.receipt!, options);
    const writes = [...(options.files ?? [])];
    if (folder === undefined) writes.unshift({ flag: '--output', path: output, is: 'where the records go' });
    if (receipt !== undefined)
      writes.push({ flag: '--receipt', path: receipt, is: 'where the receipt goes' });
    await checkPaths(context, { tokenFile: flags.tokenFile, reads, writes });
    const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
    const shared = sharedBySessions(context, flags);
    const day = runDay(startedAt, notices, flags.asOf);
    const run = { ...options, context, whole, parts, shared, day, startedAt };
    try {
      if (receipt === undefined) await work(run);
      else await withReceipt!(run, receipt, () => work(run));
    } catch (error) {
      throw error instanceof Interrupted ? new Interrupted(error.signal, leftBy(run)) : error;
    } finally {
      await shared.close();
      await removeEmpty?.();
    }
  });
}

/** What has become of the files of a run that was stopped, as a sentence; undefined where it writes none. */
function leftBy({ whole, parts, output, folder, files }: Run): string | undefined {
  if (folder !== undefined && files !== undefined) {
    const written = parts.filter(({ delivered }) => delivered !== undefined).length;
    return `${written} of ${parts.length} files in ${folder} were written; the others are as they were before.`;
  }
  const target = output ?? folder;
  if (target === undefined || findStream(target) !== undefined) return undefined;
  if (whole.delivered !== undefined) return `${target} was written.`;
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return `${target} was not written.`;
  return found.isFile() || found.isDirectory() ? `${target} is as it was before.` : undefined;
}
