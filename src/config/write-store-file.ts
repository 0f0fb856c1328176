import { chmodSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FolioError, OutputError } from '../errors.ts';
import { checkPrivate } from './check-private.ts';
import { readStoreFile } from './read-store-file.ts';
import { emptyDocument } from './store-document.ts';
import type { StoreDocument } from './store-document.ts';
import { takeStoreLock } from './store-lock.ts';
import type { Patience } from './store-lock.ts';
import { systemReason } from './system-reason.ts';

export interface StoreWrite {
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
    throw new OutputError(`the configuration ${file} cannot be written: ${systemReason(error)}`, {
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
