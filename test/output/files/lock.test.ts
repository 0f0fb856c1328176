import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OutputError } from '../../../src/errors.ts';
import { sideFilesOf } from '../../../src/output/files/side-files.ts';
import type { Processes } from '../../../src/context.ts';
import { processTable } from '../../../src/process-context.ts';
import type { FileTarget } from '../../../src/output/files/target.ts';
import { lockTarget } from '../../../src/output/files/lock.ts';
import { fakeProcesses, destinationContext, OUR_PID } from '../destination-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SINCE = '2026-11-02T07:00:00.000Z';
const OTHER_PID = 5_000_002;

function targetIn(folder: string): FileTarget {
  return { kind: 'file', shown: 'out.csv', folder, name: 'out.csv', existing: undefined };
}

function lockIn(folder: string, contents: unknown): string {
  const path = join(folder, '.out.csv.folio-lock');
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return path;
}

async function refusal(
  folder: string,
  processes: Processes,
): Promise<[message: string, hint: string | undefined]> {
  const error: unknown = await lockTarget(targetIn(folder), destinationContext({ processes })).catch(
    (error: unknown) => error,
  );
  if (!(error instanceof OutputError)) throw new Error('was not refused', { cause: error });
  return [error.message, error.hint];
}

/** Makes the file as if its owner had last renewed it so many seconds ago. */
function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

function refuse(): never {
  throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
}

/** A machine on which every number is a process that began at `start`. */
function started(start: string): Processes {
  return { ...fakeProcesses(), stateOf: () => Promise.resolve({ alive: true, start }) };
}

describe('a lock', () => {
  it('names its holder, and goes with its release', async () => {
    const folder = temporaryFolder();
    const lock = await lockTarget(targetIn(folder), destinationContext());
    expect(readdirSync(folder)).toEqual(['.out.csv.folio-lock']);
    expect(JSON.parse(readFileSync(join(folder, '.out.csv.folio-lock'), 'utf8'))).toEqual({
      pid: OUR_PID,
      host: 'desk',
      startedAt: '2026-11-02T08:00:00.000Z',
      id: expect.stringMatching(/^[0-9a-z]+$/) as string,
    });
    await lock.release();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that became another run’s is not released', async () => {
    const folder = temporaryFolder();
    const lock = await lockTarget(targetIn(folder), destinationContext());
    lockIn(folder, 'theirs');
    await lock.release();
    expect(readdirSync(folder)).toEqual(['.out.csv.folio-lock']);
  });

  it('of a living run is respected', async () => {
    const folder = temporaryFolder();
    lockIn(folder, { pid: OTHER_PID, host: 'desk', startedAt: SINCE });
    expect(await refusal(folder, fakeProcesses(OUR_PID, [OTHER_PID]))).toEqual([
      `another run (pid ${OTHER_PID}, since ${SINCE}) is writing out.csv`,
      'Wait for it to end, or write to another file.',
    ]);
    expect(readdirSync(folder)).toEqual(['.out.csv.folio-lock']);
  });

  const SOON = 'Wait for it to end; its lock ends a minute after the last sign of life.';
  const foreign = { pid: OTHER_PID, host: 'server', startedAt: SINCE };

  it('of another host is respected as long as it is renewed, and then taken over', async () => {
    const folder = temporaryFolder();
    const path = lockIn(folder, foreign);
    for (const seconds of [0, 50]) {
      age(path, seconds);
      expect(await refusal(folder, fakeProcesses())).toEqual([
        `another run (pid ${OTHER_PID} on server, since ${SINCE}) is writing out.csv`,
        SOON,
      ]);
    }
    age(path, 70);
    const lock = await lockTarget(targetIn(folder), destinationContext());
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: OUR_PID });
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('with a time in the future is stale as well', async () => {
    const folder = temporaryFolder();
    age(lockIn(folder, foreign), -3600);
    await lockTarget(targetIn(folder), destinationContext());
  });

  it('of another container on this host is judged by its time, not by who has its number here', async () => {
    const folder = temporaryFolder();
    const path = lockIn(folder, { ...foreign, host: 'desk', namespace: 'pid:[1]' });
    const processes = { ...fakeProcesses(OUR_PID, [OUR_PID, OTHER_PID]), namespace: 'pid:[2]' };
    expect((await refusal(folder, processes))[0]).toMatch(/^another run/);
    age(path, 70);
    await lockTarget(targetIn(folder), destinationContext({ processes }));
  });

  const NOBODYS = ['', '{"pid":', '{"pid":"7","host":"desk","startedAt":""}', 'null', '{}'];
  it.each(NOBODYS)('that does not say whose it is is respected for a minute: %s', async (contents) => {
    const folder = temporaryFolder();
    const path = lockIn(folder, contents);
    expect(await refusal(folder, fakeProcesses())).toEqual([
      `out.csv is locked by ${path}, which does not say whose it is`,
      SOON,
    ]);
    age(path, 70);
    const lock = await lockTarget(targetIn(folder), destinationContext());
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is renewed every ten seconds until it is released', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder();
    const path = join(folder, '.out.csv.folio-lock');
    const lock = await lockTarget(targetIn(folder), destinationContext());
    const text = readFileSync(path, 'utf8');
    for (let round = 0; round < 2; round++) {
      age(path, 50);
      vi.advanceTimersByTime(10_000);
      // By the turn, not by `vi.waitFor`, which lets the next renewals come due and gives up after a second.
      while (Date.now() - statSync(path).mtimeMs > 20_000) await setImmediate();
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    await lock.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is waited for, as long as wanted', async () => {
    const folder = temporaryFolder();
    const first = await lockTarget(targetIn(folder), destinationContext());
    const context = destinationContext();
    const sleep = context.clock.sleep.bind(context.clock);
    let sleeps = 0;
    context.clock.sleep = (milliseconds, signal) => {
      if (++sleeps === 3) void first.release();
      return sleep(milliseconds, signal);
    };
    const second = await lockTarget(targetIn(folder), context, 10_000);
    await expect(lockTarget(targetIn(folder), context, 100)).rejects.toThrow(
      /this run is writing out.csv already/,
    );
    const stopped = { ...context, signal: AbortSignal.abort(new Error('stopped')) };
    await expect(lockTarget(targetIn(folder), stopped, 10_000)).rejects.toThrow('stopped');
    await second.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of a dead run is taken over even if another run died while doing so', async () => {
    const folder = temporaryFolder();
    const dead = JSON.stringify({ pid: OTHER_PID, host: 'desk', startedAt: SINCE });
    lockIn(folder, dead);
    // What that one left: the lock on removing the lock.
    writeFileSync(sideFilesOf('out.csv').guard(join(folder, '.out.csv.folio-lock'), dead), dead);
    await lockTarget(targetIn(folder), destinationContext());
    expect(readdirSync(folder)).toEqual(['.out.csv.folio-lock']);
  });

  it('of a process whose number another one has now is taken over', async () => {
    const folder = temporaryFolder();
    const holder = { pid: OTHER_PID, host: 'desk', startedAt: SINCE, processStart: 'boot/100' };
    lockIn(folder, holder);
    expect((await refusal(folder, started('boot/100')))[0]).toMatch(/^another run/);
    await lockTarget(targetIn(folder), destinationContext({ processes: started('boot/200') }));
  });
});

describe('many runs on one target', () => {
  /** Every run tries, holds the lock for a while, and then releases it or dies with it. */
  it('never hold the lock two at a time, whoever dies when', async () => {
    const folder = temporaryFolder();
    const alive = new Set<number>();
    let nextPid = OUR_PID;
    let [holding, held] = [0, 0];
    const run = async (worker: number): Promise<void> => {
      // How many of the tries get the lock depends on the disk.
      for (let round = 0; round < 25 || held <= 16; round++) {
        const pid = nextPid++;
        alive.add(pid);
        const stateOf = async (pid: number) => ({ alive: alive.has(pid) });
        const processes: Processes = { pid, host: 'desk', stateOf };
        try {
          const lock = await lockTarget(targetIn(folder), destinationContext({ processes }));
          holding++;
          held++;
          expect(holding).toBe(1);
          for (let turns = (worker * 7 + round) % 5; turns > 0; turns--) await setImmediate();
          holding--;
          if ((worker + round) % 3 > 0) await lock.release();
        } catch (error) {
          if (!(error instanceof OutputError)) throw error;
        }
        alive.delete(pid);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, worker) => run(worker)));
  });

  it('that find a dead lock together: one gets it', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = temporaryFolder();
      lockIn(folder, { pid: OTHER_PID, host: 'desk', startedAt: SINCE });
      const pids = Array.from({ length: 12 }, (_, index) => OUR_PID + 10 + index);
      const runs = pids.map((pid) =>
        lockTarget(targetIn(folder), destinationContext({ processes: fakeProcesses(pid, pids) })),
      );
      const ends = await Promise.allSettled(runs);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});

describe('processTable', () => {
  it('knows this process, and that no process has an impossible number', async () => {
    const processes = processTable(process);
    expect([processes.pid, processes.host]).toEqual([process.pid, hostname()]);
    const self = await processes.stateOf(process.pid);
    expect(self.alive).toBe(true);
    expect(await processes.stateOf(process.pid)).toEqual(self);
    expect(await processes.stateOf(OUR_PID)).toEqual({ alive: false });
  });

  it('takes one that may not be signalled for alive', async () => {
    expect(await processTable({ pid: 1, kill: refuse }).stateOf(OUR_PID)).toEqual({ alive: true });
  });

  it.skipIf(process.platform !== 'linux')('tells processes apart by their start', async () => {
    const processes = processTable(process);
    const { start } = await processes.stateOf(process.pid);
    expect(start).toMatch(/^[0-9a-f-]{36}\/\d+$/);
    expect((await processes.stateOf(process.ppid)).start).not.toBe(start);
  });
});
