/**
 * Work that is cut into pieces as it goes: a region is a stretch not yet asked for, a piece is one request of it.
 */
interface Plan<Region, Piece, Result> {
  readonly regions: readonly Region[];
  /**
   * Cuts the next piece off the front of a region; `rest` stays in its place. 'wait' where what to do depends on
   * pieces still running; with none running it means that the region is done.
   */
  carve(
    region: Region,
    running: number,
  ): { readonly piece: Piece; readonly rest?: Region | undefined } | 'wait';
  /** Does one piece. What it returns takes the piece's place: a result, and regions still to be done after it. */
  run(piece: Piece, signal: AbortSignal): Promise<TaskResult<Region, Result>>;
  /** Pieces running at once. */
  readonly concurrency: number;
  /** Pieces running or done but not yet read, at most: what bounds the memory. */
  readonly ahead: number;
}

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
 * Runs a plan with several pieces at once and yields the results in the order of the regions. A failure is thrown
 * when its turn comes; no piece is begun after it. When the reader leaves, pieces still running are aborted.
 */
export async function* inOrder<Region, Piece, Result>(
  plan: Plan<Region, Piece, Result>,
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

/** The slots in order, and the pieces running in them. */
class Queue<Region, Piece, Result> {
  readonly slots: Slot<Region, Result>[];
  running = 0;
  readonly #plan: Plan<Region, Piece, Result>;
  readonly #controller = new AbortController();
  #wake: (() => void) | undefined;

  constructor(plan: Plan<Region, Piece, Result>) {
    this.#plan = plan;
    this.slots = plan.regions.map((region) => ({ kind: 'region', region }));
  }

  /** Begins as many pieces as may run now. */
  dispatch(): void {
    for (let at = 0; at < this.slots.length && this.#mayRun(at); at++) {
      const slot = this.slots[at]!;
      if (slot.kind !== 'region') continue;
      const carved = this.#plan.carve(slot.region, this.running);
      if (carved === 'wait') continue;
      const begun: Slot<Region, Result> = { kind: 'running' };
      const rest: Slot<Region, Result>[] =
        carved.rest === undefined ? [] : [{ kind: 'region', region: carved.rest }];
      this.slots.splice(at, 1, begun, ...rest);
      this.#begin(begun, carved.piece);
    }
  }

  /** Resolves when a running piece ends. */
  settled(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
    this.#wake?.();
  }

  /** The head always may, else results that wait behind it would block it for ever. Nothing may after a failure. */
  #mayRun(at: number): boolean {
    if (this.running >= this.#plan.concurrency) return false;
    if (at === 0) return true;
    if (this.slots[at - 1]!.kind === 'failed') return false;
    return this.slots.filter((slot) => slot.kind !== 'region').length < this.#plan.ahead;
  }

  #begin(slot: Slot<Region, Result>, piece: Piece): void {
    this.running++;
    void this.#plan.run(piece, this.#controller.signal).then(
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
