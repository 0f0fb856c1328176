import type { Context, Spinner } from '../context.ts';
import { useColor } from '../output/terminal/colors.ts';
import { displayWidth, truncate } from '../output/terminal/display-width.ts';
import { digitGrouper, localeOf } from '../output/terminal/number-text.ts';
import { progressLine, type ProgressState } from './progress-state.ts';

/** Where progress is shown. */
export interface ProgressDisplay {
  stop(): void;
}

/** What a display shows. */
interface ProgressView {
  readonly context: Context;
  /** What is asked for: `issued invoices`. */
  readonly what: string;
  readonly states: readonly ProgressState[];
  /** False with --no-color. */
  readonly color: boolean;
}

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** A line for each running walk now and then, for logs. */
export class PlainDisplay implements ProgressDisplay {
  readonly #view: ProgressView;
  readonly #stopped = new AbortController();

  constructor(view: ProgressView) {
    this.#view = view;
    // Ends when it is stopped; a standard error that is gone is no reason to stop the run.
    this.#print().catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #print(): Promise<void> {
    const { context, what, states } = this.#view;
    const { clock, stderr } = context;
    for (;;) {
      await clock.sleep(PERIOD, this.#stopped.signal);
      for (const state of states) {
        if (state.state !== 'running') continue;
        const whose = state.name === undefined ? '' : `${state.name}: `;
        await stderr.write(`${whose}${what}: ${progressLine(state, clock.now(), String)}\n`);
      }
    }
  }
}

/** Milliseconds of work before anything is drawn, so that a quick answer does not flicker. */
const DELAY = 150;
/** Cells that the spinner itself takes, and the last one, in which some terminals wrap. */
const MARGIN = 3;

/** A line that changes while the run goes on, with one more for each organization that is being asked. */
export class SpinnerDisplay implements ProgressDisplay {
  readonly #view: ProgressView;
  readonly #stopped = new AbortController();
  #spinner: Spinner | undefined;

  constructor(view: ProgressView) {
    this.#view = view;
    this.#show().catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  async #show(): Promise<void> {
    const { clock, loadSpinner, env } = this.#view.context;
    await clock.sleep(DELAY, this.#stopped.signal);
    const start = await loadSpinner();
    if (this.#stopped.signal.aborted) return;
    const color = useColor(env, true, this.#view.color);
    this.#spinner = start({ text: () => spinnerText(this.#view), color });
  }
}

/** What stands beside the spinner: nothing wider than the terminal. */
function spinnerText({ context, what, states }: ProgressView): string {
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
  return [`${what} · ${ended} of ${states.length} profiles`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}
