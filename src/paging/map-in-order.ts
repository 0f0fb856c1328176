/** Jobs that are done several at once. */
interface Plan<Job, Result> {
  /** The next job. Undefined where there is none, or none as long as others have not gone on: then it is asked again. */
  next(): Job | undefined;
  /** Does a job. Behind the first one, it is held after its first result until it is the first: so no results pile up. */
  run(job: Job, signal: AbortSignal): AsyncIterator<Result, void>;
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
  outcome?: { readonly result: IteratorResult<Result, void> } | { readonly error: unknown } | undefined;
}

/**
 * Does jobs several at once, and yields their results in the order of the jobs. A failure is thrown when its turn comes; no job
 * behind it is begun. After it, and when the reader leaves, the jobs that still run are aborted and awaited.
 */
export async function* inOrder<Job, Result>(
  plan: Plan<Job, Result>,
  signal: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const { concurrency, ahead } = plan;
  const slots: Slot<Result>[] = [];
  const running = new Set<Promise<void>>();
  const leaving = new AbortController();
  let wake = (): void => {};
  const stop = (): void => {
    leaving.abort(signal.reason);
    wake();
  };
  const goOn = (slot: Slot<Result>): void => {
    slot.isRunning = true;
    const step = slot.job
      .next()
      .then(
        (result) => (slot.outcome = { result }),
        (error: unknown) => (slot.outcome = { error }),
      )
      .then(() => {
        slot.isRunning = false;
        running.delete(step);
        wake();
      });
    running.add(step);
  };
  const begin = (most: number): void => {
    const [head] = slots;
    if (head !== undefined && !head.isRunning && head.outcome === undefined && running.size < concurrency)
      goOn(head);
    while (running.size < concurrency && (slots.length === 0 || slots.length < most)) {
      if (slots.some(({ outcome }) => outcome !== undefined && 'error' in outcome)) return;
      const job = plan.next();
      if (job === undefined) return;
      const slot = { job: plan.run(job, leaving.signal), isRunning: false };
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
      const { outcome } = head;
      if (outcome === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if ('error' in outcome) throw outcome.error;
      else if (outcome.result.done === true) slots.shift();
      else {
        head.outcome = undefined;
        begin(concurrency);
        yield outcome.result.value;
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
 * read further while jobs run.
 *
 * @param source the jobs, or what yields them; its signal is aborted when no more jobs are wanted
 */
export async function* mapInOrder<Job, Result>(
  source: Iterable<Job> | ((signal: AbortSignal) => AsyncIterable<Job>),
  run: (job: Job, signal: AbortSignal) => Promise<Result>,
  { concurrency, ahead, signal }: MapOptions,
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
    // How many jobs there are shows only when they are asked for.
    yield* inOrder({ concurrency, ahead, next: () => (ended ? undefined : true), run: runNext }, signal);
  } finally {
    await jobs?.return?.();
  }
}
