import { close, open, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { UsageError, BadBody, errorCode, systemReason } from '../../errors.ts';
import { BACKSLASH, CLOSE_BRACKET, COMMA, LINE_FEED, OPEN_BRACKET, QUOTE } from '../../json/bytes.ts';
import type { RecordBatch } from '../../json/records.ts';
import { scanArray, scanLines } from '../../json/scan-records.ts';

const [openFile, readFile, closeFile] = [promisify(open), promisify(read), promisify(close)];

/** Some records of an export in their order. */
interface ExportPart {
  readonly batch: RecordBatch;
  /** Where in the file `batch.bytes` begins. */
  readonly offset: number;
}

/** A part of the file that ends between two records. */
interface FilePart {
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  readonly format: 'json' | 'jsonl';
  readonly last: boolean;
}

const CHUNK_BYTES = 1 << 18;
/** The most bytes of a record. One with more, whose strings may have 16 MiB each, is a file of another kind. */
const MAX_RECORD_BYTES = 64 << 20;
const ARRAY_START = Buffer.from('[');

/** An earlier export in jsonl or json. It is read part by part, since it may be larger than memory. */
export class ExportFile {
  readonly path: string;
  /** A descriptor, not a FileHandle: a run that fails may never close it, and Node warns of lost handles. */
  readonly #file: number;

  private constructor(path: string, file: number) {
    this.path = path;
    this.#file = file;
  }

  /** Throws UsageError when the file cannot be opened. */
  static async open(path: string): Promise<ExportFile> {
    try {
      return new ExportFile(path, await openFile(path, 'r'));
    } catch (error) {
      throw unreadableFile(path, error);
    }
  }

  /** All records, in order. Throws UsageError for a file that is cut short or in another format. */
  async *parts(): AsyncGenerator<ExportPart> {
    const format = await this.#format();
    const cutter = format === 'json' ? new ArrayCutter() : undefined;
    let rest = Buffer.alloc(0);
    let offset = 0;
    for (;;) {
      const chunk = await this.#chunkAt(offset + rest.length);
      const bytes = Buffer.concat([rest, chunk]);
      if (chunk.length === 0) {
        if (bytes.length > 0) yield this.#scan(bytes, { offset, format, last: true });
        return;
      }
      const cut = cutter ? cutter.cut(bytes, rest.length) : bytes.lastIndexOf(LINE_FEED) + 1;
      if (cut > 0) yield this.#scan(bytes.subarray(0, cut), { offset, format, last: false });
      rest = bytes.subarray(cut);
      offset += cut;
      if (rest.length > MAX_RECORD_BYTES) this.#refuse('a record of more than 64 MiB', offset);
    }
  }

  /** The bytes of the file from `start` up to `end`, read synchronously. */
  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    const got = readSync(this.#file, bytes, 0, bytes.length, start);
    if (got < bytes.length) this.#refuse('it became shorter while it was read', start + got);
    return bytes;
  }

  async close(): Promise<void> {
    await closeFile(this.#file);
  }

  async #chunkAt(position: number): Promise<Buffer> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    try {
      const { bytesRead } = await readFile(this.#file, chunk, 0, CHUNK_BYTES, position);
      return chunk.subarray(0, bytesRead);
    } catch (error) {
      throw unreadableFile(this.path, error);
    }
  }

  async #format(): Promise<'json' | 'jsonl'> {
    const start = (await this.#chunkAt(0))
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart();
    if (start.startsWith('[')) return 'json';
    if (start.startsWith('{') || start === '') return 'jsonl';
    throw new UsageError(`${this.path} is neither jsonl nor json`, {
      hint: 'Export with --format jsonl to have a file to come back to: in csv, text and numbers look the same.',
    });
  }

  /** The records of a part: of lines, or of an array, where the part ends with a comma or with the array. */
  #scan(bytes: Buffer, { offset, format, last }: FilePart): ExportPart {
    const continued = format === 'json' && offset > 0;
    const base = continued ? offset - 1 : offset;
    try {
      if (format === 'jsonl') return { batch: scanLines(bytes), offset };
      if (!last) bytes[bytes.length - 1] = CLOSE_BRACKET;
      const batch = scanArray(continued ? Buffer.concat([ARRAY_START, bytes]) : bytes);
      return batch.count > 0 || !continued
        ? { batch, offset: base }
        : this.#refuse('a comma before the end', base);
    } catch (error) {
      if (!(error instanceof BadBody)) throw error;
      return this.#refuse(error.message.replace(/ \(byte \d+\)$/, ''), base + error.offset);
    }
  }

  #refuse(what: string, at: number): never {
    throw new UsageError(`${this.path} is not a whole export: ${what} (byte ${at})`, {
      hint: 'It may have been cut short or edited: `folio verify` tells whether it is what was delivered.',
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  ESPIPE: 'it is a pipe, and has to be read more than once',
};

const HINTS: Readonly<Record<string, string>> = {
  EISDIR: 'Name a file in it.',
  ESPIPE: 'Write it to a file first, and name that.',
};

/** The error for a file that cannot be read. */
export function unreadableFile(path: string, error: unknown): UsageError {
  const reason = REASONS[errorCode(error) ?? ''] ?? systemReason(error);
  return new UsageError(`cannot read ${path}: ${reason}`, {
    hint: HINTS[errorCode(error) ?? ''] ?? 'Check its path, and that you may read it.',
    cause: error,
  });
}

/** `{` and `}` differ from `[` and `]` in this bit only. */
const BRACE_BIT = 0x20;

/** Finds the places between records where a JSON array that arrives in parts can be cut. It does not check the JSON. */
class ArrayCutter {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Reads on from `from` and returns the position behind the last comma between records; 0 when there is none yet. */
  cut(bytes: Buffer, from: number): number {
    let cut = 0;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === COMMA) {
        if (this.#depth === 1) cut = at + 1;
      } else if ((byte & ~BRACE_BIT) === OPEN_BRACKET) this.#depth++;
      else if ((byte & ~BRACE_BIT) === CLOSE_BRACKET) this.#depth--;
    }
    return cut;
  }
}
