import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs';
import { readFileSync, realpathSync, rmSync, statSync, type Stats } from 'node:fs';
import { homedir, platform } from 'node:os';
import { basename, dirname, extname, join, posix, resolve, win32 } from 'node:path';
import type Conf from 'conf';
import type { Environment } from '../context.ts';
import { errorCode, FolioError, OutputError, systemReason, UsageError } from '../errors.ts';
import type { FileContext } from '../output/files/side-files.ts';
import { makeFolders } from '../output/files/target.ts';
import { quoteForShell } from '../output/terminal/terminal-text.ts';
import {
  brokenStore,
  type ConfigStore,
  emptyDocument,
  parseDocument,
  readProfile,
  readSettings,
  type StoreDocument,
} from './profile.ts';

interface StorePlace {
  /** The account's home folder; used only where HOME is not set. May throw where the account has none. */
  readonly homedir?: () => string;
  /** As `process.platform`. */
  readonly platform?: string;
}

/**
 * The file with profiles and settings, whether or not it exists: in FOLIO_CONFIG_DIR, else where the system keeps such files. An
 * empty variable counts as unset. Undefined if there is no such folder, as under `env -i` for an account without a home folder.
 */
export function storeFile(env: Environment, place: StorePlace = {}): string | undefined {
  const { FOLIO_CONFIG_DIR: folder, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env;
  if (folder) return resolve(folder, 'config.json');
  const system = place.platform ?? platform();
  const isWindows = system === 'win32';
  const path = isWindows ? win32 : posix;
  const own = isWindows ? ['folio', 'Config', 'config.json'] : ['folio', 'config.json'];
  const base = isWindows ? appData : xdg;
  // The XDG base directory specification has relative paths ignored; so does the promise to read nothing from the
  // working folder.
  if (base && path.isAbsolute(base)) return path.join(base, ...own);
  const home = env[isWindows ? 'USERPROFILE' : 'HOME'] || accountHome(place.homedir ?? homedir);
  if (home === undefined || !path.isAbsolute(home)) return undefined;
  if (isWindows) return path.join(home, 'AppData', 'Roaming', ...own);
  return path.join(home, ...(system === 'darwin' ? ['Library', 'Preferences'] : ['.config']), ...own);
}

function accountHome(homedir: () => string): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

interface StoreOptions extends FileContext, StorePlace {
  readonly env: Environment;
  /** The user that folio runs as; undefined on systems without user numbers, where nothing is checked. */
  readonly uid?: number | undefined;
}

/**
 * Opens the store. Without a file it is empty, and nothing is created before the first update. Throws UsageError for a file that
 * other users can read or that is not a store: it is never reset or written over.
 */
export async function openStore(options: StoreOptions): Promise<ConfigStore> {
  const file = storeFile(options.env, options);
  let document = (file === undefined ? undefined : await readStoreFile(file, options.uid)) ?? emptyDocument();
  return {
    file,
    get currentProfile() {
      return document.currentProfile;
    },
    get profileNames() {
      return Object.keys(document.profiles);
    },
    profile: (name) => readProfile(document, name, file!),
    settings: (profile) => readSettings(document, profile, file!),
    async update(change) {
      if (file === undefined) {
        throw new UsageError('there is no home folder to keep the configuration in', {
          hint: 'Set FOLIO_CONFIG_DIR to a folder, or give everything by FOLIO_TOKEN and FOLIO_BASE_URL.',
        });
      }
      document = await writeStoreFile(file, options, change);
    },
  };
}

/** Milliseconds to wait for another run to write the store, which usually takes a few milliseconds. */
const LOCK_PATIENCE = 10_000;

/** The store's document, or undefined when there is no file. Throws UsageError for one that cannot be used. */
async function readStoreFile(file: string, uid?: number): Promise<StoreDocument | undefined> {
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
    // Does not wait: a pipe with that name would block folio forever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw brokenStore(file, 'it is not a file');
    checkPrivate('file', file, { stats, uid });
    // Where the file is a symbolic link, also the folder of the file behind it.
    for (const path of new Set([dirname(file), dirname(realFile(file))])) {
      checkPrivate('folder', path, { stats: statSync(path), uid });
    }
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

/**
 * Reads the store, changes it and writes it back, and returns the document as written. The file is read again under the lock, so
 * that a change by another run is kept. Throws UsageError for a store that must not be used as it is, OutputError where the disk
 * refuses or another run does not end; nothing is written then, nor where `change` throws.
 */
async function writeStoreFile(
  file: string,
  options: StoreOptions,
  change: (document: StoreDocument) => void,
): Promise<StoreDocument> {
  const { signal, uid } = options;
  try {
    await makeFolders(dirname(file), 0o700);
    checkPrivate('folder', dirname(file), { stats: statSync(dirname(file)), uid });
    const real = realFile(file);
    const { lockTarget } = await import('../output/files/lock.ts');
    for (;;) {
      const target = { folder: dirname(real), name: basename(real), shown: file };
      const lock = await lockTarget(target, options, LOCK_PATIENCE);
      try {
        const document = (await readStoreFile(file, uid)) ?? emptyDocument();
        change(document);
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

/** Removes the temporary files that killed runs left beside the file. The caller holds the lock. */
function removeTemporaries(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const ending = name.startsWith(basename(file)) ? name.slice(basename(file).length) : '';
    if (/^\.tmp-\d{10}[0-9a-f]{6}$/.test(ending)) rmSync(join(dirname(file), name), { force: true });
  }
}

/**
 * Refuses a file or folder of the store that another user owns or can look into, with the command that changes it. Folio does
 * not change the mode itself: others may know the token already, and its owner must be told.
 */
function checkPrivate(
  what: 'file' | 'folder',
  path: string,
  { stats, uid }: { stats: Stats; uid: number | undefined },
): void {
  if (uid === undefined) return;
  if (stats.uid !== uid) {
    throw new UsageError(`the ${what} ${path} belongs to another user (uid ${stats.uid})`, {
      hint: `Run folio as that user, set FOLIO_CONFIG_DIR to a folder of your own, or run \`chown ${uid} ${quoteForShell(path)}\`.`,
    });
  }
  if (!isOpenToOthers(stats)) return;
  throw new UsageError(
    `the ${what} ${path} holds tokens and is open to other users (mode ${modeText(stats.mode)})`,
    { hint: `Run \`chmod ${what === 'file' ? '600' : '700'} ${quoteForShell(path)}\`.` },
  );
}

/** Refuses a token file that other users can read, whoever owns it. */
export function checkTokenFile(path: string, stats: Stats): void {
  if (!isOpenToOthers(stats)) return;
  const quoted = quoteForShell(path);
  throw new UsageError(`the token file ${path} is open to other users (mode ${modeText(stats.mode)})`, {
    hint: `Run \`chmod 600 ${quoted}\`, or hand the token over on standard input with \`--token-file - < ${quoted}\`.`,
  });
}

function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/** Who may open the store, such as `mode 0600, in a folder of mode 0700`; `not there` without a file. */
export function modesOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'not there';
  // Windows has no such modes: a file is as private there as the user's folder.
  if (platform() === 'win32') return 'as private as your other files';
  return `mode ${modeText(stats.mode)}, in a folder of mode ${modeText(statSync(dirname(file)).mode)}`;
}

function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
