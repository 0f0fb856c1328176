interface MapOptions {
  /** Jobs running at once. */
  readonly concurrency: number;
  /** Jobs running, or done and not yet read, at most: what bounds the memory behind a slow one. */
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/**
 * Runs jobs as they come, several at once, and yields their results in the order of the jobs; the source is read on
 * while jobs run. The first failure, in that order, ends it; then, and when the reader leaves, what still runs is told
 * to stop and waited for.
 *
 * @param source is told by the signal that no more jobs are wanted
 */
export async function* mapInOrder<Job, Result>(
  source: (signal: AbortSignal) => AsyncIterable<Job>,
  run: (job: Job, signal: AbortSignal) => Promise<Result>,
  options: MapOptions,
): AsyncGenerator<Result> {
  const controller = new AbortController();
  const pump = new Pump(run, options, AbortSignal.any([options.signal, controller.signal]));
  const pumping = pump.read(source);
  try {
    for (;;) {
      const next = await pump.next();
      if (next === undefined) return;
      yield await next.result;
      pump.taken();
    }
  } finally {
    controller.abort(new Error('the reader left'));
    pump.stop();
    await pumping;
    await pump.idle();
  }
}

class Pump<Job, Result> {
  readonly #run: (job: Job, signal: AbortSignal) => Promise<Result>;
  readonly #options: MapOptions;
  readonly #signal: AbortSignal;
  readonly #queue: { readonly result: Promise<Result> }[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #unread = 0;
  #ended = false;
  #stopped = false;
  #failure: { readonly error: unknown } | undefined;
  #waiting: (() => void)[] = [];

  constructor(
    run: (job: Job, signal: AbortSignal) => Promise<Result>,
    options: MapOptions,
    signal: AbortSignal,
  ) {
    this.#run = run;
    this.#options = options;
    this.#signal = signal;
  }

  /** Begins the source's jobs as there is room. Never rejects: a failure of the source waits for its turn. */
  async read(source: (signal: AbortSignal) => AsyncIterable<Job>): Promise<void> {
    const { concurrency, ahead } = this.#options;
    try {
      for await (const job of source(this.#signal)) {
        while (!this.#stopped && (this.#running.size >= concurrency || this.#unread >= ahead)) {
          await this.#change();
        }
        if (this.#stopped) return;
        this.#begin(job);
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#ended = true;
      this.#wake();
    }
  }

  /** The next job's result, in a box so that it is not waited for here; undefined after the last. */
  async next(): Promise<{ readonly result: Promise<Result> } | undefined> {
    while (this.#queue.length === 0 && !this.#ended) await this.#change();
    const next = this.#queue.shift();
    if (next === undefined && this.#failure !== undefined) throw this.#failure.error;
    return next;
  }

  taken(): void {
    this.#unread--;
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #begin(job: Job): void {
    const result = this.#run(job, this.#signal);
    this.#unread++;
    this.#queue.push({ result });
    const ended = result
      .catch(() => {}) // Thrown when its turn comes; until then nobody listens.
      .finally(() => {
        this.#running.delete(ended);
        this.#wake();
      });
    this.#running.add(ended);
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
