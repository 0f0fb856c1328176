import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { errorCode, UsageError } from '../../errors.ts';
import { LINE_FEED } from '../../json/bytes.ts';
import { unreadableFile } from '../exports/export-file.ts';

/** The most bytes of a line, and of a whole list when it is inflated: what has more is no list, or made to fill the memory. */
const MAX_LINE_BYTES = 1 << 20;
const MAX_LIST_BYTES = 2 ** 32;

/** The first bytes of what gzip has compressed. */
const GZIP = [0x1f, 0x8b];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** What windows-1252 has where latin1 has control characters: the decoder of some versions of Node takes one for the other. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** The error for a list that cannot be read as it is. Lines count from 1. */
export function badList(path: string, line: number, what: string, hint?: string): UsageError {
  return new UsageError(`${path}, line ${line}: ${what}`, {
    hint: hint ?? 'Download the list again, or correct that line. Nothing was written.',
  });
}

/**
 * A list on the disk, plain or compressed with gzip. It is read in a stream, and more than once: whether it is UTF-8 is known
 * at its end.
 */
export class ListFile {
  readonly path: string;
  readonly #isCompressed: boolean;

  private constructor(path: string, isCompressed: boolean) {
    this.path = path;
    this.#isCompressed = isCompressed;
  }

  /** Throws UsageError for what is no file. */
  static async open(path: string): Promise<ListFile> {
    try {
      const found = await stat(path);
      if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      if (found.isFIFO()) throw Object.assign(new Error('a pipe'), { code: 'ESPIPE' });
      if (!found.isFile()) {
        throw new UsageError(`cannot read ${path}: it is no file`, { hint: 'Name the file of a list.' });
      }
      const file = await open(path);
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
        return new ListFile(path, bytesRead === 2 && GZIP.every((byte, at) => buffer[at] === byte));
      } finally {
        await file.close();
      }
    } catch (error) {
      throw error instanceof UsageError ? error : unreadableFile(path, error);
    }
  }

  /** Whole lines, many at a time; the last one may have no line feed. Throws UsageError where it is no text. */
  async *lines(): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    let [line, bytes] = [1, 0];
    for await (const chunk of this.#bytes()) {
      if (chunk.includes(0)) throw this.#noText(line, 'it has bytes of no text');
      bytes += chunk.length;
      if (bytes > MAX_LIST_BYTES) throw this.#noText(line, 'it has more than 4 GiB');
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) {
        const whole = Buffer.concat([rest, chunk.subarray(0, end)]);
        line += linesIn(whole);
        yield whole;
        rest = chunk.subarray(end);
      } else rest = Buffer.concat([rest, chunk]);
      if (rest.length > MAX_LINE_BYTES) throw this.#noText(line, 'it has more than 1 MiB');
    }
    if (rest.length > 0) yield rest;
  }

  /** Whether all of it is UTF-8: else it is windows-1252. */
  async isUtf8(): Promise<boolean> {
    for await (const lines of this.lines()) if (!isUtf8(lines)) return false;
    return true;
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    const plain = createReadStream(this.path, { highWaterMark: 1 << 18 });
    let isFirst = true;
    try {
      for await (const chunk of this.#isCompressed ? await inflated(plain) : plain) {
        const bytes = chunk as Buffer;
        yield isFirst ? withoutMark(bytes) : bytes;
        isFirst = false;
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (errorCode(error)?.startsWith('Z_') !== true) throw unreadableFile(this.path, error);
      throw new UsageError(`${this.path} is cut short or damaged: gzip cannot read all of it`, {
        hint: 'Download it again.',
        cause: error,
      });
    } finally {
      plain.destroy();
    }
  }

  #noText(line: number, what: string): UsageError {
    return badList(this.path, line, what, 'A list is csv or jsonl: text in lines.');
  }
}

async function inflated(plain: ReturnType<typeof createReadStream>): Promise<AsyncIterable<unknown>> {
  const { createGunzip } = await import('node:zlib');
  const inflating = createGunzip();
  // A failure of either is thrown where the bytes are read.
  pipeline(plain, inflating, () => {});
  return inflating;
}

function withoutMark(bytes: Buffer): Buffer {
  return BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? bytes.subarray(3) : bytes;
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** Bytes as text. */
export function decode(bytes: Buffer, isUtf8: boolean): string {
  if (isUtf8) return bytes.toString('utf8');
  return bytes
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!);
}

/** A row of a list: its cells as they are written, without quotes. */
export interface ListRow {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** True where the file ends without the end of this row's line: then it may be cut. */
  readonly isOpen?: boolean;
}

/**
 * Splits csv into rows, which may have any number of cells: the lists of the tax authority have more than their header. A cell
 * is quoted where quotes stand around all of it; in `"El Roble" Ltda.` they are part of the name. The usual parser, which a
 * stricter form suits, takes twenty times as long.
 */
export class RowSplitter {
  readonly #path: string;
  readonly #delimiter: string;
  #rest = '';
  #line = 1;

  constructor(path: string, delimiter: string) {
    this.#path = path;
    this.#delimiter = delimiter;
  }

  /** The rows that end in this text, which ends with a line. */
  add(text: string): ListRow[] {
    const all = this.#rest === '' ? text : this.#rest + text;
    const rows: ListRow[] = [];
    let at = 0;
    let quote = placeOf(all, '"', 0);
    while (at < all.length) {
      const line = this.#line;
      const end = placeOf(all, '\n', at);
      if (quote < at) quote = placeOf(all, '"', at);
      if (quote >= end) {
        rows.push({ line, cells: withoutReturn(all.slice(at, end)).split(this.#delimiter) });
        this.#line++;
        at = end + 1;
        continue;
      }
      const quoted = this.#quotedRow(all, at);
      if (quoted === undefined) break;
      rows.push({ line, cells: quoted.cells });
      this.#line += quoted.lines;
      at = quoted.end;
    }
    this.#rest = all.slice(at);
    if (this.#rest.length > MAX_LINE_BYTES) throw this.#openQuote();
    return rows;
  }

  /** Throws UsageError where the text ended within a quoted cell. */
  end(): void {
    if (this.#rest !== '') throw this.#openQuote();
  }

  #openQuote(): UsageError {
    return badList(this.#path, this.#line, 'a quote is opened there and not closed');
  }

  /** The row that begins at `start`; undefined where a quoted cell has not ended yet. */
  #quotedRow(text: string, start: number): { cells: string[]; end: number; lines: number } | undefined {
    const cells: string[] = [];
    let [at, lines] = [start, 1];
    for (;;) {
      const quoted = text[at] === '"' ? this.#quotedCell(text, at) : undefined;
      if (quoted === 'open') return undefined;
      let cell: string;
      if (quoted !== undefined) {
        cell = text.slice(at + 1, quoted - 1).replaceAll('""', '"');
        lines += cell.split('\n').length - 1;
        at = quoted;
      } else {
        const end = this.#endOfCell(text, at);
        cell = text.slice(at, end);
        at = end;
      }
      if (text.startsWith(this.#delimiter, at)) {
        cells.push(cell);
        at += this.#delimiter.length;
        continue;
      }
      cells.push(quoted === undefined ? withoutReturn(cell) : cell);
      if (text[at] === '\r') at++;
      return { cells, end: at + 1, lines };
    }
  }

  #endOfCell(text: string, at: number): number {
    return Math.min(placeOf(text, this.#delimiter, at), placeOf(text, '\n', at));
  }

  /** Where the quoted cell ends, behind its quote; undefined where quotes do not stand around all of it. */
  #quotedCell(text: string, start: number): number | 'open' | undefined {
    for (let at = start + 1; ; at++) {
      at = text.indexOf('"', at);
      if (at < 0) return 'open';
      if (text[at + 1] === '"') {
        at++;
        continue;
      }
      const behind = text.slice(at + 1, at + 3);
      return behind === '' || behind.startsWith(this.#delimiter) || /^\r?\n|^\r$/.test(behind)
        ? at + 1
        : undefined;
    }
  }
}

/** Where the part stands next; the length of the text where it does not. */
function placeOf(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? text.length : at;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
