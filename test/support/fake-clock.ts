import type { Clock } from '../../src/context.ts';

export interface FakeClockOptions {
  /** Milliseconds since 1970; by default 2026-11-20T12:00:00Z. */
  readonly now?: number;
  /** What `random` returns, one after the other and then again from the first; by default always 0.5. */
  readonly random?: readonly number[];
}

/** A clock on which waiting takes no time: `sleep` moves `now` on and is written down in `sleeps`. */
export class FakeClock implements Clock {
  /** Milliseconds of each wait, in the order in which they began. */
  readonly sleeps: number[] = [];
  #now: number;
  readonly #random: readonly number[];
  #drawn = 0;

  constructor(options: FakeClockOptions = {}) {
    this.#now = options.now ?? Date.UTC(2026, 10, 20, 12);
    this.#random = options.random ?? [0.5];
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Lets time pass without anybody waiting. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.sleeps.push(milliseconds);
    const until = this.#now + milliseconds;
    // A turn of the event loop, so that others can run. Who sleeps meanwhile sleeps at the same time, not afterwards.
    await new Promise((resolve) => setImmediate(resolve));
    this.#now = Math.max(this.#now, until);
    signal.throwIfAborted();
  }

  random(): number {
    return this.#random[this.#drawn++ % this.#random.length]!;
  }
}
