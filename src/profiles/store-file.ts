import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../errors.ts';
import { brokenStore, parseDocument, type StoreDocument } from './store-document.ts';
import { fileFailureReason, systemCode } from './system-reason.ts';

/** A thousand profiles take a quarter of it. */
const maxBytes = 1024 * 1024;

/**
 * The store's document, or undefined when there is no file. The library that writes the file is not needed to read it:
 * loading it takes longer than an empty run of the program, and it does not look at who may read the file.
 *
 * @throws UsageError for a file that others can read, that is not folio's form, or that cannot be read.
 */
export function readStoreFile(file: string, uid: number | undefined): StoreDocument | undefined {
  let descriptor: number;
  try {
    // Not waiting: a pipe that lies there under the file's name would otherwise hold folio for ever.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw unreadable(file, error);
  }
  try {
    // The open file is what is checked, so that it cannot be another one by the time it is read.
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw brokenStore(file, 'it is not a file');
    checkPrivate({ path: file, what: 'file', stats, uid });
    checkPrivate({ path: dirname(file), what: 'folder', stats: statSync(dirname(file)), uid });
    if (stats.size > maxBytes) throw brokenStore(file, `it is larger than ${maxBytes} bytes`);
    return parseDocument(readFileSync(descriptor), file);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`the configuration ${file} cannot be read: ${fileFailureReason(error)}`, {
    hint: 'Set FOLIO_CONFIG_DIR to a folder that you can read.',
    cause: error,
  });
}

interface PrivateThing {
  readonly path: string;
  readonly what: 'file' | 'folder';
  readonly stats: Stats;
  /** The user that folio runs as; undefined on systems without user numbers, where nothing is checked. */
  readonly uid: number | undefined;
}

/**
 * Refuses a file or folder of the store that another user owns or can look into, with the command that mends it. A token
 * that others could read is not used before its owner has looked at it; folio does not quietly close the door on what
 * may be known already.
 */
export function checkPrivate({ path, what, stats, uid }: PrivateThing): void {
  if (uid === undefined) return;
  if (stats.uid !== uid) {
    throw new UsageError(`the ${what} ${path} belongs to another user (uid ${stats.uid})`, {
      hint: `Run folio as that user, set FOLIO_CONFIG_DIR to a folder of your own, or run \`chown ${uid} ${quoteForShell(path)}\`.`,
    });
  }
  if ((stats.mode & 0o077) !== 0) {
    throw new UsageError(
      `the ${what} ${path} holds tokens and is open to other users (mode ${modeText(stats)})`,
      {
        hint: `Run \`chmod ${what === 'file' ? '600' : '700'} ${quoteForShell(path)}\`.`,
      },
    );
  }
}

function modeText(stats: Stats): string {
  return (stats.mode & 0o777).toString(8).padStart(4, '0');
}

/** The path as a shell takes it for one word. */
function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

interface StorePermissions {
  /** Such as `0600`. */
  readonly file: string;
  readonly folder: string;
}

/** The modes of the store's file and of its folder; undefined where there is no file. */
export async function storePermissions(file: string): Promise<StorePermissions | undefined> {
  try {
    const [own, folder] = [await stat(file), await stat(dirname(file))];
    return { file: modeDigits(own.mode), folder: modeDigits(folder.mode) };
  } catch {
    return undefined;
  }
}

function modeDigits(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
