import { link, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../context.ts';
import { errorCode, OutputError, systemReason } from '../../errors.ts';
import { parseJsonObject } from '../../json/json-object.ts';
import { cannotWrite } from './cannot-write.ts';
import type { Processes } from './processes.ts';
import { sideFilesOf } from './side-files.ts';
import type { FileTarget } from './target.ts';

/** The file that is locked; it need not exist yet. */
type LockTarget = Pick<FileTarget, 'shown' | 'folder' | 'name'>;

export interface LockContext {
  readonly clock: Pick<Clock, 'now' | 'random'>;
  readonly processes: Processes;
}

/** How long to wait for a lock that another run holds. */
interface LockWait {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  readonly milliseconds: number;
}

/** The lock of a file, which gives the right to write it. One run has it at a time. */
export interface FileLock {
  /** The mode that a new file gets in the folder, by umask or the folder's own rule. */
  readonly newFileMode: number;
  /** False when another run has taken the lock over, which it may when this one slept for a minute. */
  isOurs(): Promise<boolean>;
  /** Removes what killed runs left beside the file: see `sideFilesOf`. Never rejects. */
  removeStaleFiles(): Promise<void>;
  /** Gives the lock back. Never rejects; a lock that is no longer ours is left alone. */
  release(): Promise<void>;
}

/** Milliseconds between two renewals of a lock's time stamp. */
const RENEW_EVERY = 10_000;
/** Milliseconds without a renewal after which a lock is stale, where its owner's process cannot be looked at. */
const STALE_AFTER = 60_000;
/** Milliseconds between two looks at a lock that is waited for. */
const LOOK_EVERY = 25;
/** Times that a lock is tried for that goes and comes: far more than runs can end and begin meanwhile. */
const MAX_ROUNDS = 100;

/** Errors of a file system that has no hard links: FAT, some network drives. */
export const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES']);

/**
 * Takes the lock of a file. It is a file beside it, which names its owner. A lock is alive while its owner's process is, if
 * that runs on this host; otherwise while its owner renews the time stamp. A stale lock is taken over.
 *
 * @throws OutputError when another run holds the lock and the wait is over, or when no file can be made in the folder;
 * the signal's reason when it ends the wait.
 */
export async function lockTarget(
  target: LockTarget,
  context: LockContext,
  wait?: LockWait,
): Promise<FileLock> {
  const claim = await writeClaim(target, context);
  const path = join(target.folder, sideFilesOf(target.name).lock);
  const taking: Taking = { claim, target, processes: context.processes, wait };
  try {
    return heldLock(path, await take(path, taking), taking);
  } catch (error) {
    await claim.handle.close();
    throw error;
  } finally {
    await rm(claim.path, { force: true }).catch(() => undefined);
  }
}

interface Taking {
  readonly claim: LockClaim;
  readonly target: LockTarget;
  readonly processes: Processes;
  readonly wait: LockWait | undefined;
}

function heldLock(path: string, handle: FileHandle, { claim, target, processes }: Taking): FileLock {
  const renewal = setInterval(() => void renew(handle, claim.text).catch(() => undefined), RENEW_EVERY);
  // A lock must not keep the process from ending.
  renewal.unref();
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(renewal);
    await handle.close().catch(() => undefined);
    if (handle !== claim.handle) await claim.handle.close().catch(() => undefined);
    await removeIf(claim.text, path);
  };
  return {
    newFileMode: claim.newFileMode,
    isOurs: async () => ((await readLock(path))?.text ?? claim.text) === claim.text,
    removeStaleFiles: () => removeStaleFiles(target, async (lock) => isAlive(lock, claim, processes)),
    release: () => (released ??= release()),
  };
}

/**
 * Makes the claim the lock at `path`, and returns the handle by which it is renewed.
 *
 * Two runs that find the same stale lock must not both remove it: the slower one would remove the lock that the faster one has
 * taken since. So a run first takes a guard, a lock on removing this stale lock, and then looks again.
 */
async function take(path: string, taking: Taking): Promise<FileHandle> {
  const { claim, target, processes, wait } = taking;
  let waited = 0;
  for (let round = 0; round < MAX_ROUNDS;) {
    const handle = await linkClaim(claim, path, target);
    if (handle !== undefined) return handle;
    const found = await readLock(path);
    if (found === undefined) {
      round++;
    } else if (await isAlive(found, claim, processes)) {
      if (wait === undefined || waited >= wait.milliseconds) throw heldBy(found, path, taking);
      await wait.clock.sleep(LOOK_EVERY, wait.signal);
      waited += LOOK_EVERY;
    } else {
      round++;
      await removeStaleLock(path, found.text, taking);
    }
  }
  throw new OutputError(`cannot lock ${target.shown}: ${path} can be neither made nor read`, {
    hint: 'Delete it.',
  });
}

async function removeStaleLock(path: string, text: string, taking: Taking): Promise<void> {
  const { claim, target, processes } = taking;
  const guard = sideFilesOf(target.name).guard(path, text);
  const handle = await take(guard, taking);
  const found = await readLock(path);
  if (found !== undefined && !(await isAlive(found, claim, processes))) await removeIf(found.text, path);
  await removeIf(claim.text, guard);
  if (handle !== claim.handle) await handle.close();
}

/** The contents of the lock in a file of its own. A link gives it the name of the lock: the lock appears whole or not at all. */
interface LockClaim {
  readonly path: string;
  readonly handle: FileHandle;
  readonly text: string;
  readonly newFileMode: number;
}

/** Writes the claim beside the target. Throws OutputError when the folder lets us create no file. */
async function writeClaim(target: LockTarget, { clock, processes }: LockContext): Promise<LockClaim> {
  const { pid, host, namespace } = processes;
  const { start } = await processes.look(pid);
  const startedAt = new Date(clock.now()).toISOString();
  const id = Math.floor(clock.random() * 2 ** 48).toString(36);
  const text = `${JSON.stringify({ pid, host, namespace, startedAt, processStart: start, id })}\n`;
  const path = join(target.folder, sideFilesOf(target.name).claim(pid, clock.random()));
  try {
    const handle = await open(path, 'wx', 0o666);
    try {
      const newFileMode = (await handle.stat()).mode & 0o777;
      // Readable by all who may create files here, so that they can see whose it is; writable by us alone.
      await handle.chmod(newFileMode & 0o644);
      await handle.writeFile(text);
      return { path, handle, text, newFileMode };
    } catch (error) {
      await handle.close();
      await rm(path, { force: true });
      throw error;
    }
  } catch (error) {
    throw cannotWrite(target.shown, error);
  }
}

/** Makes the claim the lock, unless there is one: then undefined. Throws OutputError where no lock can be had at all. */
async function linkClaim(
  claim: LockClaim,
  path: string,
  target: LockTarget,
): Promise<FileHandle | undefined> {
  try {
    try {
      await link(claim.path, path);
      return claim.handle;
    } catch (error) {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
      const handle = await open(path, 'wx', 0o644);
      await handle.writeFile(claim.text);
      return handle;
    }
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    const reason = systemReason(error);
    throw new OutputError(
      `cannot lock ${target.shown}: no lock file can be made in ${target.folder}: ${reason}`,
      { hint: 'Write to a folder on a local disk, and copy the file from there.', cause: error },
    );
  }
}

interface FoundLock {
  readonly text: string;
  /** Milliseconds, by the clock of the file system. */
  readonly renewedAt: number;
}

/** Opens the file to read its time: by name alone, a network drive may answer from a cache. */
async function readLock(path: string): Promise<FoundLock | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  try {
    if (handle === undefined) return undefined;
    const { mtimeMs } = await handle.stat();
    return { text: await handle.readFile('utf8'), renewedAt: mtimeMs };
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

async function removeIf(expected: string, path: string): Promise<void> {
  if ((await readLock(path))?.text === expected) await rm(path, { force: true }).catch(() => undefined);
}

/** Writes the same text again. Returns the time of it by the clock of the file system, which all hosts share. */
async function renew(handle: FileHandle, text: string): Promise<number> {
  await handle.write(text, 0);
  await handle.datasync();
  return (await handle.stat()).mtimeMs;
}

/**
 * Whether the owner of a lock is at work. On the same host and in the same container its process tells. Otherwise, and for
 * a lock that names nobody, the time stamp decides. It is compared with that of our own claim, because the clocks of a
 * network drive and of this host may differ.
 */
async function isAlive(lock: FoundLock, claim: LockClaim, processes: Processes): Promise<boolean> {
  const owner = parseOwner(lock.text);
  if (owner !== undefined && isNear(owner, processes)) {
    const { alive, start } = await processes.look(owner.pid);
    return alive && (owner.processStart ?? start) === (start ?? owner.processStart);
  }
  const now = await renew(claim.handle, claim.text);
  return Math.abs(now - lock.renewedAt) <= STALE_AFTER;
}

/** Who holds a lock: the contents of the lock file, as JSON. */
interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** On Linux, the namespace of the process number. Containers may share the name of the host, but not this. */
  readonly namespace: string | undefined;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Tells the process from a later one with the same number: the boot, and the ticks since. Linux only. */
  readonly processStart: string | undefined;
}

/** The owner that the lock file's text names; undefined when it is not one of ours or was cut short. */
function parseOwner(text: string): LockOwner | undefined {
  const { pid, host, namespace, startedAt, processStart } = parseJsonObject(text) ?? {};
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid)) return undefined;
  if (typeof host !== 'string' || typeof startedAt !== 'string') return undefined;
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return { pid, host, startedAt, namespace: textOf(namespace), processStart: textOf(processStart) };
}

function isNear(owner: LockOwner, processes: Processes): boolean {
  return owner.host === processes.host && owner.namespace === processes.namespace;
}

/** Says who holds the lock, since when, and what to do about it. */
function heldBy({ text }: FoundLock, path: string, { target, processes }: Taking): OutputError {
  const { shown } = target;
  const owner = parseOwner(text);
  const soon = { hint: 'Wait for it to end; its lock ends a minute after the last sign of life.' };
  if (owner === undefined) {
    return new OutputError(`${shown} is locked by ${path}, which does not say whose it is`, soon);
  }
  const { pid, host, startedAt } = owner;
  if (!isNear(owner, processes)) {
    return new OutputError(
      `another run (pid ${pid} on ${host}, since ${startedAt}) is writing ${shown}`,
      soon,
    );
  }
  if (pid === processes.pid) {
    return new OutputError(`this run is writing ${shown} already`, { hint: 'Name two different files.' });
  }
  return new OutputError(`another run (pid ${pid}, since ${startedAt}) is writing ${shown}`, {
    hint: 'Wait for it to end, or write to another file.',
  });
}

/**
 * Only the owner of the lock writes temporary files, so that all that are there are stale. Claims are made before the lock is
 * taken: a claim is stale only when its owner is gone. A file that cannot be removed does no harm.
 */
async function removeStaleFiles(
  { folder, name }: LockTarget,
  isAlive: (claim: FoundLock) => Promise<boolean>,
): Promise<void> {
  const names = sideFilesOf(name);
  for (const file of await readdir(folder).catch(() => [])) {
    const kind = names.recognise(file);
    if (kind === undefined) continue;
    const path = join(folder, file);
    const claim = kind === 'claim' ? await readLock(path) : undefined;
    if (claim !== undefined && (await isAlive(claim).catch(() => true))) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}
