import type { Context, OutputStream } from '../context.ts';
import { countOf, digitGrouper, localeOf, type GroupDigits } from '../output/terminal/number-text.ts';
import { displayWidth, streamWith, truncate, useColor } from '../output/terminal/terminal-text.ts';
import type { GlobalFlags } from './flags.ts';
import { duration, timeStamp } from './notices.ts';
import type { PartState } from './run-state.ts';

interface ProgressView {
  readonly flags: GlobalFlags;
  /** `issued invoices` */
  readonly records: string;
  readonly parts: readonly PartState[];
}

/**
 * Shows on standard error how far a run is, until it is stopped. Returns the context to write to: where standard output is the
 * same terminal, the first write ends the drawing.
 */
export function startProgress(context: Context, view: ProgressView) {
  const stopped = new AbortController();
  const isDrawn = context.listener === undefined && view.flags.progressStyle !== 'plain';
  const show = isDrawn ? showSpinner : showLines;
  // It rejects when it is stopped, and when standard error is closed, which is not a reason to stop the run.
  show(context, view, stopped.signal).catch(() => {});
  const stop = (): void => stopped.abort();
  return { context: { ...context, stdout: beginningWith(context.stdout, stop) }, stop };
}

/** Calls `stop` before each write to a terminal. */
function beginningWith(stdout: OutputStream, stop: () => void): OutputStream {
  if (!stdout.isTerminal) return stdout;
  return streamWith(stdout, (bytes) => {
    stop();
    return stdout.write(bytes);
  });
}

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** Every 10 s, writes a line with the time for each running part, or calls the listener. Rejects when it is stopped. */
async function showLines(
  { clock, stderr, listener }: Context,
  { records, parts }: ProgressView,
  stopped: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(PERIOD, stopped);
    for (const part of parts.filter(({ stage }) => stage === 'running')) {
      const prefix = part.name === undefined ? '' : `${part.name}: `;
      const text = `${prefix}${records}: ${progressLine(part, clock.now(), String)}`;
      if (listener !== undefined) listener.progress(text);
      else await stderr.write(`${timeStamp(clock.now())} ${text}\n`);
    }
  }
}

/** Milliseconds of work before anything is drawn, so that a quick answer does not flicker. */
const DELAY = 150;

/** Draws a line that changes during the run, and one more for each part that is being read, until it is stopped. */
async function showSpinner(context: Context, view: ProgressView, stopped: AbortSignal): Promise<void> {
  const { clock, loadSpinner, env } = context;
  await clock.sleep(DELAY, stopped);
  const start = await loadSpinner();
  if (stopped.aborted) return;
  const color = useColor(env, true, view.flags.color !== false);
  const spinner = start({ text: () => spinnerText(context, view), color });
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
}

/** Display cells of the spinner, and the last cell of the line, where some terminals wrap. */
const MARGIN = 3;

function spinnerText({ clock, stderr, env }: Context, { records, parts }: ProgressView): string {
  const group = digitGrouper(localeOf(env));
  const width = (stderr.columns ?? 80) - MARGIN;
  const now = clock.now();
  const [first] = parts;
  if (first !== undefined && first.name === undefined)
    return truncate(`${records}  ${progressLine(first, now, group)}`, width);
  const ended = parts.filter(({ stage }) => stage === 'ended').length;
  const running = parts.filter(({ stage }) => stage === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map((part) => `  ${part.name?.padEnd(indent)}  ${progressLine(part, now, group)}`);
  return [`${records} · ${ended} of ${parts.length}`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}

/** Milliseconds of work before the time left is estimated. */
const ESTIMATE_AFTER = 2_000;

/** How far a running part is: `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left` */
function progressLine(part: PartState, now: number, group: GroupDigits): string {
  const { status, session, limit = Infinity, inFlight, waitsUntil } = part;
  const { records, pages, shrinks, rereads, totalAtEnd: total } = status;
  const { retries } = session?.client.stats ?? { retries: 0 };
  // If several walks make up one, the total counts only those that have ended.
  const goal = total === undefined || records > total ? undefined : Math.min(total, limit);
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const words = pages === 0 ? [] : [`${group(String(records))}${of}`, countOf(pages, 'page')];
  if (retries > 0) words.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) words.push(`${countOf(shrinks, 'page')} made smaller`);
  if (inFlight.size > 0) words.push(`${inFlight.size} in flight`);
  else if (waitsUntil > now) words.push(`waits ${duration(waitsUntil - now)}`);
  const spent = now - part.startedAt;
  if (rereads > 0) words.push('reading again what moved');
  else if (goal !== undefined && records > 0 && records < goal && spent >= ESTIMATE_AFTER)
    words.push(`${duration((spent / records) * (goal - records))} left`);
  return words.join(' · ');
}
