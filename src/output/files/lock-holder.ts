import { OutputError } from '../../errors.ts';
import type { Processes } from './processes.ts';

/** Who holds a lock: the contents of the lock file, as JSON. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Tells the process from a later one with the same number: the boot, and the ticks since. Linux only. */
  readonly processStart?: string | undefined;
}

/** The holder that the lock file's text names; undefined when it is not one of ours or was cut short. */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, startedAt, processStart } = JSON.parse(text) as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || typeof host !== 'string' || typeof startedAt !== 'string')
      return undefined;
    const start = typeof processStart === 'string' ? processStart : undefined;
    return { pid: pid as number, host, startedAt, processStart: start };
  } catch {
    return undefined;
  }
}

/**
 * Whether the holder is certainly dead: on this machine, and its process is gone or its number belongs to another
 * process by now. Of other machines nothing is known, so their locks stand.
 */
export async function isGone(holder: LockHolder, processes: Processes): Promise<boolean> {
  if (holder.host !== processes.host) return false;
  const { alive, start } = await processes.look(holder.pid);
  if (!alive) return true;
  return holder.processStart !== undefined && start !== undefined && holder.processStart !== start;
}

/** That the target is taken: by whom, since when, and what to do about it. */
export function heldBy(
  holder: LockHolder | undefined,
  self: Processes,
  at: { shown: string; lock: string },
): OutputError {
  const orphaned = { hint: `if that run is over, delete ${at.lock}` };
  if (holder === undefined) {
    return new OutputError(`${at.shown} is locked by ${at.lock}, which does not say whose it is`, orphaned);
  }
  const { pid, host, startedAt } = holder;
  if (host !== self.host) {
    return new OutputError(
      `another run (pid ${pid} on ${host}, since ${startedAt}) is writing ${at.shown}`,
      orphaned,
    );
  }
  if (pid === self.pid) {
    return new OutputError(`this run is writing ${at.shown} already`, { hint: 'name two different files' });
  }
  return new OutputError(`another run (pid ${pid}, since ${startedAt}) is writing ${at.shown}`, {
    hint: 'wait for it to end, or write to another file',
  });
}
