import { inOrder } from './in-order.ts';

interface MapOptions {
  /** Jobs running at once. */
  readonly concurrency: number;
  /** Jobs running, or done and not yet read, at most: this bounds the memory behind a slow one. */
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/**
 * Runs jobs as they come, several at once, and yields their results in the order of the jobs. The source is read further
 * while jobs run. The first failure in that order is thrown. After it, and when the reader leaves, the jobs that still run
 * are aborted and awaited.
 *
 * @param source the jobs, or what yields them; its signal is aborted when no more jobs are wanted
 */
export async function* mapInOrder<Job, Result>(
  source: Iterable<Job> | ((signal: AbortSignal) => AsyncIterable<Job>),
  run: (job: Job, signal: AbortSignal) => Promise<Result>,
  { concurrency, ahead, signal }: MapOptions,
): AsyncGenerator<Result> {
  const leaving = new AbortController();
  const given =
    typeof source === 'function' ? source(AbortSignal.any([signal, leaving.signal])) : each(source);
  const jobs = given[Symbol.asyncIterator]();
  const running = new Set<Promise<unknown>>();
  let ended = false;
  /** The next job, if there is one, and its result in a box, since it may be undefined. */
  const runNext = async (signal: AbortSignal): Promise<{ result?: { readonly value: Result } }> => {
    const { done, value } = await jobs.next();
    if (done === true) ended = true;
    return done === true ? {} : { result: { value: await run(value, signal) } };
  };
  const plan = {
    concurrency,
    ahead,
    // All the jobs are one region: how many there are shows only when they are asked for.
    regions: [jobs],
    nextTask: (rest: AsyncIterator<Job>) => (ended ? ('wait' as const) : { task: undefined, rest }),
    run: (_task: undefined, signal: AbortSignal) => {
      const job = runNext(signal);
      running.add(job);
      const forget = (): void => void running.delete(job);
      job.then(forget, forget);
      return job;
    },
  };
  try {
    for await (const { value } of inOrder(plan, signal)) yield value;
  } finally {
    leaving.abort(new Error('the reader left'));
    await Promise.allSettled(running);
    await jobs.return?.();
  }
}

async function* each<Job>(jobs: Iterable<Job>): AsyncGenerator<Job> {
  yield* jobs;
}
