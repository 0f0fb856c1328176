import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, OutputError } from '../../errors.ts';
import { parseJsonObject } from '../../json/json-object.ts';
import { sideFilesOf, temporaryPath, type FileContext } from './side-files.ts';
import { cannotWrite, type FileTarget } from './target.ts';

type LockTarget = Pick<FileTarget, 'shown' | 'folder' | 'name'>;

/** The right to write a file, which one run has at a time. */
export interface FileLock {
  /** False where another run has taken the lock over, which it may after this one slept for a minute. */
  readonly isOurs: () => Promise<boolean>;
  /** Never rejects; a lock that is no longer ours is left alone. */
  release(): Promise<void>;
}

/** Milliseconds between two renewals of a lock's time stamp. */
const RENEW_EVERY = 10_000;
/** Milliseconds without a renewal after which a lock is stale, if its owner's process is not visible. */
const STALE_AFTER = 60_000;
/** Milliseconds between two tries for a lock that another run holds. */
const TRY_EVERY = 25;
/** Tries for a lock that is released and taken again: far more than the runs that can end and begin meanwhile. */
const MAX_ROUNDS = 100;

/**
 * Takes the lock of a file: a file beside it, which names its owner. A lock is alive while its owner's process is, if that runs
 * on this host; otherwise while its owner renews the time stamp. A stale lock is taken over.
 *
 * @param patience milliseconds to wait for a lock that another run holds
 * @throws OutputError where another run holds the lock after that, or no file can be made in the folder; the signal's reason
 */
export async function lockTarget(target: LockTarget, context: FileContext, patience = 0): Promise<FileLock> {
  const { clock, processes } = context;
  const { pid, host, namespace } = processes;
  const { start: processStart } = await processes.stateOf(pid);
  const startedAt = new Date(clock.now()).toISOString();
  const id = Math.floor(clock.random() * 2 ** 48).toString(36);
  const text = `${JSON.stringify({ pid, host, namespace, startedAt, processStart, id })}\n`;
  const path = join(target.folder, sideFilesOf(target.name).lock);
  const handle = await take(path, { text, target, context, patience });
  // Writing the same text again renews the time stamp.
  const renew = (): Promise<void> => handle.write(text, 0).then(() => handle.datasync());
  const renewal = setInterval(() => void renew().catch(() => undefined), RENEW_EVERY);
  // A lock must not keep the process from ending.
  renewal.unref();
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(renewal);
    await handle.close().catch(() => undefined);
    await removeIf(text, path);
  };
  return {
    isOurs: async () => ((await readLock(path))?.text ?? text) === text,
    release: () => (released ??= release()),
  };
}

interface Taking {
  readonly text: string;
  readonly target: LockTarget;
  readonly context: FileContext;
  readonly patience: number;
}

/**
 * Makes the lock at `path`, and returns the handle by which it is renewed. Two runs that find the same stale lock must not both
 * remove it: the slower one would remove the lock that the faster one has taken since. So a run first takes a guard, a lock on
 * removing this stale lock, and then reads it again.
 */
async function take(path: string, taking: Taking): Promise<FileHandle> {
  const { text, target, context, patience } = taking;
  let waited = 0;
  for (let round = 0; round < MAX_ROUNDS;) {
    // Readable by all who may create files here, so that they can see whose it is; writable by us alone.
    const handle = await makeFile(path, { text, mode: 0o644, target });
    if (handle !== undefined) return handle;
    const found = await readLock(path);
    if (found !== undefined && (await isAlive(found, taking))) {
      if (waited >= patience) throw heldBy(found, path, taking);
      await context.clock.sleep(TRY_EVERY, context.signal);
      waited += TRY_EVERY;
      continue;
    }
    round++;
    if (found === undefined) continue;
    const guard = sideFilesOf(target.name).guard(path, found.text);
    const guarding = await take(guard, taking);
    const still = await readLock(path);
    // Another stale lock has a guard of its own.
    if (still?.text === found.text && !(await isAlive(still, taking))) await removeIf(found.text, path);
    await guarding.close();
    await removeIf(text, guard);
  }
  throw new OutputError(`cannot lock ${target.shown}: ${path} can be neither made nor read`, {
    hint: 'Delete it.',
  });
}

/** Makes a file, unless there is one: then undefined. Throws OutputError. */
async function makeFile(
  path: string,
  { text, mode, target }: { text: string; mode: number; target: LockTarget },
): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'wx', mode);
    // Until its text is written, a lock has no owner, and counts as alive for a minute.
    await handle.writeFile(text);
    return handle;
  } catch (error) {
    if (handle === undefined && errorCode(error) === 'EEXIST') return undefined;
    await handle?.close();
    if (handle !== undefined) await rm(path, { force: true });
    throw cannotWrite(target.shown, error);
  }
}

type FoundLock = NonNullable<Awaited<ReturnType<typeof readLock>>>;

/**
 * The text of a lock, and when it was renewed, in milliseconds by the clock of the file system. The file is opened for that: by
 * name alone, a network drive may answer from a cache.
 */
async function readLock(path: string) {
  const handle = await open(path, 'r').catch(() => undefined);
  try {
    return handle && { renewedAt: (await handle.stat()).mtimeMs, text: await handle.readFile('utf8') };
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

async function removeIf(expected: string, path: string): Promise<void> {
  if ((await readLock(path))?.text === expected) await rm(path, { force: true }).catch(() => undefined);
}

/**
 * Whether the owner of a lock is alive: by its process on the same host and in the same container, else by the time stamp and
 * the clock of the file system, since that of a network drive and of this host may differ.
 */
async function isAlive(lock: FoundLock, { target, context }: Taking): Promise<boolean> {
  const owner = ownerIn(lock.text, context);
  if (owner?.isHere === true) {
    const { alive, start } = await context.processes.stateOf(owner.pid);
    return alive && (owner.processStart ?? start) === (start ?? owner.processStart);
  }
  const path = temporaryPath(target, context);
  const handle = await makeFile(path, { text: '', mode: 0o600, target });
  // Another run made it just now, by the same name.
  if (handle === undefined) return true;
  const { mtimeMs } = await handle.stat().finally(() => handle.close());
  await rm(path, { force: true });
  return Math.abs(mtimeMs - lock.renewedAt) <= STALE_AFTER;
}

/** The owner in a lock file, which is JSON; undefined if the file is not folio's, or cut short. */
function ownerIn(text: string, { processes }: FileContext) {
  const { pid, host, namespace, startedAt, processStart } = parseJsonObject(text) ?? {};
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid)) return undefined;
  if (typeof host !== 'string' || typeof startedAt !== 'string') return undefined;
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    pid,
    host,
    startedAt,
    // Distinguishes the process from a later one with the same number: the boot, and the ticks since. Linux only.
    processStart: textOf(processStart),
    // Containers may share the name of the host: its process is one of these only in the same namespace of Linux.
    isHere: host === processes.host && textOf(namespace) === processes.namespace,
  };
}

function heldBy({ text }: FoundLock, path: string, { target: { shown }, context }: Taking): OutputError {
  const owner = ownerIn(text, context);
  const soon = 'Wait for it to end; its lock ends a minute after the last sign of life.';
  if (owner === undefined)
    return new OutputError(`${shown} is locked by ${path}, which does not say whose it is`, { hint: soon });
  const { isHere } = owner;
  if (isHere && owner.pid === context.processes.pid)
    return new OutputError(`this run is writing ${shown} already`, { hint: 'Name two different files.' });
  const where = `pid ${owner.pid}${isHere ? '' : ` on ${owner.host}`}, since ${owner.startedAt}`;
  return new OutputError(`another run (${where}) is writing ${shown}`, {
    hint: isHere ? 'Wait for it to end, or write to another file.' : soon,
  });
}
