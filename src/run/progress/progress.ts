import type { Context, OutputStream } from '../../context.ts';
import { isForPeople, streamWith } from '../../output/terminal/terminal-text.ts';
import type { GlobalFlags } from '../flags.ts';
import type { ProgressView } from './progress-display.ts';

/** Whether and how progress is shown. */
type ProgressFlags = Pick<GlobalFlags, 'quiet' | 'color' | 'progress'>;

/**
 * Does the work while standard error shows how far it has come. Off a terminal nothing is shown unless the user asked for it.
 *
 * @param work gets the context that it must write to: the drawing ends when that is written to on the same terminal
 */
export async function showingProgress(
  context: Context,
  { flags, ...view }: Omit<ProgressView, 'context' | 'color'> & { readonly flags: ProgressFlags },
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
function formOf({ stdout, stderr, env }: Context, flags: ProgressFlags): 'lines' | 'spinner' | undefined {
  if (flags.quiet || flags.progress === false) return undefined;
  if (flags.progress === 'plain') return 'lines';
  // On a terminal that says it is 0 wide, or does not say, wiping a line would never end.
  const isWide = (stderr.columns ?? 0) > 0;
  return stderr.isTerminal && isWide && !stdout.isPipe && isForPeople(env) ? 'spinner' : undefined;
}
