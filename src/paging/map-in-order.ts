/** Jobs that are done several at once. */
interface Plan<Result> {
  /** Begins the next job. Undefined where there is none, or none before others have ended: then it is called again. */
  readonly next: (signal: AbortSignal) => Promise<readonly Result[]> | undefined;
  /** Jobs running at once. */
  readonly concurrency: number;
  /**
   * Jobs running, or done and not yet read, at most, while the reader waits for the first of them: this bounds the memory.
   * While the reader uses a result, the limit is `concurrency`, since more results would only fill memory.
   */
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/**
 * Does jobs several at once, and yields their results in the order of the jobs. A failure is thrown when its turn comes; no job
 * behind it is begun. After it, and when the reader leaves, the jobs that still run are aborted and awaited.
 */
export async function* inOrder<Result>({ next, concurrency, ahead, signal }: Plan<Result>) {
  const jobs: { readonly results: Promise<readonly Result[]>; isDone: boolean }[] = [];
  const leaving = new AbortController();
  let running = 0;
  let hasFailed = false;
  let wake = (): void => {};
  const stop = (): void => {
    leaving.abort(signal.reason);
    wake();
  };
  const begin = (most: number): void => {
    while (!hasFailed && running < concurrency && (jobs.length === 0 || jobs.length < most)) {
      const results = next(leaving.signal);
      if (results === undefined) return;
      const job = { results, isDone: false };
      const end = (): void => {
        job.isDone = true;
        running--;
        wake();
      };
      results.then(end, () => {
        hasFailed = true;
        end();
      });
      jobs.push(job);
      running++;
    }
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      if (jobs[0]?.isDone !== true) begin(ahead);
      const [job] = jobs;
      if (job === undefined) return;
      if (!job.isDone) await new Promise<void>((resolve) => (wake = resolve));
      else {
        const results = await job.results;
        begin(concurrency);
        yield* results;
        jobs.shift();
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    leaving.abort(new Error('the reader left'));
    await Promise.allSettled(jobs.map(({ results }) => results));
  }
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
  options: Omit<Plan<Result>, 'next'>,
): AsyncGenerator<Result> {
  let jobs: Iterator<Job> | AsyncIterator<Job> | undefined;
  // How many jobs there are shows only when they are read.
  let ended = false;
  const runNext = async (signal: AbortSignal): Promise<Result[]> => {
    jobs ??=
      typeof source === 'function' ? source(signal)[Symbol.asyncIterator]() : source[Symbol.iterator]();
    const { done, value } = await jobs.next();
    if (done !== true) return [await run(value, signal)];
    ended = true;
    return [];
  };
  try {
    yield* inOrder({ ...options, next: (signal) => (ended ? undefined : runNext(signal)) });
  } finally {
    await jobs?.return?.();
  }
}
