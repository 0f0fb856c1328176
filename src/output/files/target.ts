import { constants, promises, realpath } from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { FolioError, OutputError, errorCode, systemReason } from '../../errors.ts';

/** A regular file, which need not exist yet. Links are resolved. */
export interface FileTarget {
  readonly kind: 'file';
  /** As typed, for messages. */
  readonly shown: string;
  readonly folder: string;
  readonly name: string;
  /** The present file, whose mode and owner the new one takes over. */
  readonly existing: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined;
}

/** A device, a named pipe, a socket: written as the bytes come. */
export interface DeviceTarget {
  readonly kind: 'device';
  readonly shown: string;
  readonly path: string;
  readonly isPipe: boolean;
}

/**
 * Makes a folder, and those above it, unless it is there. Throws OutputError where there can be none.
 *
 * @returns a function that removes those of these folders that are still empty
 */
export async function makeFolder(path: string): Promise<() => Promise<void>> {
  const made = await makeFolders(resolve(path)).catch(
    failTo(path, 'Name a folder, or a place where one can be made.'),
  );
  return async () => {
    try {
      for (const folder of made) await promises.rmdir(folder);
    } catch {
      // The folder is not empty, or was removed already.
    }
  };
}

/**
 * Makes a folder and those above it, and returns those that were not there, the innermost first. Node's `recursive` never ends
 * where the system has no place for a folder, as below /proc.
 */
export async function makeFolders(path: string, mode?: number): Promise<readonly string[]> {
  const above = dirname(path);
  // Another run may have made it.
  const make = (): Promise<readonly string[]> =>
    promises.mkdir(path, mode).then(
      () => [path],
      async (error: unknown) => {
        const stats = await promises.stat(path).catch(() => undefined);
        if (stats?.isDirectory() === true) return [];
        throw error;
      },
    );
  return make().catch(async (error: unknown) => {
    // A drive that is not there is its own folder.
    if (errorCode(error) !== 'ENOENT' || above === path) throw error;
    const made = await makeFolders(above, mode);
    return [...(await make()), ...made];
  });
}

const DESCRIPTOR = /^(?:\/dev\/fd|\/proc\/self\/fd)\/(\d{1,9})$/;

/**
 * The number of the open descriptor that `-o` names; undefined for the name of a file. `/dev/fd/3` means that descriptor, even of
 * a regular file: the shell has opened it, so it must not be replaced.
 */
export function findStream(output: string | undefined): number | undefined {
  if (output === undefined || output === '-' || output === '/dev/stdout') return 1;
  if (output === '/dev/stderr') return 2;
  const [, descriptor] = DESCRIPTOR.exec(output) ?? [];
  return descriptor === undefined ? undefined : Number(descriptor);
}

/** What `-o` names, other than an open descriptor. Throws OutputError for a folder, a file in no folder or a read-only one. */
export async function findTarget(output: string): Promise<FileTarget | DeviceTarget> {
  return findOnDisk(output).catch(failTo(output));
}

async function findOnDisk(output: string): Promise<FileTarget | DeviceTarget> {
  if (output === '' || output.endsWith('/') || output.endsWith(sep)) throw isFolder(output);
  const name = basename(output);
  if (platform() === 'win32' && DEVICE_NAME.test(name)) {
    throw new OutputError(`cannot write ${output}: Windows takes ${name} for a device`, {
      hint: 'Choose another name, such as invoices.csv.',
    });
  }
  const path = await behindLinks(output);
  const found = await promises.stat(path).catch(unlessMissing);
  if (found?.isDirectory() === true) throw isFolder(output);
  if (found !== undefined && !found.isFile()) {
    return { kind: 'device', shown: output, path, isPipe: found.isFIFO() };
  }
  // A rename would replace a read-only file too, which its owner does not expect.
  if (found !== undefined) {
    const hint = 'The file is read-only: allow writing to it, or write another one.';
    await promises.access(path, constants.W_OK).catch(failTo(output, hint));
  }
  const existing = found && { mode: found.mode & 0o777, uid: found.uid, gid: found.gid };
  return { kind: 'file', shown: output, folder: dirname(path), name: basename(path), existing };
}

/** The path without links. Some Windows drives cannot resolve it: there Node resolves folder by folder. */
export function realPath(path: string): Promise<string> {
  return promises.realpath(path).catch((error: unknown) => {
    if (!['UNKNOWN', 'EISDIR'].includes(errorCode(error) ?? '')) throw error;
    return promisify(realpath)(path);
  });
}

/** The path that a write through links would reach, even if no file exists there. Throws OutputError without its folder. */
export async function behindLinks(output: string): Promise<string> {
  let path = resolve(output);
  for (let hops = 0; hops < 40; hops++) {
    const folder = await realPath(dirname(path)).catch((error: unknown) => {
      throw noFolder(output, dirname(path), error);
    });
    path = join(folder, basename(path));
    const entry = await promises.lstat(path).catch(unlessMissing);
    if (entry?.isSymbolicLink() !== true) return path;
    path = resolve(folder, await promises.readlink(path));
  }
  throw new OutputError(`cannot write ${output}: too many links, one to the next`, {
    hint: 'Name the file itself, not a link to it.',
  });
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function noFolder(output: string, folder: string, error: unknown): OutputError {
  if (errorCode(error) !== 'ENOENT') return cannotWrite(output, error);
  return new OutputError(`cannot write ${output}: there is no folder ${folder}`, {
    hint: 'Create it first, or name a folder that is there.',
    cause: error,
  });
}

function isFolder(output: string): OutputError {
  return new OutputError(
    output === '' ? 'the output file has no name' : `cannot write ${output}: it is a folder`,
    { hint: 'Name a file, such as invoices.csv, or `-` for standard output.' },
  );
}

/** Names that Windows takes for devices, whatever the extension. */
export const DEVICE_NAME =
  /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))/i;

const FOLDER = 'Choose a folder in which you may create files: a file is first written beside its target.';
const SPACE = 'Free some space, or write to another disk; what was there before is untouched.';
const BUSY = 'Another program or a mount holds the file. Write to another name, or mount its folder instead.';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'Create its folder first, or name a folder that is there.',
  EACCES: FOLDER,
  EPERM: FOLDER,
  EROFS: FOLDER,
  ENOSPC: SPACE,
  EDQUOT: SPACE,
  EFBIG: SPACE,
  EBUSY: BUSY,
  EXDEV: BUSY,
  ETXTBSY: BUSY,
  ENAMETOOLONG: 'Choose a shorter name.',
};

/** The hint for what is written as the bytes come. */
export const NOT_WHOLE = 'What it has so far is not whole.';

/**
 * An error of the system as an OutputError, with what may help; an error of folio's own as it is.
 *
 * @param shown how messages call the output
 */
export function cannotWrite(shown: string, error: unknown, hint?: string): FolioError {
  if (error instanceof FolioError) return error;
  return new OutputError(`cannot write ${shown}: ${systemReason(error)}`, {
    hint: hint ?? HINTS[errorCode(error) ?? ''],
    cause: error,
  });
}

/** Throws what is caught as `cannotWrite` words it. */
export function failTo(shown: string, hint?: string): (error: unknown) => never {
  return (error) => {
    throw cannotWrite(shown, error, hint);
  };
}
