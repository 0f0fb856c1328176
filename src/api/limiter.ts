/** After this many successes at one limit, one more request may be in flight. */
const SUCCESSES_PER_STEP = 10;

/** Limits how many requests are in flight. */
export class Limiter {
  readonly #concurrency: number;
  readonly #waiting = new Set<() => void>();
  #limit: number;
  #active = 0;
  #successes = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
    this.#limit = concurrency;
  }

  /**
   * Resolves when there is a place, in the order of the calls, with the function that gives it back. Rejects with the signal's
   * reason when that comes first.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    // If there is room, no request is waiting.
    if (this.#active < this.#limit) this.#active++;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (held) this.#active--;
      held = false;
      this.#admit();
    };
  }

  /** Resolves when there is a place, which then counts as taken. */
  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#waiting.delete(start);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#waiting.add(start);
    });
  }

  /** After a 429: the limit is 1. Requests in flight go on, and the next one starts when they are done. */
  throttle(): void {
    this.#limit = 1;
    this.#successes = 0;
  }

  /** After a success: in time the limit grows again. */
  succeed(): void {
    if (this.#limit === this.#concurrency || ++this.#successes < SUCCESSES_PER_STEP) return;
    this.#successes = 0;
    this.#limit++;
    this.#admit();
  }

  #admit(): void {
    for (const start of this.#waiting) {
      if (this.#active >= this.#limit) return;
      this.#waiting.delete(start);
      this.#active++;
      start();
    }
  }
}
