import type { Spinner } from '../../context.ts';
import { useColor } from '../../output/colors.ts';
import { displayWidth, truncate } from '../../output/table/display-width.ts';
import { digitGrouper } from '../../output/table/group-digits.ts';
import { localeOf } from '../../output/locale.ts';
import type { Display, View } from './display.ts';
import { standingLine } from './standing-line.ts';

/** Milliseconds of work before anything is drawn, so that a quick answer does not flicker. */
const DELAY = 150;
/** Cells that the spinner itself takes, and the last one, in which some terminals wrap. */
const MARGIN = 3;

/** A line that changes while the run goes on, with one more for each organization that is being asked. */
export class SpinnerDisplay implements Display {
  readonly #view: View;
  readonly #stopped = new AbortController();
  #spinner: Spinner | undefined;

  constructor(view: View) {
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
function spinnerText({ context, what, standings }: View): string {
  const { clock, stderr, env } = context;
  const group = digitGrouper(localeOf(env));
  const width = (stderr.columns ?? 80) - MARGIN;
  const now = clock.now();
  const [first] = standings;
  if (standings.length === 1 && first?.name === undefined) {
    return truncate(first === undefined ? what : `${what}  ${standingLine(first, now, group)}`, width);
  }
  const ended = standings.filter(({ state }) => state === 'done' || state === 'failed').length;
  const running = standings.filter(({ state }) => state === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map(
    (one) => `  ${(one.name ?? '').padEnd(indent)}  ${standingLine(one, now, group)}`,
  );
  return [`${what} · ${ended} of ${standings.length} profiles`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}
