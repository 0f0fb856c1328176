import type { Context } from '../context.ts';
import type { GlobalFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import { Notices } from './notices.ts';
import { checkPaths, type ReadPath, type WrittenPath } from './paths.ts';
import { PartState } from './part-state.ts';
import { showingProgress } from './progress/progress.ts';
import { makeFolder } from '../output/files/target.ts';
import { SharedBySessions } from './session.ts';

/** Which service is asked and how, how much is said, and whether there is a receipt. */
type RunFlags = GlobalFlags & RequestFlags & ReceiptFlags;

/** What a run begins with. */
export interface RunOptions {
  readonly flags: RunFlags;
  /** What is asked for, as receipts name it: `issued`. */
  readonly name: string;
  /** The same in the plural, for progress: `issued invoices`. */
  readonly records: string;
  /** What it reads besides the token file and the store: none of it is ever written over. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** Where the records go, as given to -o. The receipt names it. */
  readonly output?: string | undefined;
  /** The folder that gets a file for each part, as given to --output-dir. It is made if need be. */
  readonly folder?: string | undefined;
  /** What else it writes: the files of that folder, a database. */
  readonly files?: readonly WrittenPath[] | undefined;
  /** Where the run has several parts, their names, in the order of progress and receipt. */
  readonly parts?: readonly string[] | undefined;
  /** What the parts are: profiles, unless given. */
  readonly partKind?: 'profiles' | 'listings' | undefined;
}

/** A run: what all its parts share. */
export interface Run {
  /** Its standard output removes the progress from the same terminal with the first byte. */
  readonly context: Context;
  readonly flags: RunFlags;
  readonly notices: Notices;
  /** What is known of the part of this name; without one, of the only part, or of what joins all. */
  readonly partNamed: (name: string | undefined) => PartState;
  /** Whether a receipt is written, for which the hash of the output is needed. */
  readonly hasReceipt: boolean;
  readonly shared: SharedBySessions;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * Does the work of one command as a run: shows progress meanwhile, and writes the receipt at the end, also after a failure.
 * A command sends all its requests within such a run.
 *
 * @throws UsageError before the work where it would write over what it reads
 * @throws OutputError before the work where the receipt cannot be written; else what the work throws
 */
export async function inRun(
  given: Context,
  options: RunOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const { flags, name, records, output, folder, partKind = 'profiles' } = options;
  const { clock } = given;
  const startedAt = clock.now();
  const notices = new Notices(given, flags);
  const whole = new PartState(undefined, { clock, notices });
  const parts = (options.parts ?? []).map((part) => new PartState(part, { clock, notices }));
  const partNamed = (name: string | undefined): PartState =>
    parts.find((part) => part.name === name) ?? whole;
  const view = { flags, what: records, parts: parts.length > 0 ? parts : [whole], partKind };
  await showingProgress(given, view, async (context) => {
    await checkPaths(context, pathsOf(options));
    // The receipt may be one of the files in it.
    const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
    const shared = new SharedBySessions(context, flags);
    const file = flags.receipt;
    const run = { context, flags, notices, partNamed, shared, startedAt };
    try {
      if (file === undefined) return await work({ ...run, hasReceipt: false });
      const { withReceipt } = await import('./receipt.ts');
      const told = { context, file, output, folder, name, whole, parts, notices, startedAt };
      await withReceipt(told, () => work({ ...run, hasReceipt: true }));
    } finally {
      await shared.close();
      await removeEmpty?.();
    }
  });
}

function pathsOf({ flags, reads = [], output, folder, files = [] }: RunOptions) {
  const { receipt, tokenFile } = flags;
  return {
    tokenFile,
    reads,
    writes: [
      ...(folder === undefined ? [{ flag: '--output', path: output, is: 'where the records go' }] : []),
      ...files,
      ...(receipt === undefined ? [] : [{ flag: '--receipt', path: receipt, is: 'where the receipt goes' }]),
    ],
  };
}
