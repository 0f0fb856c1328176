import { link, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../context.ts';
import { OutputError, errorCode, systemReason } from '../../errors.ts';
import { cannotWrite } from './cannot-write.ts';
import type { Processes } from './processes.ts';
import { sideFilesOf } from './side-files.ts';
import type { FileTarget } from './target.ts';

/** The right to write a target: one run has it at a time. */
export interface TargetLock {
  /** The mode that a new file gets in the target's folder. */
  readonly newFileMode: number;
  /** Gives the right back. Never rejects; a lock that is no longer ours is left alone. */
  release(): Promise<void>;
}

interface Taking {
  readonly claim: LockClaim;
  readonly target: FileTarget;
  readonly processes: Processes;
}

/** Far more rounds than there are runs that can come and go between two steps of ours. */
const ROUNDS = 100;

/**
 * Takes the lock of the target, which is a file beside it that names its holder; a dead holder's is taken over.
 * Throws OutputError at once when another run holds it, or when the folder lets us create no file.
 */
export async function lockTarget(target: FileTarget, site: LockContext): Promise<TargetLock> {
  const claim = await writeClaim(target, site);
  const lock = join(target.folder, sideFilesOf(target.name).lock);
  try {
    await take({ claim, target, processes: site.processes }, lock);
  } finally {
    await rm(claim.path, { force: true }).catch(() => undefined);
  }
  return { newFileMode: claim.newFileMode, release: () => removeIf(claim.text, lock) };
}

/**
 * Two runs that find the same dead lock must not both remove it: the slower one would remove the faster one's. So
 * whoever is to remove it first takes a lock for just that, named after the dead holder, and then looks again.
 */
async function take(taking: Taking, lock: string): Promise<void> {
  const { claim, target, processes } = taking;
  for (let round = 0; round < ROUNDS; round++) {
    if (await linkClaim(claim, lock, target)) return;
    const text = await readText(lock);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder === undefined || !(await isGone(holder, processes))) {
      throw heldBy(holder, processes, { shown: target.shown, lock });
    }
    const guard = sideFilesOf(target.name).guard(lock, text);
    await take(taking, guard);
    await removeIf(text, lock);
    await removeIf(claim.text, guard);
  }
  throw new OutputError(`cannot lock ${target.shown}: ${lock} can be neither made nor read`, {
    hint: 'delete it',
  });
}

async function removeIf(expected: string, path: string): Promise<void> {
  if ((await readText(path)) === expected) await rm(path, { force: true }).catch(() => undefined);
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

export interface LockContext {
  readonly clock: Pick<Clock, 'now' | 'random'>;
  readonly processes: Processes;
}

/** The contents of a lock, in a file of its own: linked to the lock's name, they appear there complete or not at all. */
interface LockClaim {
  readonly path: string;
  readonly text: string;
  /** The mode that a new file gets in this folder, by umask or the folder's own rule. */
  readonly newFileMode: number;
}

/** Errors of a file system that has no hard links: FAT, some network shares. */
export const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES']);

/** Writes the claim beside the target. Throws OutputError when the folder lets us create no file. */
async function writeClaim(target: FileTarget, { clock, processes }: LockContext): Promise<LockClaim> {
  const { pid, host } = processes;
  const { start } = await processes.look(pid);
  const startedAt = new Date(clock.now()).toISOString();
  const text = `${JSON.stringify({ pid, host, startedAt, processStart: start })}\n`;
  const path = join(target.folder, sideFilesOf(target.name).claim(pid, clock.random()));
  try {
    return { path, text, newFileMode: await writeNew(path, text) };
  } catch (error) {
    throw cannotWrite(target.shown, error);
  }
}

/** Returns the mode that the file was created with; it is then made readable by all who may, writable by us alone. */
async function writeNew(path: string, text: string): Promise<number> {
  const handle = await open(path, 'wx', 0o666);
  try {
    const mode = (await handle.stat()).mode & 0o777;
    await handle.chmod(mode & 0o644);
    await handle.writeFile(text);
    return mode;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes the claim the lock, unless there is one: then false. Throws OutputError where no lock can be had at all. */
async function linkClaim(claim: LockClaim, lock: string, target: FileTarget): Promise<boolean> {
  try {
    await link(claim.path, lock).catch((error: unknown) => {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
      return writeFile(lock, claim.text, { flag: 'wx', mode: 0o644 });
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    const reason = systemReason(error);
    throw new OutputError(
      `cannot lock ${target.shown}: no lock file can be made in ${target.folder}: ${reason}`,
      {
        hint: 'write to a folder on a local disk, and copy the file from there',
        cause: error,
      },
    );
  }
}

/** Who holds a lock: the contents of the lock file, as JSON. */
interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Tells the process from a later one with the same number: the boot, and the ticks since. Linux only. */
  readonly processStart?: string | undefined;
}

/** The holder that the lock file's text names; undefined when it is not one of ours or was cut short. */
function parseHolder(text: string): LockHolder | undefined {
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
async function isGone(holder: LockHolder, processes: Processes): Promise<boolean> {
  if (holder.host !== processes.host) return false;
  const { alive, start } = await processes.look(holder.pid);
  if (!alive) return true;
  return holder.processStart !== undefined && start !== undefined && holder.processStart !== start;
}

/** That the target is taken: by whom, since when, and what to do about it. */
function heldBy(
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
