import { statSync } from 'node:fs';
import type { Context, OutputStream } from '../context.ts';
import { Interrupted } from '../errors.ts';
import { findStream, makeFolder } from '../output/files/target.ts';
import { isForPeople, streamWith } from '../output/terminal/terminal-text.ts';
import type { GlobalFlags } from './flags.ts';
import { Notices } from './notices.ts';
import { checkPaths } from './paths.ts';
import type { ProgressView } from './progress-display.ts';
import { PartState, type Run, type RunOptions } from './run.ts';
import { RunDay } from './run-day.ts';
import { SharedBySessions } from './session.ts';

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
  const { flags, records, output, folder, partKind = 'profiles' } = options;
  const { clock } = given;
  const startedAt = clock.now();
  const notices = new Notices(given, flags);
  const whole = new PartState(undefined, { clock, notices });
  const parts = (options.parts ?? []).map((part) => new PartState(part, { clock, notices }));
  const view = { what: records, parts: parts.length > 0 ? parts : [whole], partKind };
  await showingProgress(given, { flags, ...view }, async (context) => {
    const { tokenFile } = flags;
    const { receiptOf, withReceipt } = flags.receipt === undefined ? {} : await import('./receipt.ts');
    const receipt = receiptOf?.(flags.receipt!, options);
    await checkPaths(context, {
      tokenFile,
      reads: options.reads ?? [],
      writes: [
        ...(folder === undefined ? [{ flag: '--output', path: output, is: 'where the records go' }] : []),
        ...(options.files ?? []),
        ...(receipt === undefined
          ? []
          : [{ flag: '--receipt', path: receipt, is: 'where the receipt goes' }]),
      ],
    });
    const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
    const shared = new SharedBySessions(context, flags);
    const day = new RunDay(clock, notices);
    const run = { context, flags, notices, whole, parts, shared, day, startedAt };
    try {
      if (receipt === undefined) await work(run);
      else await withReceipt!({ ...options, ...run, file: receipt }, () => work(run));
    } catch (error) {
      throw error instanceof Interrupted ? new Interrupted(error.signal, leftBy(run, options)) : error;
    } finally {
      await shared.close();
      await removeEmpty?.();
    }
  });
}

/** What has become of the files of a run that was stopped, as a sentence; undefined where it writes none. */
function leftBy({ whole, parts }: Run, { output, folder, files }: RunOptions): string | undefined {
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

/**
 * Does the work while standard error shows how far it has come. Off a terminal nothing is shown unless the user asked for it.
 *
 * @param work gets the context that it must write to: the drawing ends when that is written to on the same terminal
 */
async function showingProgress(
  context: Context,
  { flags, ...view }: Omit<ProgressView, 'context' | 'color'> & { readonly flags: GlobalFlags },
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const form = formOf(context, flags);
  if (form === undefined) return work(context);
  const stopped = new AbortController();
  const show = async (): Promise<void> => {
    const { showLines, showSpinner } = await import('./progress-display.ts');
    const shown = { ...view, context, color: flags.color !== false };
    await (form === 'lines' ? showLines : showSpinner)(shown, stopped.signal);
  };
  // Stopping rejects it. A standard error that is closed does so as well, and is no reason to stop the run.
  show().catch(() => {});
  try {
    await work({ ...context, stdout: endingWith(context.stdout, stopped) });
  } finally {
    stopped.abort();
  }
}

/** Standard output. Where it is the same terminal, the first write ends the drawing. */
function endingWith(stdout: OutputStream, drawing: AbortController): OutputStream {
  if (!stdout.isTerminal) return stdout;
  return streamWith(stdout, (bytes) => {
    drawing.abort();
    return stdout.write(bytes);
  });
}

/** How progress is shown, if at all: by default only on a terminal, and not while the output goes through a pipe. */
function formOf({ stdout, stderr, env }: Context, flags: GlobalFlags): 'lines' | 'spinner' | undefined {
  if (flags.quiet || flags.progress === false) return undefined;
  if (flags.progress === 'plain') return 'lines';
  // On a terminal that says it is 0 wide, or does not say, wiping a line would never end.
  const isWide = (stderr.columns ?? 0) > 0;
  return stderr.isTerminal && isWide && !stdout.isPipe && isForPeople(env) ? 'spinner' : undefined;
}
