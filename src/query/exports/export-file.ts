import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../../context.ts';
import { BadBody, FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import { BACKSLASH, CLOSE_BRACKET, COMMA, LINE_FEED, OPEN_BRACKET, QUOTE } from '../../json/ascii.ts';
import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { scanArray, scanLines } from '../../json/scan-records.ts';
import { formatOf, formatOfEnding } from '../../output/formats.ts';
import { Spool } from '../../output/spool.ts';

interface ExportPart {
  readonly batch: RecordBatch;
  /** Where in the file `batch.bytes` begins. */
  readonly offset: number;
}

const CHUNK_BYTES = 1 << 19;
/** The most bytes of a record (a string may have 16 MiB). A file with a larger record is not an export. */
const MAX_RECORD_BYTES = 64 << 20;
const START_BYTES = 4096;

const AS_JSONL = 'Export them with --format jsonl, or keep them in a database with `folio sync`.';

/** What names standard input where a file is named. */
export const STANDARD_INPUT = '-';

/** The bytes of an export, for reading at any position, repeatedly. */
interface Bytes {
  /** Fills as much of the buffer as there are bytes from there on, and returns how many. */
  readonly read: (into: Buffer, position: number) => number;
  readonly close: () => Promise<void>;
}

/** An earlier export in jsonl or json. It is read part by part, since it may be larger than memory. */
export class ExportFile {
  /** For messages. */
  readonly path: string;
  readonly #bytes: Bytes;
  /** The hint for a file in another format. */
  readonly #hint: string;

  private constructor(path: string, bytes: Bytes, hint: string) {
    this.path = path;
    this.#bytes = bytes;
    this.#hint = hint;
  }

  /** Throws UsageError for a file with the ending of another format, and where it cannot be opened. */
  static async open(path: string): Promise<ExportFile> {
    if (path === STANDARD_INPUT) {
      throw new UsageError('standard input cannot be read here', {
        hint: 'Write it to a file first, and name that.',
      });
    }
    const format = formatOfEnding(path);
    const kind = format && formatOf(format).unreadable;
    if (kind !== undefined)
      throw new UsageError(`${path} is ${kind}, and records are read from jsonl and json`, {
        hint: AS_JSONL,
      });
    let file: number;
    try {
      // Opening a pipe would block until another program writes to it.
      if (statSync(path).isFIFO()) throw Object.assign(new Error('a pipe'), { code: 'ESPIPE' });
      // A descriptor, not a FileHandle: a run that fails may never close it, and Node warns of lost handles.
      file = openSync(path, 'r');
    } catch (error) {
      throw unreadableFile(path, error);
    }
    const read = (into: Buffer, position: number): number => readSync(file, into, 0, into.length, position);
    return new ExportFile(path, { read, close: async () => closeSync(file) }, AS_JSONL);
  }

  /**
   * Reads all of standard input, if large into an unlinked temporary file, so that it can be read again. `piped` shows how
   * records are piped in, for messages. Throws UsageError for a terminal and for no input.
   */
  static async ofInput(
    { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
    piped: string,
  ): Promise<ExportFile> {
    if (stdin.isTerminal) {
      throw new UsageError('standard input is a terminal, and no records come from there', {
        hint: `Pipe them in, as in \`${piped}\`.`,
      });
    }
    const spool = new Spool();
    let [length, isBlank] = [0, true];
    try {
      for await (const chunk of addAbortSignal(signal, stdin.open()) as AsyncIterable<Buffer>) {
        await spool.append(chunk);
        length += chunk.length;
        isBlank &&= /^[\uFEFF\s]*$/.test(chunk.toString('utf8'));
      }
    } catch (error) {
      await spool.close();
      signal.throwIfAborted();
      throw error instanceof FolioError ? error : unreadableFile('standard input', error);
    }
    if (isBlank) {
      await spool.close();
      throw new UsageError('standard input is empty: no records came', {
        hint: 'See whether the program before the pipe failed.',
      });
    }
    const read = (into: Buffer, position: number): number =>
      spool.slice(position, Math.min(position + into.length, length)).copy(into);
    const hint = `Pipe them in as jsonl, as in \`${piped}\`.`;
    return new ExportFile('standard input', { read, close: () => spool.close() }, hint);
  }

  /** All records, in order. Throws UsageError for a file that is cut short or in another format. */
  async *parts(): AsyncGenerator<ExportPart> {
    const isArray = this.#isArray();
    const cutter = isArray ? new ArrayCutter() : undefined;
    let rest: Buffer = Buffer.alloc(0);
    let offset = 0;
    for (let isOver = false; !isOver;) {
      const bytes = this.#chunkAt(offset + rest.length, rest);
      isOver = bytes.length === rest.length;
      const cut = isOver
        ? bytes.length
        : (cutter?.cut(bytes, rest.length) ?? bytes.lastIndexOf(LINE_FEED) + 1);
      if (cut > 0) {
        const part = bytes.subarray(0, cut);
        // A part of an array ends with a comma or with the array.
        if (isArray && !isOver) part[cut - 1] = CLOSE_BRACKET;
        yield isArray && offset > 0
          ? this.#scan(Buffer.concat([Buffer.from('['), part]), offset - 1, scanArray)
          : this.#scan(part, offset, isArray ? scanArray : scanLines);
      }
      rest = bytes.subarray(cut);
      offset += cut;
      if (rest.length > MAX_RECORD_BYTES) this.#refuse('a record of more than 64 MiB', offset);
    }
  }

  /** The bytes of the file from `start` up to `end`, read synchronously. */
  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    const got = this.#bytes.read(bytes, start);
    if (got < bytes.length) this.#refuse('it became shorter while it was read', start + got);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#bytes.close();
  }

  /** `before`, followed by the next chunk of the file. */
  #chunkAt(position: number, before: Buffer = Buffer.alloc(0)): Buffer {
    const bytes = Buffer.allocUnsafe(before.length + CHUNK_BYTES);
    before.copy(bytes);
    try {
      return bytes.subarray(0, before.length + this.#bytes.read(bytes.subarray(before.length), position));
    } catch (error) {
      throw unreadableFile(this.path, error);
    }
  }

  /** Whether it is one JSON array, not lines. */
  #isArray(): boolean {
    const start = this.#chunkAt(0).subarray(0, START_BYTES).toString('latin1');
    const text = start.replace(/^\u00EF\u00BB\u00BF/, '').trimStart();
    if (text.startsWith('[')) return true;
    if (text.startsWith('{') || text === '') return false;
    throw new UsageError(
      `${this.path} is neither jsonl nor json; if it is csv, it does not say which cells are numbers`,
      { hint: this.#hint },
    );
  }

  #scan(bytes: Buffer, offset: number, scan: (bytes: Buffer) => RecordBatch): ExportPart {
    try {
      const batch = scan(bytes);
      if (batch.count === 0 && scan === scanArray && offset > 0)
        return this.#refuse('a comma before the end', offset);
      if (offset === 0 && batch.count > 0 && isPage(batch))
        throw new UsageError(
          `${this.path} is a page as the service sends it, and records are read from jsonl and json`,
          {
            hint: this.#hint,
          },
        );
      return { batch, offset };
    } catch (error) {
      if (!(error instanceof BadBody)) throw error;
      return this.#refuse(error.message.replace(/ \(byte \d+\)$/, ''), offset + error.offset);
    }
  }

  #refuse(what: string, at: number): never {
    throw new UsageError(`${this.path} is not a whole export: ${what} (byte ${at})`, {
      hint: 'It may have been cut short or edited: `folio verify` tells whether it is what was delivered.',
    });
  }
}

/** Whether the first object is a page with a list of records: counted as one record, it would give a wrong answer. */
function isPage(batch: RecordBatch): boolean {
  const reader = new CellReader();
  reader.moveTo(batch, 0);
  const isList = (name: string): boolean =>
    reader.columns.some((column, at) => column === name && reader.cell(at)?.text.startsWith('[') === true);
  return isList('pageResults') || (isList('data') && reader.columns.includes('nextToken'));
}

const REASONS: ReadonlyMap<string | undefined, readonly [reason: string, hint?: string]> = new Map([
  ['ENOENT', ['there is no such file']],
  ['EISDIR', ['it is a folder', 'Name a file in it.']],
  ['EACCES', ['you may not read it']],
  [
    'ESPIPE',
    [
      'it is a pipe, and has to be read more than once',
      'Pipe it into --from -, or write it to a file first, and name that.',
    ],
  ],
]);

export function unreadableFile(path: string, cause: unknown): UsageError {
  const [reason, hint] = REASONS.get(errorCode(cause)) ?? [systemReason(cause)];
  return new UsageError(`cannot read ${path}: ${reason}`, {
    hint: hint ?? 'Check its path, and that you may read it.',
    cause,
  });
}

/** `{` and `}` differ from `[` and `]` in this bit only. */
const BRACE_BIT = 0x20;

/** Finds where a JSON array that arrives in parts can be cut between records. It does not check the JSON. */
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
