import type { Context } from '../../context.ts';
import { useColor, displayWidth, truncate } from '../../output/terminal/terminal-text.ts';
import { digitGrouper, localeOf } from '../../output/terminal/number-text.ts';
import { timeStamp } from '../notices.ts';
import { progressLine, type ProgressState } from './progress-state.ts';

/** What a display shows. */
export interface ProgressView {
  readonly context: Context;
  /** What is asked for: `issued invoices`. */
  readonly what: string;
  readonly states: readonly ProgressState[];
  /** What the parts of the run are. */
  readonly partKind: 'profiles' | 'listings';
  /** False with --no-color. */
  readonly color: boolean;
}

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** Writes a line with the time for each running part every 10 s, for logs. Rejects when it is stopped. */
export async function showLines(
  { context, what, states }: ProgressView,
  stopped: AbortSignal,
): Promise<void> {
  const { clock, stderr } = context;
  for (;;) {
    await clock.sleep(PERIOD, stopped);
    for (const state of states) {
      if (state.state !== 'running') continue;
      const whose = state.name === undefined ? '' : `${state.name}: `;
      const line = progressLine(state, clock.now(), String);
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
function spinnerText({ context, what, states, partKind }: ProgressView): string {
  const { clock, stderr, env } = context;
  const group = digitGrouper(localeOf(env));
  const width = (stderr.columns ?? 80) - MARGIN;
  const now = clock.now();
  const [first] = states;
  if (states.length === 1 && first?.name === undefined) {
    return truncate(first === undefined ? what : `${what}  ${progressLine(first, now, group)}`, width);
  }
  const ended = states.filter(({ state }) => state === 'done' || state === 'failed').length;
  const running = states.filter(({ state }) => state === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map(
    (one) => `  ${(one.name ?? '').padEnd(indent)}  ${progressLine(one, now, group)}`,
  );
  return [`${what} · ${ended} of ${states.length} ${partKind}`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}
