import { describe, expect, it } from 'vitest';
import { mapInOrder } from '../../src/paging/map-in-order.ts';

const forever = new AbortController().signal;

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('mapInOrder', () => {
  it('reads no further ahead than allowed behind a slow job', async () => {
    let begun = 0;
    let release = (): void => {};
    const first = new Promise<void>((resolve) => (release = resolve));
    const run = async (job: number): Promise<number> => {
      begun++;
      if (job === 0) await first;
      return job;
    };
    const items = mapInOrder(() => numbers(100), run, { concurrency: 4, ahead: 6, signal: forever });
    const head = items.next();
    await turns(50);
    expect(begun).toBe(6);
    release();
    expect(await head).toEqual({ value: 0, done: false });
    expect(await collect(items)).toHaveLength(99);
  });

  it('reads no further ahead of a slow reader than there may be running at once', async () => {
    let begun = 0;
    const run = async (job: number): Promise<number> => {
      begun++;
      return job;
    };
    const items = mapInOrder(() => numbers(100), run, { concurrency: 4, ahead: 10, signal: forever });
    for (let read = 1; read <= 20; read++) {
      await items.next();
      await turns(10);
      expect(begun).toBeLessThanOrEqual(read + 4);
    }
    await items.return(undefined);
  });

  it('throws a failure at its turn, after what was before it, and waits for what runs', async () => {
    let ended = 0;
    const run = async (job: number, signal: AbortSignal): Promise<number> => {
      if (job === 2) throw new Error('job 2');
      if (job > 2) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await turns(3);
      }
      ended++;
      return job;
    };
    const given: number[] = [];
    const limits = { concurrency: 4, ahead: 10, signal: forever };
    const reading = async (): Promise<void> => {
      for await (const result of mapInOrder(() => numbers(10), run, limits)) given.push(result);
    };
    await expect(reading()).rejects.toThrow('job 2');
    expect(given).toEqual([0, 1]);
    // Two before the failure; those begun behind it were told to stop and have ended.
    expect(ended).toBeGreaterThanOrEqual(2);
    const endedThen = ended;
    await turns(10);
    expect(ended).toBe(endedThen);
  });

  it('tells the jobs that run when it is stopped, and throws why', async () => {
    const stop = new AbortController();
    const stopped: unknown[] = [];
    const run = (_: number, signal: AbortSignal): Promise<number> =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          stopped.push(signal.reason);
          reject(new Error('aborted'));
        }),
      );
    const limits = { concurrency: 2, ahead: 4, signal: stop.signal };
    const reading = collect(mapInOrder(() => numbers(10), run, limits));
    const reason = new Error('stopped by the user');
    await turns(3);
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(stopped).toEqual([reason, reason]);
  });

  it('gives what was done before the source failed', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1;
      throw new Error('the walk');
    }
    const given: number[] = [];
    const reading = async (): Promise<void> => {
      const limits = { concurrency: 2, ahead: 4, signal: forever };
      for await (const one of mapInOrder(source, async (job) => job, limits)) given.push(one);
    };
    await expect(reading()).rejects.toThrow('the walk');
    expect(given).toEqual([1]);
  });

  it('ends the source and the jobs when the reader leaves, and tells them why', async () => {
    let [sourceEnded, begun] = [false, 0];
    const reasons: unknown[] = [];
    const source = async function* (signal: AbortSignal): AsyncGenerator<number> {
      try {
        yield* numbers(100);
      } finally {
        sourceEnded = signal.aborted;
      }
    };
    const run = async (job: number, signal: AbortSignal): Promise<undefined> => {
      begun++;
      if (job === 0) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      reasons.push((signal.reason as Error).message);
    };
    const limits = { concurrency: 3, ahead: 6, signal: forever };
    for await (const result of mapInOrder(source, run, limits)) {
      expect(result).toBeUndefined();
      break;
    }
    expect(begun).toBeGreaterThan(1);
    expect([sourceEnded, reasons]).toEqual([true, Array(begun - 1).fill('the reader left')]);
  });
});
