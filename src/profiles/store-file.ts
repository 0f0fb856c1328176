import { isUtf8 } from 'node:buffer';
import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, promises } from 'node:fs';
import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { platform as systemPlatform } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import type Conf from 'conf';
import { errorCode, FolioError, OutputError, systemReason, UsageError } from '../errors.ts';
import type { FileContext } from '../output/files/side-files.ts';
import { checkPrivate, isOpenToOthers, modeText } from './private-file.ts';
import { brokenStore, emptyDocument, parseDocument, type StoreDocument } from './store-document.ts';

/** The most bytes of the store: a thousand profiles take a quarter of them. */
const MAX_BYTES = 1024 * 1024;

/** Milliseconds to wait for another run that writes the store, which takes it a few milliseconds. */
const LOCK_PATIENCE = 10_000;

/**
 * The store's document, or undefined when there is no file.
 *
 * @param uid the user that folio runs as; undefined on systems without user numbers
 * @throws UsageError for a file that others can read, that is not folio's form, or that cannot be read.
 */
export async function readStoreFile(file: string, uid?: number): Promise<StoreDocument | undefined> {
  if (!isUsable(file, uid)) return undefined;
  try {
    return (await openConf(file)).store;
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  }
}

/**
 * The store's file as conf reads and writes it: whole, flushed and renamed over the old one, with mode 0600. A file that is
 * not folio's form is an error and stays as it is.
 */
async function openConf(file: string): Promise<Conf<StoreDocument>> {
  // Loaded only where there is a file, or is to be one.
  const { default: Conf } = await import('conf');
  return new Conf<StoreDocument>({
    cwd: dirname(file),
    configName: basename(file, extname(file)),
    fileExtension: extname(file),
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
    deserialize(text) {
      // What is not UTF-8 arrives with this character in its place.
      if (text.includes('\uFFFD') && !isUtf8(readFileSync(file)))
        throw brokenStore(file, 'it is not UTF-8 text');
      return parseDocument(text, file);
    },
  });
}

/** Whether there is a file that may be used. Throws UsageError for one that may not. */
function isUsable(file: string, uid?: number): boolean {
  let descriptor: number | undefined;
  try {
    // Not waiting: a pipe that lies there under the file's name would otherwise hold folio for ever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw brokenStore(file, 'it is not a file');
    checkPrivate('file', file, { stats, uid });
    // Where the file is a symbolic link, also the folder of the file behind it.
    for (const path of new Set([dirname(file), dirname(realFile(file))])) {
      checkPrivate('folder', path, { stats: statSync(path), uid });
    }
    if (stats.size > MAX_BYTES) throw brokenStore(file, `it is larger than ${MAX_BYTES} bytes`);
    return true;
  } catch (error) {
    if (descriptor === undefined && ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false;
    throw error instanceof UsageError ? error : unreadable(file, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The file behind a symbolic link: some people keep their settings elsewhere. */
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`the configuration ${file} cannot be read: ${systemReason(error)}`, {
    hint: 'Set FOLIO_CONFIG_DIR to a folder that you can read.',
    cause: error,
  });
}

export interface StoreWriter extends FileContext {
  /** The user that folio runs as, from `process.getuid`; left out where the system has no such numbers. */
  readonly uid?: number | undefined;
}

/**
 * Reads the store, changes it and writes it back, as one step that no other run of folio can come between: the file is
 * read again under the lock, so that a change which another run has made meanwhile is kept.
 *
 * @param change changes the document in place; may throw, and then nothing is written
 * @returns the document as written
 * @throws UsageError for a store that must not be used as it is or would become too large, OutputError where the disk
 * refuses or another run does not end.
 */
export async function writeStoreFile(
  file: string,
  writer: StoreWriter,
  change: (document: StoreDocument) => void,
): Promise<StoreDocument> {
  const { signal, uid } = writer;
  try {
    preparePrivateFolder(dirname(file), uid);
    const real = realFile(file);
    const { lockTarget } = await import('../output/files/lock.ts');
    for (;;) {
      const target = { folder: dirname(real), name: basename(real), shown: file };
      const lock = await lockTarget(target, writer, LOCK_PATIENCE);
      try {
        const document = (await readStoreFile(file, uid)) ?? emptyDocument();
        change(document);
        refuseTooLarge(document, file);
        const conf = await openConf(file);
        if (!(await lock.isOurs())) continue;
        removeTemporaries(real);
        conf.store = document;
        return document;
      } finally {
        await lock.release();
      }
    }
  } catch (error) {
    if (error instanceof FolioError || signal.aborted) throw error;
    throw new OutputError(`the configuration ${file} cannot be written: ${systemReason(error)}`, {
      hint: 'Set FOLIO_CONFIG_DIR to a folder that you can write to.',
      cause: error,
    });
  }
}

/** A file that is larger would be refused by the next run, and by all that could make it smaller. */
function refuseTooLarge(document: StoreDocument, file: string): void {
  // As conf writes it.
  const bytes = Buffer.byteLength(JSON.stringify(document, undefined, '\t'));
  if (bytes <= MAX_BYTES) return;
  throw new UsageError(
    `the configuration ${file} would be ${bytes} bytes long, more than ${MAX_BYTES}; nothing was changed`,
    { hint: 'Remove profiles that are no longer in use with `folio auth logout <name>`.' },
  );
}

/** Removes the temporary files that killed runs left beside the file. The caller holds the lock. */
function removeTemporaries(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const ending = name.startsWith(basename(file)) ? name.slice(basename(file).length) : '';
    if (/^\.tmp-\d{10}[0-9a-f]{6}$/.test(ending)) rmSync(join(dirname(file), name), { force: true });
  }
}

/** Makes the folder, or checks that the one that is there is private. */
function preparePrivateFolder(path: string, uid: number | undefined): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = statSync(path);
  // An empty folder was probably just made for folio, by `mkdir` or `mktemp -d`: it can be closed to others.
  const canBeClosed = stats.uid === uid && isOpenToOthers(stats) && readdirSync(path).length === 0;
  if (canBeClosed) chmodSync(path, 0o700);
  else checkPrivate('folder', path, { stats, uid });
}

/**
 * Who may open the store, such as `mode 0600, in a folder of mode 0700`; undefined where there is no file.
 *
 * @param platform as `process.platform`
 */
export async function describePermissions(
  file: string,
  platform: string = systemPlatform(),
): Promise<string | undefined> {
  try {
    const [own, folder] = [await promises.stat(file), await promises.stat(dirname(file))];
    // Windows has no such modes: every file seems open there. What it has instead is taken over from the user's folder.
    if (platform === 'win32') return 'as private as your other files';
    return `mode ${modeText(own.mode)}, in a folder of mode ${modeText(folder.mode)}`;
  } catch {
    return undefined;
  }
}
