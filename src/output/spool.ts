import { close, open, read, readSync, unlink } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OutputError } from '../errors.ts';
import { partsOf, writeBytes } from './files/file-bytes.ts';

const [openFile, readFile] = [promisify(open), promisify(read)];
const [closeFile, removeFile] = [promisify(close), promisify(unlink)];

/**
 * Keeps chunks of bytes until all have come, and then gives them back one by one: small amounts from memory, larger ones
 * from a temporary file. Only its owner may read that file, and its name is removed as soon as it is open, so that a killed
 * run leaves nothing. Every method may reject with OutputError, naming the system's reason.
 */
export class Spool {
  readonly #folder: string;
  readonly #memory: number;
  /** The chunks that are not in the file: all of them while there is no file. */
  #chunks: Buffer[] = [];
  #held = 0;
  readonly #filed: number[] = [];
  /** A descriptor instead of a FileHandle: a run that fails never closes it, and Node warns of lost handles. */
  #file: number | undefined;

  /**
   * @param folder where the file is made
   * @param memory bytes that are kept in memory before there is a file
   */
  constructor({ folder = tmpdir(), memory = 4 * 1024 * 1024 } = {}) {
    this.#folder = folder;
    this.#memory = memory;
  }

  /** Whether so many bytes more stay in memory. */
  hasRoomFor(bytes: number): boolean {
    return this.#file === undefined && this.#held + bytes <= this.#memory;
  }

  /** Takes a chunk. Its buffer may be used again as soon as this resolves. */
  async append(chunk: Buffer): Promise<void> {
    const isFull = !this.hasRoomFor(chunk.length);
    this.#held += chunk.length;
    this.#chunks.push(isFull ? chunk : Buffer.from(chunk));
    if (isFull) await this.#flush().catch(this.#fail);
  }

  /**
   * The chunks as they were appended, in order.
   *
   * @param reuse whether a chunk need stand only until the next one is asked for: then one buffer does for all of them
   */
  async *read({ reuse = false } = {}): AsyncGenerator<Buffer> {
    const file = this.#file;
    try {
      if (file !== undefined) yield* partsOf((...part) => readFile(file, ...part), this.#filed, reuse);
    } catch (error) {
      this.#fail(error);
    }
    yield* this.#chunks;
  }

  /** The bytes from `start` to `end`, counted from the first appended one. Synchronous, for a million small reads. */
  slice(start: number, end: number): Buffer {
    if (this.#file === undefined) {
      if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
      return this.#chunks[0]!.subarray(start, end);
    }
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.length;) {
      const got = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (got === 0)
        throw new OutputError('a temporary file ends before what was written to it', {
          hint: 'Something else has cut it short: run folio again.',
        });
      done += got;
    }
    return bytes;
  }

  async close(): Promise<void> {
    this.#chunks = [];
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeFile(file).catch(this.#fail);
  }

  async #flush(): Promise<void> {
    const file = (this.#file ??= await this.#openNameless());
    for (const chunk of this.#chunks) {
      await writeBytes(file, chunk);
      this.#filed.push(chunk.length);
    }
    this.#chunks = [];
    this.#held = 0;
  }

  async #openNameless(): Promise<number> {
    const { randomUUID } = await import('node:crypto');
    const path = join(this.#folder, `folio-${randomUUID()}.rows`);
    const file = await openFile(path, 'wx+', 0o600);
    await removeFile(path);
    return file;
  }

  readonly #fail = (error: unknown): never => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OutputError(`cannot keep rows in a temporary file in ${this.#folder}: ${reason}`, {
      hint: 'Set TMPDIR to a folder with room. Plain csv needs none when the columns are named with --columns.',
      cause: error,
    });
  };
}
