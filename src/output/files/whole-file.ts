import { lstat, open, rm, rename as renameFile, type FileHandle } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import { join } from 'node:path';
import { Interrupted, OutputError, errorCode } from '../../errors.ts';
import type { Clock } from '../../context.ts';
import { cannotWrite } from './cannot-write.ts';
import { Tally, type Destination } from './destination.ts';
import type { LockContext, FileLock } from './lock.ts';
import { removeLeftovers, sideFilesOf } from './side-files.ts';
import type { FileTarget } from './target.ts';

/** What writing a file uses of the world outside. */
export type FileContext = LockContext & PlaceContext;

/**
 * Opens a file that appears whole or not at all: bytes go to a temporary file beside the target, which a commit
 * flushes and renames. Until then, and after a kill at any moment, the target is what it was. Of two runs on one file, the last to
 * commit stands; where a receipt says what the file is, the second is refused.
 * Throws OutputError when the target is locked by another run, or its folder cannot be written.
 */
export async function openWholeFile(
  target: FileTarget,
  context: FileContext,
  hasReceipt: boolean,
): Promise<Destination> {
  const lock = hasReceipt ? await (await import('./lock.ts')).lockTarget(target, context) : undefined;
  try {
    await removeLeftovers(target, context.clock.now());
    const tally = await Tally.open(hasReceipt);
    return new WholeFile({ target, context, lock, tally }, await temporaryOf(target, context));
  } catch (error) {
    await lock?.release();
    throw cannotWrite(target.shown, error);
  }
}

interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** What a new file gets in the folder, by umask or the folder's own rule. */
  readonly mode: number;
}

function temporaryOf(target: FileTarget, { processes, clock }: FileContext): Promise<TemporaryFile> {
  const name = sideFilesOf(target.name).temporary(processes.pid, clock.random());
  return openTemporary(join(target.folder, name), target.existing === undefined ? 0o666 : 0o600);
}

/** Makes a file, for its owner alone until it is whole. Rejects as `open` does. */
export async function openTemporary(path: string, wanted = 0o666): Promise<TemporaryFile> {
  const handle = await open(path, 'wx+', wanted);
  const mode = (await handle.stat()).mode & 0o777;
  await handle.chmod(0o600);
  return { path, handle, mode };
}

interface Parts {
  readonly target: FileTarget;
  readonly context: FileContext;
  /** Where there is a receipt. */
  readonly lock: FileLock | undefined;
  readonly tally: Tally;
}

class WholeFile implements Destination {
  readonly isFile = true;
  readonly #parts: Parts;
  /** The last one is being written; those before it were begun anew. */
  readonly #files: TemporaryFile[];
  /** The first commit or discard, once there is one. */
  #end: Promise<void> | undefined;

  constructor(parts: Parts, file: TemporaryFile) {
    this.#parts = parts;
    this.#files = [file];
  }

  get bytes(): number {
    return this.#parts.tally.bytes;
  }

  sha256(): string {
    return this.#parts.tally.sha256();
  }

  write(chunk: Uint8Array | string): Promise<void> {
    return this.#orDiscard(() => writeChunk(this.#files.at(-1)!.handle, this.#parts.tally.add(chunk)));
  }

  startOver(lengths: readonly number[]): Promise<AsyncIterable<Buffer>> {
    return this.#orDiscard(async () => {
      const { target, context, tally } = this.#parts;
      const before = this.#files.at(-1)!;
      this.#files.push(await temporaryOf(target, context));
      tally.reset();
      // It has no name any more, so that a kill leaves nothing of it.
      await rm(before.path);
      return this.#partsOf(before, lengths);
    });
  }

  async *#partsOf({ handle }: TemporaryFile, lengths: readonly number[]): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(lengths.reduce((most, length) => Math.max(most, length), 0));
    let position = 0;
    for (const length of lengths) {
      await this.#orDiscard(async () => {
        for (let done = 0; done < length;) {
          const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
          if (bytesRead === 0) throw new Error('something else has cut it short');
          done += bytesRead;
        }
      });
      position += length;
      yield buffer.subarray(0, length);
    }
  }

  /** After a failure the file can never become whole, and the disk may need the space. */
  async #orDiscard<T>(action: () => Promise<T>): Promise<T> {
    this.#refuseIfEnded();
    try {
      return await action();
    } catch (error) {
      await this.discard();
      throw cannotWrite(this.#parts.target.shown, error);
    }
  }

  #refuseIfEnded(): void {
    if (this.#end !== undefined)
      throw new OutputError(`cannot write ${this.#parts.target.shown}: it was given up`);
  }

  async commit(): Promise<void> {
    this.#refuseIfEnded();
    this.#end = this.#install();
    return this.#end;
  }

  async discard(): Promise<void> {
    this.#end ??= this.#remove();
    await this.#end.catch(() => undefined);
  }

  async #install(): Promise<void> {
    const { target, context, lock } = this.#parts;
    const { path, handle, mode } = this.#files.at(-1)!;
    const { existing, folder, name, shown } = target;
    try {
      // Only root may change the owner. For others the file becomes their own, as with any program that replaces files.
      if (existing !== undefined) await handle.chown(existing.uid, existing.gid).catch(() => undefined);
      await handle.chmod(existing?.mode ?? mode);
      // Before the rename: else a power failure may leave the new name with none of the bytes.
      await handle.sync();
      const { ino, dev } = await handle.stat();
      for (const each of this.#files) await each.handle.close();
      if ((await lock?.isOurs()) === false) throw takenOver(shown);
      const found = await lstat(path);
      // On Windows some versions of Node give a drive another number for a name than for an open file.
      const isElsewhere = found.dev !== dev && systemPlatform() !== 'win32';
      if (found.ino !== ino || isElsewhere) throw exchanged(shown);
      await putInPlace(path, join(folder, name), { ...context, shown });
    } catch (error) {
      await this.#remove();
      throw error instanceof Interrupted ? error : cannotWrite(shown, error);
    }
    try {
      await flushFolder(folder);
    } catch (error) {
      throw cannotWrite(shown, error, 'The new file is in place, but may not survive a power failure.');
    } finally {
      await lock?.release();
    }
  }

  async #remove(): Promise<void> {
    for (const { handle, path } of this.#files) {
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    }
    await this.#parts.lock?.release();
  }
}

/** Writes all of the bytes: the system may take a part of them at a time. */
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

interface PlaceContext {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the wait for another program. */
  readonly signal: AbortSignal;
}

export interface PlaceOptions extends PlaceContext {
  /** How messages call the file. */
  readonly shown: string;
  /** As `process.platform`. */
  readonly platform?: string;
  readonly rename?: (from: string, to: string) => Promise<void>;
}

/** Milliseconds of each wait for a program of Windows, 1.6 s in all: a virus scanner takes a part of a second. */
const WAITS = [25, 50, 100, 200, 400, 800];

/**
 * Gives a finished file its name, in place of the file that has it. On Windows that fails while another program has either
 * open (a spreadsheet, a virus scanner, an indexer), so it is tried again for a moment.
 *
 * @throws OutputError where that program keeps the file; else the system's error, or the signal's reason.
 */
export async function putInPlace(from: string, to: string, options: PlaceOptions): Promise<void> {
  const { clock, signal, shown, platform = systemPlatform(), rename = renameFile } = options;
  for (let tries = 0; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (platform !== 'win32' || !/^(?:EPERM|EACCES|EBUSY)$/.test(errorCode(error) ?? '')) throw error;
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
