import { lstat, open, rm, rename, type FileHandle } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { OutputError, errorCode } from '../../errors.ts';
import { cannotWrite, failTo } from './cannot-write.ts';
import { openTally, type Destination } from './destination.ts';
import { partsOf } from './file-bytes.ts';
import { removeLeftovers, temporaryPath, type FileContext } from './side-files.ts';
import type { FileTarget } from './target.ts';

/**
 * Opens a file that appears whole or not at all: bytes go to a temporary file beside the target, which a commit flushes and
 * renames. Until then, and after a kill at any moment, the target is what it was. Of two runs on one file, the last to commit
 * stands; where a receipt describes the file, the second run is refused. Throws OutputError where another run holds the lock of
 * the target, or its folder cannot be written.
 */
export async function openWholeFile(
  target: FileTarget,
  context: FileContext,
  hasReceipt: boolean,
): Promise<Destination> {
  const { shown, folder, name, existing } = target;
  const lock = hasReceipt ? await (await import('./lock.ts')).lockTarget(target, context) : undefined;
  /** The last one is being written; those before it were begun anew. */
  const files: TemporaryFile[] = [];
  let tally = await openTally(hasReceipt);
  let ended: Promise<void> | undefined;
  const remove = async (): Promise<void> => {
    for (const { handle, path } of files) {
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    }
    await lock?.release();
  };
  const discard = async (): Promise<void> => {
    ended ??= remove();
    await ended.catch(() => undefined);
  };
  /** After a failure the file can never become whole, and the disk may need the space. */
  const giveUp = async (error: unknown): Promise<never> => {
    await discard();
    throw cannotWrite(shown, error);
  };
  const refuseIfEnded = (): void => {
    if (ended !== undefined) throw new OutputError(`cannot write ${shown}: it was given up`);
  };
  const orGiveUp = async <T>(action: () => Promise<T>): Promise<T> => {
    refuseIfEnded();
    return action().catch(giveUp);
  };
  const openNext = async (): Promise<void> => {
    const path = temporaryPath(target, context);
    files.push(await openTemporary(path, existing === undefined ? 0o666 : 0o600));
  };
  const readAgain = async function* ({ handle }: TemporaryFile, lengths: readonly number[]) {
    try {
      yield* partsOf((...part) => handle.read(...part), lengths);
    } catch (error) {
      await giveUp(error);
    }
  };
  const install = async (): Promise<void> => {
    const { path, handle, mode } = files.at(-1)!;
    try {
      // Only root may change the owner. For others the file becomes their own, as with any program that replaces files.
      if (existing !== undefined) await handle.chown(existing.uid, existing.gid).catch(() => undefined);
      await handle.chmod(existing?.mode ?? mode);
      // Before the rename: else a power failure may leave the new name with none of the bytes.
      await handle.sync();
      const { ino, dev } = await handle.stat();
      for (const each of files) await each.handle.close();
      if ((await lock?.isOurs()) === false) throw takenOver(shown);
      const found = await lstat(path);
      // On Windows some versions of Node give a drive another number for a name than for an open file.
      const isElsewhere = found.dev !== dev && platform() !== 'win32';
      if (found.ino !== ino || isElsewhere) throw exchanged(shown);
      await putInPlace(path, join(folder, name), { ...context, shown });
    } catch (error) {
      await remove();
      throw cannotWrite(shown, error);
    }
    await flushFolder(folder)
      .catch(failTo(shown, 'The new file is in place, but may not survive a power failure.'))
      .finally(() => lock?.release());
  };
  await orGiveUp(async () => {
    await removeLeftovers(target, context.clock.now());
    await openNext();
  });
  return {
    isFile: true,
    get bytes() {
      return tally.bytes;
    },
    sha256: () => tally.sha256(),
    write: (chunk) => orGiveUp(() => writeChunk(files.at(-1)!.handle, tally.add(chunk))),
    startOver: (lengths) =>
      orGiveUp(async () => {
        const before = files.at(-1)!;
        await openNext();
        tally = await openTally(hasReceipt);
        // It loses its name, so that a kill leaves nothing of it.
        await rm(before.path);
        return readAgain(before, lengths);
      }),
    commit: async () => {
      refuseIfEnded();
      return (ended = install());
    },
    discard,
  };
}

interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** What a new file gets in the folder, by umask or the folder's own rule. */
  readonly mode: number;
}

/** Makes a file, for its owner alone until it is whole. Rejects with the system's error. */
export async function openTemporary(path: string, wanted = 0o666): Promise<TemporaryFile> {
  const handle = await open(path, 'wx+', wanted);
  const mode = (await handle.stat()).mode & 0o777;
  await handle.chmod(0o600);
  return { path, handle, mode };
}

/** The system may take a part of the bytes at a time. */
export async function writeChunk(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Windows and some network drives cannot flush a folder, nor can who may write the folder but not read it. */
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

/** Whoever may write in the folder can put another file in place of the temporary one, and it would get the name. */
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
 * Gives a finished file its name, in place of the file that has it. On Windows that fails while another program has either open
 * (a spreadsheet, a virus scanner, an indexer), so it is tried again for a moment. Throws OutputError where that program keeps
 * the file; else the system's error, or the signal's reason.
 */
export async function putInPlace(
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
