import type { Context } from '../context.ts';
import type { GlobalFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import { Notices } from './notices.ts';
import { checkPaths, type ReadPath, type WrittenPath } from './paths.ts';
import { Progress } from './progress/progress.ts';
import { Receipt } from './receipt.ts';
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
  readonly progress: Progress;
  readonly receipt: Receipt;
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
  const { flags, name, records, output, folder, parts, partKind } = options;
  const startedAt = given.clock.now();
  const notices = new Notices(given, flags);
  await Progress.during(given, { flags, what: records, parts, partKind }, async (progress, context) => {
    await checkPaths(context, pathsOf(options));
    // The receipt may be one of the files in it.
    const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
    try {
      const receipt = await Receipt.open(context, {
        file: flags.receipt,
        output,
        folder,
        name,
        parts,
        notices,
      });
      await receipt.during(async () => {
        const shared = new SharedBySessions(context, flags);
        try {
          await work({ context, flags, notices, progress, receipt, shared, startedAt });
        } finally {
          await shared.close();
        }
      });
    } finally {
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
