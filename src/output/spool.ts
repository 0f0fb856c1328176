import { close, open, read, readSync, unlink, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OutputError } from '../errors.ts';

const [openFile, readFile, writeFile] = [promisify(open), promisify(read), promisify(write)];
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
  #chunks: Uint8Array[] = [];
  #held = 0;
  readonly #filed: number[] = [];
  /** A descriptor instead of a FileHandle: a run that fails never closes it, and Node warns of lost handles. */
  #file: number | undefined;
  #end = 0;

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
  async append(chunk: Uint8Array): Promise<void> {
    const isFull = !this.hasRoomFor(chunk.length);
    this.#held += chunk.length;
    this.#chunks.push(isFull ? chunk : Buffer.from(chunk));
    if (isFull) await this.#explained(() => this.#flush());
  }

  /**
   * The chunks as they were appended, in order.
   *
   * @param reuse whether a chunk need stand only until the next one is asked for: then one buffer does for all of them
   */
  async *read({ reuse = false } = {}): AsyncGenerator<Buffer> {
    let buffer = Buffer.alloc(0);
    let position = 0;
    for (const length of this.#filed) {
      if (!reuse || buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
      const chunk = buffer.subarray(0, length);
      await this.#explained(() => this.#fill(chunk, position));
      position += length;
      yield chunk;
    }
    for (const chunk of this.#chunks) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }

  /** Ends appending, so that `slice` can be asked for any part. */
  async settle(): Promise<void> {
    if (this.#file !== undefined) await this.#explained(() => this.#flush());
    else this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** The bytes from `start` to `end`, counted from the first appended one. Synchronous, for a million small reads. */
  slice(start: number, end: number): Buffer {
    if (this.#file === undefined) return (this.#chunks[0] as Buffer).subarray(start, end);
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
    if (file !== undefined) await this.#explained(() => closeFile(file));
  }

  async #flush(): Promise<void> {
    const file = (this.#file ??= await this.#openNameless());
    for (const chunk of this.#chunks) {
      for (let done = 0; done < chunk.length;) {
        const { bytesWritten } = await writeFile(file, chunk, done, chunk.length - done, this.#end + done);
        done += bytesWritten;
      }
      this.#filed.push(chunk.length);
      this.#end += chunk.length;
    }
    this.#chunks = [];
    this.#held = 0;
  }

  async #fill(chunk: Buffer, position: number): Promise<void> {
    for (let done = 0; done < chunk.length;) {
      const { bytesRead } = await readFile(this.#file!, chunk, done, chunk.length - done, position + done);
      if (bytesRead === 0) throw new Error('it ends before what was written to it');
      done += bytesRead;
    }
  }

  async #openNameless(): Promise<number> {
    const { randomUUID } = await import('node:crypto');
    const path = join(this.#folder, `folio-${randomUUID()}.rows`);
    const file = await openFile(path, 'wx+', 0o600);
    await removeFile(path);
    return file;
  }

  async #explained<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OutputError(`cannot keep rows in a temporary file in ${this.#folder}: ${reason}`, {
        hint: 'Set TMPDIR to a folder with room. Plain csv needs none when the columns are named with --columns.',
        cause: error,
      });
    }
  }
}
