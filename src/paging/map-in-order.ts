/** Jobs that are done several at once. */
interface Plan<Job, Result> {
  /** The next job. Undefined where there is none, or none before others have gone on: then it is called again. */
  readonly next: () => Job | undefined;
  /** Does a job. Behind the first one, it is held after its first result until it is the first: so no results pile up. */
  readonly run: (job: Job, signal: AbortSignal) => AsyncIterator<Result, void>;
  /** Jobs running at once. */
  readonly concurrency: number;
  /**
   * Jobs running, or held with a result, at most, while the reader waits for the first of them: this bounds the memory. Where the
   * reader has a result to go on with, it is no more than `concurrency`: to read faster than it takes would only fill memory.
   */
  readonly ahead: number;
}

interface Slot<Result> {
  readonly job: AsyncIterator<Result, void>;
  isRunning: boolean;
  /** Returns what the job came to, or throws its failure. */
  outcome?: (() => IteratorResult<Result, void>) | undefined;
}

/**
 * Does jobs several at once, and yields their results in the order of the jobs. A failure is thrown when its turn comes; no job
 * behind it is begun. After it, and when the reader leaves, the jobs that still run are aborted and awaited.
 */
export async function* inOrder<Job, Result>(
  { next, run, concurrency, ahead }: Plan<Job, Result>,
  signal: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const slots: Slot<Result>[] = [];
  const running = new Set<Promise<void>>();
  const leaving = new AbortController();
  let hasFailed = false;
  let wake = (): void => {};
  const stop = (): void => {
    leaving.abort(signal.reason);
    wake();
  };
  const goOn = (slot: Slot<Result>): void => {
    const end = (outcome: () => IteratorResult<Result, void>): void => {
      slot.outcome = outcome;
      slot.isRunning = false;
      running.delete(step);
      wake();
    };
    slot.isRunning = true;
    const step = slot.job.next().then(
      (result) => end(() => result),
      (error: unknown) => {
        hasFailed = true;
        end(() => {
          throw error;
        });
      },
    );
    running.add(step);
  };
  const begin = (most: number): void => {
    const [head] = slots;
    if (head?.isRunning === false && head.outcome === undefined && running.size < concurrency) goOn(head);
    while (!hasFailed && running.size < concurrency && (slots.length === 0 || slots.length < most)) {
      const job = next();
      if (job === undefined) return;
      const slot = { job: run(job, leaving.signal), isRunning: false };
      slots.push(slot);
      goOn(slot);
    }
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      if (slots[0]?.outcome === undefined) begin(ahead);
      const [head] = slots;
      if (head === undefined) return;
      const result = head.outcome?.();
      if (result === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (result.done === true) slots.shift();
      else {
        head.outcome = undefined;
        begin(concurrency);
        yield result.value;
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    leaving.abort(new Error('the reader left'));
    await Promise.allSettled(running);
  }
}

interface MapOptions {
  /** Jobs running at once. */
  readonly concurrency: number;
  /** Jobs running, or done and not yet read, at most: this bounds the memory behind a slow one. */
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/**
 * Runs jobs as they come, several at once, and yields their results in the order of the jobs, as `inOrder` does. The source is
 * read on while jobs run.
 *
 * @param source the jobs, or what yields them; its signal is aborted when no more jobs are wanted
 */
export async function* mapInOrder<Job, Result>(
  source: Iterable<Job> | ((signal: AbortSignal) => AsyncIterable<Job>),
  run: (job: Job, signal: AbortSignal) => Promise<Result>,
  options: MapOptions,
): AsyncGenerator<Result> {
  let jobs: Iterator<Job> | AsyncIterator<Job> | undefined;
  let ended = false;
  async function* runNext(_: true, within: AbortSignal): AsyncGenerator<Result, void> {
    jobs ??=
      typeof source === 'function' ? source(within)[Symbol.asyncIterator]() : source[Symbol.iterator]();
    const { done, value } = await jobs.next();
    if (done === true) ended = true;
    else yield await run(value, within);
  }
  try {
    // How many jobs there are shows only when they are read.
    yield* inOrder({ ...options, next: () => (ended ? undefined : true), run: runNext }, options.signal);
  } finally {
    await jobs?.return?.();
  }
}
