import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which the event loop gets a turn. */
const TURN = 50;

/** Work over data that may be large, in steps that take a few milliseconds each. */
export type Steps<T> = Generator<undefined, T>;

/** Does the steps one after the other, with turns of the event loop between them. Throws the signal's reason. */
export async function inTurns<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  const turns = new Turns(signal);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (turns.isDue) await turns.take();
  }
}

/** Does all steps at once: where there are few, or nothing can come between. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Turns of the event loop within long work: no signal is heard and no pause ends without them. */
export class Turns {
  readonly #signal: AbortSignal;
  #last = Date.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the work has gone on for so long that it is time for one. */
  get isDue(): boolean {
    // Unlike the runtime's performance, Date costs no time to load. A clock that was set back is far off as well.
    return Math.abs(Date.now() - this.#last) >= TURN;
  }

  /** Lets the event loop do what waits for it. Throws the signal's reason. */
  async take(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#last = Date.now();
  }
}
