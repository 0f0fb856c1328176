import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../errors.ts';
import { checkPrivate } from './check-private.ts';
import { brokenStore, parseDocument } from './store-document.ts';
import type { StoreDocument } from './store-document.ts';
import { systemCode, systemReason } from './system-reason.ts';

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
  return new UsageError(`the configuration ${file} cannot be read: ${systemReason(error)}`, {
    hint: 'Set FOLIO_CONFIG_DIR to a folder that you can read.',
    cause: error,
  });
}
