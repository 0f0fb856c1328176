import type { Display, View } from './display.ts';
import { standingLine } from './standing-line.ts';

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** A line for each running walk now and then, for logs. */
export class PlainDisplay implements Display {
  readonly #view: View;
  readonly #stopped = new AbortController();

  constructor(view: View) {
    this.#view = view;
    // Ends when it is stopped; a standard error that is gone is no reason to stop the run.
    this.#print().catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #print(): Promise<void> {
    const { context, what, standings } = this.#view;
    const { clock, stderr } = context;
    for (;;) {
      await clock.sleep(PERIOD, this.#stopped.signal);
      for (const standing of standings) {
        if (standing.state !== 'running') continue;
        const whose = standing.name === undefined ? '' : `${standing.name}: `;
        await stderr.write(`${whose}${what}: ${standingLine(standing, clock.now(), String)}\n`);
      }
    }
  }
}
