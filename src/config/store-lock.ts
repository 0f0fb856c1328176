import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '../context.ts';
import { systemCode } from './system-reason.ts';

/** How the wait for another run's lock passes, and what ends it. */
export interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A folder that only one run can have made, for that run's own use. */
export interface StoreLock {
  readonly path: string;
  /** False when another run took this one for dead. */
  isOurs(): boolean;
  release(): void;
}

/** Milliseconds between looks at a lock that another holds. A write takes a few. */
const pause = 25;
/** Looks at one and the same lock, 5 s in all, after which its holder is taken for dead. */
const looks = 200;

/**
 * Makes the folder `path`, waiting for a run that has it. Whether its holder is dead is told by how long it has not changed
 * while we looked, not by its date: the clocks of a network drive and of this machine may differ.
 *
 * @throws the system's error where the folder cannot be made, the signal's reason when the run is stopped.
 */
export async function takeStoreLock(path: string, { clock, signal }: Patience): Promise<StoreLock> {
  let seen: string | undefined;
  for (let unchanged = 0; ; unchanged++) {
    signal.throwIfAborted();
    if (make(path)) return ownLock(path);
    const now = stateOf(path);
    if (now === undefined || now !== seen) unchanged = 0;
    seen = now;
    if (unchanged >= looks) clearAway(path, clock);
    else await clock.sleep(pause, signal);
  }
}

function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function ownLock(path: string): StoreLock {
  const own = identityOf(path);
  const isOurs = (): boolean => own !== undefined && identityOf(path) === own;
  return {
    path,
    isOurs,
    release: () => {
      if (isOurs()) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Renamed first: of several runs that lose patience at once, one moves the folder and the others find it gone. */
function clearAway(path: string, clock: Clock): void {
  const aside = `${path}-${Math.floor(clock.random() * 2 ** 48).toString(36)}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return;
  }
  rmSync(aside, { recursive: true, force: true });
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.birthtimeMs}`;
}

function stateOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.ctimeMs}`;
}
