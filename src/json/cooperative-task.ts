import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which the event loop runs. */
const TURN = 50;

/** Work over data that may be large: a generator that yields every few milliseconds, and returns the result. */
export type CooperativeTask<T> = Generator<undefined, T>;

/** Does the task step by step, and lets the event loop run between them. Throws the signal's reason. */
export async function runCooperatively<T>(task: CooperativeTask<T>, signal: AbortSignal): Promise<T> {
  const breaks = new Breaks(signal);
  for (;;) {
    const { done, value } = task.next();
    if (done === true) return value;
    if (breaks.isDue) await breaks.take();
  }
}

/** Does the task without a pause: for little data, or where nothing else may run between its steps. */
export function runToEnd<T>(task: CooperativeTask<T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done === true) return value;
  }
}

/** Lets the event loop run during long work: without that, no signal arrives and no timer ends. */
export class Breaks {
  readonly #signal: AbortSignal;
  #last = Date.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the event loop has not run for so long that it should. */
  get isDue(): boolean {
    // Unlike the runtime's `performance`, Date takes no time to load. A clock that was set back counts as due, too.
    return Math.abs(Date.now() - this.#last) >= TURN;
  }

  /** Lets the event loop run once. Throws the signal's reason. */
  async take(): Promise<void> {
    await setImmediate();
    this.#signal.throwIfAborted();
    this.#last = Date.now();
  }
}
