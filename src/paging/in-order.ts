/** Work that is divided while it is done: a region is work that is not yet begun, a task is one request of it. */
interface Plan<Region, Task, Result> {
  readonly regions: readonly Region[];
  /**
   * Cuts the next task off the front of a region; `rest` stays in the region's place. Returns 'wait' where the next task
   * depends on tasks that are still running. Where none is running, 'wait' means that the region is done.
   */
  nextTask(
    region: Region,
    running: number,
  ): { readonly task: Task; readonly rest?: Region | undefined } | 'wait';
  /** Does one task. Its result, and the regions that are still to be done after it, take the task's place. */
  run(task: Task, signal: AbortSignal): Promise<TaskResult<Region, Result>>;
  /** Tasks running at once. */
  readonly concurrency: number;
  /**
   * Tasks running or done but not yet read, at most, while the reader waits for the first of them: this bounds the memory. Where the
   * reader has a result to go on with, it is no more than `concurrency`: to read faster than the reader takes it would only fill memory.
   */
  readonly ahead: number;
}

/** What takes the place of a task that was done. */
export interface TaskResult<Region, Result> {
  readonly result?: Result;
  readonly rest?: readonly Region[];
}

type Slot<Region, Result> =
  | { kind: 'region'; region: Region }
  | { kind: 'running' }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; error: unknown };

/**
 * Runs a plan with several tasks at once and yields the results in the order of the regions. A failure is thrown when its
 * turn comes; no task behind it is begun. When the reader leaves, the tasks that still run are aborted.
 */
export async function* inOrder<Region, Task, Result>(
  plan: Plan<Region, Task, Result>,
  signal: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const queue = new Queue(plan);
  const stop = (): void => queue.stop(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      queue.dispatch();
      const head = queue.slots[0];
      if (head === undefined) return;
      if (head.kind === 'failed') throw head.error;
      if (head.kind === 'done' || (head.kind === 'region' && queue.running === 0)) queue.slots.shift();
      else await queue.settled();
      if (head.kind === 'done') yield head.result;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    queue.stop(new Error('the reader left'));
  }
}

/** The slots in order, and the tasks running in them. */
class Queue<Region, Task, Result> {
  readonly slots: Slot<Region, Result>[];
  running = 0;
  readonly #plan: Plan<Region, Task, Result>;
  readonly #controller = new AbortController();
  #wake: (() => void) | undefined;

  constructor(plan: Plan<Region, Task, Result>) {
    this.#plan = plan;
    this.slots = plan.regions.map((region) => ({ kind: 'region', region }));
  }

  /** Begins as many tasks as may run now. */
  dispatch(): void {
    for (let at = 0; at < this.slots.length && this.#mayRun(at); at++) {
      const slot = this.slots[at]!;
      if (slot.kind !== 'region') continue;
      const next = this.#plan.nextTask(slot.region, this.running);
      if (next === 'wait') continue;
      const begun: Slot<Region, Result> = { kind: 'running' };
      const rest: Slot<Region, Result>[] =
        next.rest === undefined ? [] : [{ kind: 'region', region: next.rest }];
      this.slots.splice(at, 1, begun, ...rest);
      this.#begin(begun, next.task);
    }
  }

  /** Resolves when a running task ends. */
  settled(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
    this.#wake?.();
  }

  /** The first slot always may: else results that wait behind it would block it for ever. No slot behind a failure may. */
  #mayRun(at: number): boolean {
    if (this.running >= this.#plan.concurrency) return false;
    if (at === 0) return true;
    if (this.slots[at - 1]!.kind === 'failed') return false;
    const ahead = this.slots[0]!.kind === 'done' ? this.#plan.concurrency : this.#plan.ahead;
    return this.slots.filter((slot) => slot.kind !== 'region').length < ahead;
  }

  #begin(slot: Slot<Region, Result>, task: Task): void {
    this.running++;
    void this.#plan.run(task, this.#controller.signal).then(
      ({ result, rest = [] }) => {
        const regions = rest.map((region) => ({ kind: 'region' as const, region }));
        const done = result === undefined ? [] : [{ kind: 'done' as const, result }];
        this.#replace(slot, [...done, ...regions]);
      },
      (error: unknown) => this.#replace(slot, [{ kind: 'failed', error }]),
    );
  }

  #replace(slot: Slot<Region, Result>, by: readonly Slot<Region, Result>[]): void {
    this.running--;
    this.slots.splice(this.slots.indexOf(slot), 1, ...by);
    this.#wake?.();
  }
}
