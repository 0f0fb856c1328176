import { lstat, open, rm, rename } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { OutputError, errorCode } from '../../errors.ts';
import { removeLeftovers, temporaryPath, type FileContext } from './side-files.ts';
import { cannotWrite, failTo, type FileTarget } from './target.ts';
import type { OpenTarget } from '../writer.ts';

/**
 * Opens a file that appears whole or not at all: bytes go to a temporary file beside the target, which a commit flushes and
 * renames. Until then, and after a kill at any moment, the target is unchanged. If two runs write one file, the last to commit
 * wins; if the file has a receipt, the second run is refused. Throws OutputError if another run holds the lock of
 * the target, or its folder cannot be written.
 */
export async function openWholeFile(
  target: FileTarget,
  context: FileContext,
  hasReceipt: boolean,
): Promise<OpenTarget> {
  const { shown, folder, name, existing } = target;
  const lock = hasReceipt ? await (await import('./lock.ts')).lockTarget(target, context) : undefined;
  let file: TemporaryFile | undefined;
  let ended: Promise<void> | undefined;
  const remove = async (): Promise<void> => {
    await file?.remove();
    await lock?.release();
  };
  const step = async (action: () => Promise<void>): Promise<void> => {
    if (ended !== undefined) throw new OutputError(`cannot write ${shown}: it was given up`);
    try {
      await action();
    } catch (error) {
      // After a failure the file can never become whole, and the disk may need the space.
      ended ??= remove();
      await ended.catch(() => undefined);
      throw cannotWrite(shown, error);
    }
  };
  const install = async (): Promise<void> => {
    await file!.install(join(folder, name), context, lock?.isOurs);
    await flushFolder(folder).catch(
      failTo(shown, 'The new file is in place, but may not survive a power failure.'),
    );
  };
  await step(async () => {
    await removeLeftovers(target, context.clock.now());
    file = await openTemporary(temporaryPath(target, context), shown, existing);
  });
  return {
    isTerminal: false,
    spare: () => temporaryPath(target, context),
    write: (bytes) => step(() => file!.write(bytes)),
    commit: () => step(() => (ended = install().finally(remove))),
    discard: async () => {
      ended ??= remove();
      await ended.catch(() => undefined);
    },
  };
}

type TemporaryFile = Awaited<ReturnType<typeof openTemporary>>;

/**
 * Makes a file under a name of its own, for its owner alone until it gets its real name. It and its methods reject with the
 * system's error, or with OutputError.
 *
 * @param shown the final file's name in messages
 * @param existing the file whose mode and owner it takes over; undefined for those of a new file
 */
export async function openTemporary(path: string, shown: string, existing?: FileTarget['existing']) {
  const handle = await open(path, 'wx', existing === undefined ? 0o666 : 0o600);
  const { mode, ino, dev } = await handle.stat();
  await handle.chmod(0o600);
  return {
    write: (bytes: Uint8Array): Promise<void> => handle.writeFile(bytes),
    /**
     * Gives the file its real name, with all bytes on the disk.
     *
     * @param isOurs whether the file may still be written by this run
     */
    async install(to: string, context: FileContext, isOurs?: () => Promise<boolean>): Promise<void> {
      // Only root may change the owner. For others the file becomes their own, as with any program that replaces files.
      if (existing !== undefined) await handle.chown(existing.uid, existing.gid).catch(() => undefined);
      await handle.chmod(existing?.mode ?? mode & 0o777);
      // Before the rename: else a power failure may leave the new name with none of the bytes.
      await handle.sync();
      await handle.close();
      if ((await isOurs?.()) === false) throw takenOver(shown);
      const found = await lstat(path);
      // On Windows some versions of Node give a drive another number for a name than for an open file.
      const isElsewhere = found.dev !== dev && platform() !== 'win32';
      if (found.ino !== ino || isElsewhere) throw exchanged(shown);
      await putInPlace(path, to, { ...context, shown });
    },
    /** Never rejects. Does nothing after `install`. */
    async remove(): Promise<void> {
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** Errors where a folder cannot be flushed: on Windows and some network drives, and without permission to read it. */
const CANNOT_FLUSH = /^(?:EINVAL|ENOTSUP|EOPNOTSUPP|ENOSYS|EISDIR|EPERM|EACCES|EBADF)$/;

/** Flushes the folder, so that a rename in it survives a power failure. Does nothing where the system cannot. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_FLUSH.test(errorCode(error) ?? '')) throw error;
  }
}

/** Other users of the folder could replace the temporary file, and their file would get the name. */
export function exchanged(shown: string): OutputError {
  return new OutputError(
    `cannot write ${shown}: another file was put in its place while it was being written`,
    { hint: 'Choose a folder in which only you can write.' },
  );
}

export function takenOver(shown: string): OutputError {
  return new OutputError(`cannot write ${shown}: another run took it over while this one was asleep`, {
    hint: 'See what that one wrote, and run this again if it is not what you want.',
  });
}

/** Milliseconds between tries on Windows, 1.6 s in all: a virus scanner takes a part of a second. */
const WAITS = [25, 50, 100, 200, 400, 800];

/**
 * Renames a finished file over the existing one. On Windows that fails while another program has either open
 * (a spreadsheet, a virus scanner, an indexer), so it is tried again for a moment. Throws OutputError where that program keeps
 * the file; else the system's error, or the signal's reason.
 */
async function putInPlace(
  from: string,
  to: string,
  { clock, signal, shown }: FileContext & { readonly shown: string },
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (platform() !== 'win32' || !/^(?:EPERM|EACCES|EBUSY)$/.test(errorCode(error) ?? '')) throw error;
      if (tries === WAITS.length)
        throw new OutputError(
          `cannot write ${shown}: another program has it open, or it may not be replaced`,
          {
            hint: 'Close it in that program, or write to another name; what was there before is untouched.',
            cause: error,
          },
        );
      await clock.sleep(WAITS[tries]!, signal);
    }
  }
}
