import { close, open, read, readSync, unlink, writeFile } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OutputError, systemReason } from '../errors.ts';
import { LINE_FEED } from '../json/ascii.ts';
import { wholeRecords, type RecordBatch } from '../json/records.ts';
import { scanLines } from '../json/scan-records.ts';

const [openFile, readFile] = [promisify(open), promisify(read)];
const [writeTo, closeFile, removeFile] = [promisify(writeFile), promisify(close), promisify(unlink)];

interface SpoolOptions {
  /** Returns the path of the file; by default it is in the system's folder for temporary files. */
  readonly path?: (() => string) | undefined;
  /** Bytes that are kept in memory before a file is used. */
  readonly memory?: number;
}

/**
 * Keeps chunks of bytes until all have arrived, in memory or, if they are many, in a temporary file. Only its owner may read that
 * file, and its name is removed as soon as it is open, so that a killed run leaves nothing. Methods reject with OutputError,
 * naming the system's reason.
 */
export class Spool {
  readonly #path: (() => string) | undefined;
  readonly #memory: number;
  /** The chunks that are not in the file: all of them while there is no file. */
  #chunks: Buffer[] = [];
  #inMemory = 0;
  readonly #filedLengths: number[] = [];
  /** A descriptor instead of a FileHandle: a run that fails never closes it, and Node warns of lost handles. */
  #file: number | undefined;

  constructor({ path, memory = 4 * 1024 * 1024 }: SpoolOptions = {}) {
    this.#path = path;
    this.#memory = memory;
  }

  /** Takes a chunk. Its buffer may be used again as soon as this resolves. */
  async append(chunk: Buffer): Promise<void> {
    this.#inMemory += chunk.length;
    const isFull = this.#file !== undefined || this.#inMemory > this.#memory;
    this.#chunks.push(isFull ? chunk : Buffer.from(chunk));
    if (isFull) await this.#flush().catch(this.#fail);
  }

  /**
   * The chunks in order.
   *
   * @param reuse whether a chunk is used only until the next one comes: then one buffer does for all
   */
  async *read({ reuse = false } = {}): AsyncGenerator<Buffer> {
    const file = this.#file;
    let [buffer, start] = [Buffer.alloc(0), 0];
    for (const length of this.#filedLengths) {
      if (!reuse || buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
      for (let done = 0; done < length;) {
        const { bytesRead } = await readFile(file!, buffer, done, length - done, start + done).catch(
          this.#fail,
        );
        if (bytesRead === 0) throw cutShort();
        done += bytesRead;
      }
      start += length;
      yield buffer.subarray(0, length);
    }
    yield* this.#chunks;
  }

  /** The bytes from `start` to `end`, counted from the first one. Synchronous, for a million small reads. */
  slice(start: number, end: number): Buffer {
    if (this.#file === undefined) {
      if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
      return this.#chunks[0]!.subarray(start, end);
    }
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.length;) {
      const got = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (got === 0) throw cutShort();
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
      await writeTo(file, chunk);
      this.#filedLengths.push(chunk.length);
    }
    this.#chunks = [];
    this.#inMemory = 0;
  }

  async #openNameless(): Promise<number> {
    const { randomUUID } = await import('node:crypto');
    const path = this.#path?.() ?? join(tmpdir(), `folio-${randomUUID()}.rows`);
    const file = await openFile(path, 'wx+', 0o600);
    await removeFile(path);
    return file;
  }

  readonly #fail = (error: unknown): never => {
    const isBeside = this.#path !== undefined;
    const where = isBeside ? 'beside the output' : `in ${tmpdir()}`;
    throw new OutputError(`cannot keep rows in a temporary file ${where}: ${systemReason(error)}`, {
      hint: isBeside
        ? 'Make room there. Plain csv needs no such file when the columns are named with --columns.'
        : 'Set TMPDIR to a folder with room.',
      cause: error,
    });
  };
}

function cutShort(): OutputError {
  return new OutputError('a temporary file ends before what was written to it', {
    hint: 'Something else has cut it short: run folio again.',
  });
}

/** Bytes of records in memory before a file is used: few, since many spools may be open. */
const RECORDS_IN_MEMORY = 256 * 1024;

const BATCH = { bytes: 1_000_000, records: 4_000 };

/**
 * Records that wait in a spool until all have come, a line each, with folio's own column among their members. They are read as
 * they came, or in any order. Methods reject with OutputError.
 */
export class RecordSpool {
  readonly #spool: Spool;
  /** Where each record begins in the spool, and where the last one ends. */
  readonly #starts: number[] | undefined;
  #count = 0;
  #size = 0;

  /**
   * @param anyOrder whether `inOrder` is going to be called: that takes 8 bytes of memory for each record
   * @param memory bytes that are kept in memory before there is a file
   */
  constructor({ anyOrder = false, memory = RECORDS_IN_MEMORY } = {}) {
    this.#spool = new Spool({ memory });
    this.#starts = anyOrder ? [0] : undefined;
  }

  get count(): number {
    return this.#count;
  }

  async add(batch: RecordBatch): Promise<void> {
    const { bytes, bounds, count } = wholeRecords(batch);
    let size = count;
    for (let index = 0; index < count; index++) size += bounds[2 * index + 1]! - bounds[2 * index]!;
    const lines = Buffer.allocUnsafeSlow(size);
    let end = 0;
    for (let index = 0; index < count; index++) {
      end += bytes.copy(lines, end, bounds[2 * index], bounds[2 * index + 1]);
      lines[end++] = LINE_FEED;
      this.#starts?.push(this.#size + end);
    }
    this.#count += count;
    this.#size += size;
    if (count > 0) await this.#spool.append(lines);
  }

  /**
   * The batches as they came, any number of times, after the last `add`.
   *
   * @param reuse as for `Spool.read`
   */
  async *read({ reuse = false } = {}): AsyncGenerator<RecordBatch> {
    for await (const lines of this.#spool.read({ reuse })) yield scanLines(lines);
  }

  /** The records with these indexes, in their order; after the last `add`. */
  async *inOrder(indexes: Iterable<number>): AsyncGenerator<RecordBatch> {
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const index of indexes) {
      const record = this.#spool.slice(this.#starts![index]!, this.#starts![index + 1]!);
      parts.push(record);
      bytes += record.length;
      if (bytes < BATCH.bytes && parts.length < BATCH.records) continue;
      yield scanLines(Buffer.concat(parts));
      [parts, bytes] = [[], 0];
    }
    if (parts.length > 0) yield scanLines(Buffer.concat(parts));
  }

  async close(): Promise<void> {
    await this.#spool.close();
  }
}
