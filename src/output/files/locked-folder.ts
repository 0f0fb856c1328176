import { constants, type Dirent } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Interrupted, OutputError } from '../../errors.ts';
import { cannotWrite } from './cannot-write.ts';
import { lockTarget, type FileLock } from './lock.ts';
import { removeLeftovers, sideFilesOf } from './side-files.ts';
import { realPath } from './target.ts';
import { openTemporary, writeChunk, type FileContext } from './whole-file.ts';

/** What of the folder is folio's own. */
interface OwnFiles {
  /** The list of what folio put there, a line for each file. */
  readonly list: string;
  /** What is locked, and what temporary files are called after. */
  readonly locked: string;
}

interface Parts extends OwnFiles {
  readonly path: string;
  /** The folder as it was given. */
  readonly shown: string;
  readonly context: FileContext;
  readonly lock: FileLock;
}

/** A folder that one run at a time puts files into, each whole or not at all, and a list by which later runs know them. */
export class LockedFolder {
  /** What was there. */
  readonly entries: readonly Dirent[];
  /** The lines of the list as it was. A kill may have cut the last. */
  readonly lines: readonly string[];
  readonly #parts: Parts;
  #list: Promise<FileHandle> | undefined;
  #endsWithLine: boolean;
  #temporaries = 0;

  private constructor(parts: Parts, entries: readonly Dirent[], list: string) {
    this.#parts = parts;
    this.entries = entries;
    this.lines = list.split('\n');
    this.#endsWithLine = list === '' || list.endsWith('\n');
  }

  /**
   * Opens the folder, which is there, and removes what a killed run left in it. Throws OutputError where another run uses it, or it
   * cannot be read; also where the list is no file: others who may write in the folder could have put a link there. The caller must
   * close it.
   */
  static async open(shown: string, context: FileContext, own: OwnFiles): Promise<LockedFolder> {
    const path = await realPath(shown).catch((error: unknown) => {
      throw cannotWrite(shown, error);
    });
    const lock = await lockTarget({ shown, folder: path, name: own.locked }, context);
    try {
      await removeLeftovers({ folder: path, name: own.locked }, context.clock.now());
      const list = await readList(join(path, own.list));
      const entries = await readdir(path, { withFileTypes: true });
      return new LockedFolder({ ...own, path, shown, context, lock }, entries, list);
    } catch (error) {
      await lock.release();
      throw cannotWrite(shown, error);
    }
  }

  /** A file of the folder. */
  pathOf(file: string): string {
    return join(this.#parts.path, file);
  }

  /** The same, as messages call it. */
  shown(file: string): string {
    return join(this.#parts.shown, file);
  }

  /** Whether this run has written a line of the list. */
  get hasListed(): boolean {
    return this.#list !== undefined;
  }

  /** Writes a line at the end of the list. Throws OutputError. */
  async list(line: string): Promise<void> {
    const path = this.pathOf(this.#parts.list);
    try {
      // The promise, not the handle, is kept: another file may be done while the list is being opened.
      this.#list ??= openList(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
      const handle = await this.#list;
      // In one write, so that lines of files that end at the same time do not mix.
      const text = `${this.#endsWithLine ? '' : '\n'}${line}\n`;
      this.#endsWithLine = true;
      await handle.appendFile(text);
    } catch (error) {
      this.#endsWithLine = false;
      throw cannotWrite(path, error);
    }
  }

  /**
   * Writes a file, whole or not at all.
   *
   * @param place lists it and gives the temporary file its name: after a kill between the two it is still known whose it is
   * @throws OutputError, or what `body` throws; then nothing is left
   */
  async put<Placed>(
    file: string,
    body: Iterable<Buffer> | AsyncIterable<Buffer>,
    place: (temporary: string) => Promise<Placed>,
  ): Promise<{ readonly bytes: number; readonly placed: Placed }> {
    const { context, locked } = this.#parts;
    const nth = (this.#temporaries++ + 0.5) / 36 ** 8;
    const temporary = this.pathOf(sideFilesOf(locked).temporary(context.processes.pid, nth));
    const failed = (error: unknown): never => {
      throw error instanceof Interrupted ? error : cannotWrite(this.shown(file), error);
    };
    try {
      const { handle, mode } = await openTemporary(temporary).catch(failed);
      let bytes = 0;
      try {
        for await (const chunk of body) {
          await writeChunk(handle, chunk).catch(failed);
          bytes += chunk.length;
        }
        await handle.chmod(mode).catch(failed);
        await handle.sync().catch(failed);
      } finally {
        await handle.close();
      }
      return { bytes, placed: await place(temporary).catch(failed) };
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Writes no more lines. Never rejects. */
  async endList(): Promise<void> {
    await (await this.#list?.catch(() => undefined))?.close().catch(() => undefined);
  }

  /** Lets others use the folder. */
  async release(): Promise<void> {
    await this.#parts.lock.release();
  }
}

async function readList(file: string): Promise<string> {
  try {
    const handle = await openList(file, constants.O_RDONLY);
    try {
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw cannotWrite(file, error);
  }
}

/** Opens the list without following a link, and without waiting for the other end of a pipe. Rejects as `open` does. */
async function openList(file: string, flags: number): Promise<FileHandle> {
  const { O_NOFOLLOW, O_NONBLOCK } = constants;
  const refused = (): OutputError =>
    new OutputError(`cannot use ${file}: it is no file of folio's`, {
      hint: 'Remove it, or choose another folder.',
    });
  const handle = await open(file, flags | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw ['ELOOP', 'ENXIO', 'EISDIR'].includes(errorCode(error) ?? '') ? refused() : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw refused();
}
