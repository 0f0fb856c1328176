import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import type { Clock } from '../context.ts';
import { OutputError, errorCode } from '../errors.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '../json/bytes.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { scanArray } from '../json/scan-records.ts';
import { cannotWrite } from './files/cannot-write.ts';

/** An entry, and its first byte in the journal and the one behind its last. */
interface PlacedEntry extends JournalEntry {
  readonly start: number;
  readonly end: number;
}

/** Milliseconds between two flushes to the disk. A power failure loses at most that much work, a killed run nothing. */
const FLUSH_INTERVAL = 1_000;
/** The first line of an entry is read in steps of so many bytes, and is at most so long. */
const LINE_STEP = 4_096;
const MAX_LINE = 16 * 1024 * 1024;

/**
 * Entries one after the other in a file that only its owner can read. Each entry carries a hash of itself. An entry that
 * a kill or a power failure left in pieces does not match its hash: it and all that follow count as never written.
 * Methods reject with OutputError.
 */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #end = 0;
  #flushedAt: number;

  private constructor(path: string, handle: FileHandle, clock: Pick<Clock, 'elapsed'>) {
    this.#path = path;
    this.#handle = handle;
    this.#clock = clock;
    this.#flushedAt = clock.elapsed();
  }

  /**
   * Opens the journal, or makes an empty one. Refuses a file that others may have put there.
   *
   * @param platform as `process.platform`
   */
  static async open(
    path: string,
    clock: Pick<Clock, 'elapsed'>,
    platform: string = systemPlatform(),
  ): Promise<Journal> {
    // A system without O_NOFOLLOW gives undefined, which counts as 0 here.
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
    try {
      const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
      const stats = await handle.stat();
      // Windows has no such modes: every file seems open to all there.
      const isOpenToOthers = platform !== 'win32' && (stats.mode & 0o022) !== 0;
      if (stats.isFile() && !isOpenToOthers) return new Journal(path, handle, clock);
      await handle.close();
    } catch (error) {
      if (errorCode(error) !== 'ELOOP') throw cannotWrite(path, error);
    }
    throw new OutputError(`${path} is no journal of folio's: others can write it`, { hint: 'Delete it.' });
  }

  /** The whole entries, in order. `append` goes on after the last one that was read. */
  async *entries(): AsyncGenerator<PlacedEntry> {
    for (let start = 0; ;) {
      const entry = await this.#entryAt(start);
      if (entry === undefined) return;
      start = this.#end = entry.end;
      yield entry;
    }
  }

  /** Removes everything after this position. */
  async cutAt(position: number): Promise<void> {
    await this.#explained(() => this.#handle.truncate(position));
    this.#end = position;
  }

  async append(entry: JournalEntry): Promise<void> {
    const bytes = sealEntry(entry);
    await this.#explained(async () => {
      try {
        for (let at = 0; at < bytes.length;) {
          at += (await this.#handle.write(bytes, at, bytes.length - at, this.#end + at)).bytesWritten;
        }
      } catch (error) {
        // A part of an entry is worth nothing, and would hold what a full disk has left.
        await this.#handle.truncate(this.#end).catch(() => undefined);
        throw error;
      }
      this.#end += bytes.length;
      if (this.#clock.elapsed() - this.#flushedAt < FLUSH_INTERVAL) return;
      await this.#handle.datasync();
      this.#flushedAt = this.#clock.elapsed();
    });
  }

  /** Flushes and closes. Never rejects: a later run asks again for what is lost. */
  async close(): Promise<void> {
    await this.#handle.datasync().catch(() => undefined);
    await this.#handle.close().catch(() => undefined);
  }

  async #entryAt(start: number): Promise<PlacedEntry | undefined> {
    return this.#explained(async () => {
      const { size } = await this.#handle.stat();
      const lineEnd = await this.#lineEnd(start, size);
      const line = parseEntryLine((await this.#bytes(start, lineEnd)).toString('utf8'));
      if (line === undefined) return undefined;
      const bodyStart = lineEnd + 1;
      const end = bodyStart + line.length + 1;
      if (end > size) return undefined;
      const entry = openEntry(line, await this.#bytes(bodyStart, end - 1));
      return entry && { ...entry, start, end };
    });
  }

  /** Where the line that begins at `start` ends; `start` itself when it does not. */
  async #lineEnd(start: number, size: number): Promise<number> {
    const last = Math.min(size, start + MAX_LINE);
    for (let at = start; at < last; at += LINE_STEP) {
      const found = (await this.#bytes(at, Math.min(last, at + LINE_STEP))).indexOf('\n');
      if (found >= 0) return at + found;
    }
    return start;
  }

  async #bytes(start: number, end: number): Promise<Buffer> {
    // Not from the pool that small buffers share: records refer to these bytes and may be kept.
    const bytes = Buffer.allocUnsafeSlow(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  async #explained<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw cannotWrite(this.#path, error);
    }
  }
}

/** An entry that holds records: one JSON array of them, byte for byte as they were sent. */
export function entryOfRecords(head: JournalEntry['head'], batch: RecordBatch): JournalEntry {
  let size = 1 + Math.max(1, batch.count);
  for (let index = 0; index < batch.count; index++) size += recordBytes(batch, index).length;
  const body = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let index = 0; index < batch.count; index++) {
    body[at++] = index === 0 ? OPEN_BRACKET : COMMA;
    at += recordBytes(batch, index).copy(body, at);
  }
  if (batch.count === 0) body[at++] = OPEN_BRACKET;
  body[at] = CLOSE_BRACKET;
  return { head, body };
}

/** The records of an entry that `entryOfRecords` made. */
export function recordsOfEntry({ body }: JournalEntry): RecordBatch {
  return scanArray(body);
}

/** One thing that a journal holds: bytes, and a description of them as JSON. */
interface JournalEntry {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** The first line of an entry, as read back. */
interface EntryLine {
  /** SHA-256 of the rest of the line and the body, in hex. */
  readonly seal: string;
  /** Bytes of the body. */
  readonly length: number;
  /** The rest of the line, after the seal. */
  readonly text: string;
}

const LINE = /^([0-9a-f]{64}) ((\d{1,15}) \{.*\})$/s;

/** The bytes of an entry: a line with seal, length and head, then the body. A line feed ends each. */
function sealEntry({ head, body }: JournalEntry): Buffer {
  const text = `${body.length} ${JSON.stringify(head)}`;
  return Buffer.concat([Buffer.from(`${sealOf(text, body)} ${text}\n`), body, Buffer.from('\n')]);
}

/** Reads the first line of an entry, without its line feed; undefined when it is none. */
function parseEntryLine(line: string): EntryLine | undefined {
  const [, seal, text, length] = LINE.exec(line) ?? [];
  return seal === undefined || text === undefined ? undefined : { seal, text, length: Number(length) };
}

/** The entry, or undefined when line and body do not match the seal. */
function openEntry({ seal, text }: EntryLine, body: Buffer): JournalEntry | undefined {
  if (sealOf(text, body) !== seal) return undefined;
  return { head: JSON.parse(text.slice(text.indexOf(' ') + 1)) as JournalEntry['head'], body };
}

function sealOf(text: string, body: Buffer): string {
  return createHash('sha256').update(text).update('\n').update(body).digest('hex');
}
