import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../context.ts';
import { FolioError, OutputError } from '../errors.ts';
import { emptyDocument, type StoreDocument } from './store-document.ts';
import { checkPrivate, readStoreFile } from './store-file.ts';
import { fileFailureReason, systemCode } from './system-reason.ts';

interface StoreWrite {
  readonly file: string;
  readonly uid: number | undefined;
  readonly patience: Patience;
  /** Changes the document in place; may throw, and then nothing is written. */
  readonly change: (document: StoreDocument) => void;
}

/**
 * Reads the store, changes it and writes it back, as one step that no other run of folio can come between: the file is
 * read again under the lock, so a change that another run has made meanwhile is kept.
 *
 * The lock is a folder beside the file, which only one can create; the new file is written inside it (0600 in 0700, flushed)
 * and then renamed over the old one. So the temporary file is exclusive, which the library's own is not.
 *
 * @returns the document as written
 * @throws UsageError for a store that must not be used as it is, OutputError where the disk refuses.
 */
export async function writeStoreFile(write: StoreWrite): Promise<StoreDocument> {
  const { file, uid, patience } = write;
  // Loaded before the lock is taken, so that others wait for the write only.
  const { default: Conf } = await import('conf');
  try {
    preparePrivateFolder(dirname(file), uid);
    const target = targetOf(file);
    for (;;) {
      const lock = await takeStoreLock(`${target}.lock`, patience);
      try {
        const document = readStoreFile(file, uid) ?? emptyDocument();
        write.change(document);
        const staged = new Conf({
          cwd: lock.path,
          configName: 'config',
          configFileMode: 0o600,
          accessPropertiesByDotNotation: false,
        });
        staged.store = document;
        if (!lock.isOurs()) continue;
        renameSync(join(lock.path, 'config.json'), target);
        return document;
      } finally {
        lock.release();
      }
    }
  } catch (error) {
    if (error instanceof FolioError || patience.signal.aborted) throw error;
    throw new OutputError(`the configuration ${file} cannot be written: ${fileFailureReason(error)}`, {
      hint: 'Set FOLIO_CONFIG_DIR to a folder that you can write to.',
      cause: error,
    });
  }
}

/** The file behind a symbolic link, as of people who keep their settings elsewhere: the link must outlive the rename. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Makes the folder, or sees to it that the one there is as private as what is to lie in it. */
function preparePrivateFolder(path: string, uid: number | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = statSync(path);
  const isOurs = stats.uid === uid;
  // A folder just made for folio, by `mkdir` or `mktemp -d`: nobody relies on what others can see of it.
  if (isOurs && (stats.mode & 0o077) !== 0 && readdirSync(path).length === 0) chmodSync(path, 0o700);
  else checkPrivate({ path, what: 'folder', stats, uid });
}

/** How the wait for another run's lock passes, and what ends it. */
interface Patience {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A folder that only one run can have made, for that run's own use. */
interface StoreLock {
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
async function takeStoreLock(path: string, { clock, signal }: Patience): Promise<StoreLock> {
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
