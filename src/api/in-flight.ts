/** Successes in a row, at the present limit, after which one more request may be in flight. */
const SUCCESSES_A_STEP = 10;

/** Limits how many requests are in flight: up to `concurrency`, one after a 429, and slowly back up from there. */
export interface InFlight {
  /** How many may be in flight at present. */
  readonly limit: number;
  /** Resolves, in the order of asking, when there is room; rejects with the signal's reason when it is aborted first. */
  acquire(signal: AbortSignal): Promise<void>;
  release(): void;
  /** The service said 429. Those in flight go on; the next begins when they are done. */
  throttle(): void;
  succeed(): void;
}

export function createInFlight(concurrency: number): InFlight {
  const waiting = new Set<() => void>();
  let limit = concurrency;
  let active = 0;
  let successes = 0;

  const admit = (): void => {
    for (const start of waiting) {
      if (active >= limit) return;
      waiting.delete(start);
      active++;
      start();
    }
  };

  return {
    get limit() {
      return limit;
    },
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const abandon = (): void => {
          waiting.delete(start);
          reject(signal.reason);
        };
        const start = (): void => {
          signal.removeEventListener('abort', abandon);
          resolve();
        };
        signal.addEventListener('abort', abandon, { once: true });
        waiting.add(start);
        admit();
      }),
    release() {
      active--;
      admit();
    },
    throttle() {
      limit = 1;
      successes = 0;
    },
    succeed() {
      if (limit === concurrency || ++successes < SUCCESSES_A_STEP) return;
      successes = 0;
      limit++;
      admit();
    },
  };
}
