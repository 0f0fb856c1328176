import type { Context } from '../context.ts';
import { useColor, displayWidth, truncate } from '../output/terminal/terminal-text.ts';
import { countOf, digitGrouper, localeOf, type GroupDigits } from '../output/terminal/number-text.ts';
import { duration, timeStamp } from './notices.ts';
import type { PartState, ProgressState } from './run.ts';

/** What a display shows. */
export interface ProgressView {
  readonly context: Context;
  /** What is asked for: `issued invoices`. */
  readonly what: string;
  readonly parts: readonly PartState[];
  /** What the parts of the run are. */
  readonly partKind: 'profiles' | 'listings';
  /** False with --no-color. */
  readonly color: boolean;
}

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** Writes a line with the time for each running part every 10 s, for logs. Rejects when it is stopped. */
export async function showLines({ context, what, parts }: ProgressView, stopped: AbortSignal): Promise<void> {
  const { clock, stderr } = context;
  for (;;) {
    await clock.sleep(PERIOD, stopped);
    for (const { name, progress } of parts) {
      if (progress.state !== 'running') continue;
      const whose = name === undefined ? '' : `${name}: `;
      const line = progressLine(progress, clock.now(), String);
      await stderr.write(`${timeStamp(clock.now())} ${whose}${what}: ${line}\n`);
    }
  }
}

/** Milliseconds of work before anything is drawn, so that a quick answer does not flicker. */
const DELAY = 150;
/** Cells of the spinner itself, and the last cell of the line, in which some terminals wrap. */
const MARGIN = 3;

/** Draws a line that changes during the run, and one more for each part that is being read, until it is stopped. */
export async function showSpinner(view: ProgressView, stopped: AbortSignal): Promise<void> {
  const { clock, loadSpinner, env } = view.context;
  await clock.sleep(DELAY, stopped);
  const start = await loadSpinner();
  if (stopped.aborted) return;
  const spinner = start({ text: () => spinnerText(view), color: useColor(env, true, view.color) });
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
}

/** The text beside the spinner, cut to the width of the terminal. */
function spinnerText({ context, what, parts, partKind }: ProgressView): string {
  const { clock, stderr, env } = context;
  const group = digitGrouper(localeOf(env));
  const width = (stderr.columns ?? 80) - MARGIN;
  const now = clock.now();
  const [first] = parts;
  if (first !== undefined && first.name === undefined)
    return truncate(`${what}  ${progressLine(first.progress, now, group)}`, width);
  const ended = parts.filter(({ progress: { state } }) => state === 'done' || state === 'failed').length;
  const running = parts.filter(({ progress: { state } }) => state === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map(
    ({ name = '', progress }) => `  ${name.padEnd(indent)}  ${progressLine(progress, now, group)}`,
  );
  return [`${what} · ${ended} of ${parts.length} ${partKind}`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}

/** Milliseconds of work before the time left is estimated. */
const ESTIMATE_AFTER = 2_000;

/** The state in words: `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left`. */
export function progressLine(progress: ProgressState, now: number, group: GroupDigits): string {
  const { records, goal, pages, inFlight, retries, shrinks, rereads, state } = progress;
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const parts = pages === 0 ? [] : [`${group(String(records))}${of}`, countOf(pages, 'page')];
  if (retries > 0) parts.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) parts.push(`${countOf(shrinks, 'page')} too large`);
  if (state !== 'running') return [...parts, state].join(' · ');
  const wait = progress.waitsUntil - now;
  if (inFlight > 0) parts.push(`${inFlight} in flight`);
  else if (wait > 0) parts.push(`waits ${duration(wait)}`);
  if (rereads > 0) parts.push('reading again what moved');
  else if (records > 0 && goal !== undefined) parts.push(...timeLeft(progress, goal, now));
  return parts.join(' · ');
}

function timeLeft({ records, startedAt }: ProgressState, goal: number, now: number): string[] {
  const spent = now - startedAt;
  if (spent < ESTIMATE_AFTER || records >= goal) return [];
  return [`${duration((spent / records) * (goal - records))} left`];
}
