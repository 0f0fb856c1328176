import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../../context.ts';
import { BadBody, FolioError, UsageError, errorCode, systemReason } from '../../errors.ts';
import { BACKSLASH, CLOSE_BRACKET, COMMA, LINE_FEED, OPEN_BRACKET, QUOTE } from '../../json/ascii.ts';
import { CellReader } from '../../json/cells.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { renameMembers, scanArray, scanLines } from '../../json/scan-records.ts';
import type { Finding } from '../../findings.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { formatOf, formatOfEnding } from '../../output/formats.ts';
import { Spool } from '../../output/spool.ts';
import { ofNewShape } from './expanded-rows.ts';
import { hashFile, receiptBeside, STANDARD_INPUT, type DeliveredFile } from './read-receipt.ts';

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

/** Where the bytes of an export come from. They can be read at any position, repeatedly. */
interface Input {
  /** Fills as much of the buffer as there are bytes from there on, and returns how many. */
  readonly read: (into: Buffer, position: number) => number;
  readonly close: () => Promise<void>;
  /** What to do where it is in another format. */
  readonly hint: string;
  /** The SHA-256 of all bytes, in hex; only of a file. */
  readonly sha256?: () => Promise<string>;
  /** Whether a file was written to since it was opened. */
  readonly isChanged?: () => boolean;
}

interface CheckedExport {
  /** A failure where the run that wrote the file was incomplete, a warning where the receipt is of another file. */
  readonly finding?: Finding;
  /** Its receipt, if the hash in it is that of the file. */
  readonly delivered?: DeliveredFile;
}

/**
 * An earlier export in jsonl or json, and the receipt beside it. It is read part by part, since it may be larger than memory, and
 * opened by the first reading, which throws UsageError for a file with the ending of another format, or that cannot be opened.
 */
export class ExportFile {
  /** For messages. */
  readonly path: string;
  readonly #input: Input;
  readonly #receipt: Awaited<ReturnType<typeof receiptBeside>>;
  #delivered: Promise<DeliveredFile | undefined> | undefined;
  /** Whether the first record has no profile: then none may have one. */
  #isOfNobody = false;

  private constructor(path: string, input: Input, receipt?: Awaited<ReturnType<typeof receiptBeside>>) {
    this.path = path;
    this.#input = input;
    this.#receipt = receipt;
  }

  /** `hint` says what to do where it is in another format. */
  static async open(path: string, hint = AS_JSONL): Promise<ExportFile> {
    let file: number | undefined;
    let state = '';
    const stateNow = (): string => {
      const { size, mtimeMs } = fstatSync(file!);
      return `${size} ${mtimeMs}`;
    };
    const descriptor = (): number => {
      if (file === undefined) {
        file = descriptorOf(path, hint);
        state = stateNow();
      }
      return file;
    };
    const read = (into: Buffer, position: number): number =>
      readSync(descriptor(), into, 0, into.length, position);
    // Of the file that is read: another run may put a new one in its place meanwhile.
    const sha256 = async (): Promise<string> => (await hashFile(path, descriptor())).sha256;
    const close = async (): Promise<void> => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    };
    const isChanged = (): boolean => stateNow() !== state;
    return new ExportFile(path, { read, close, sha256, isChanged, hint }, await receiptBeside(path));
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
    return new ExportFile('standard input', { read, close: () => spool.close(), hint });
  }

  /** How the file was written, by its receipt; undefined without a readable one with the hash of this file (see `check`). */
  delivered(): Promise<DeliveredFile | undefined> {
    return (this.#delivered ??= this.#compare());
  }

  async #compare(): Promise<DeliveredFile | undefined> {
    const delivered = this.#receipt?.delivered;
    if (delivered === undefined || delivered instanceof Error || delivered.sha256 === null) return undefined;
    return (await this.#input.sha256?.()) === delivered.sha256 ? delivered : undefined;
  }

  /**
   * Checks it against its receipt, before an answer relies on it: on the records of these profiles, or on all. Throws UsageError
   * for the rows of a result.
   */
  async check(profiles: readonly string[] = []): Promise<CheckedExport> {
    if (this.#receipt === undefined) return {};
    const file = this.path;
    const { path, delivered } = this.#receipt;
    const warning = (text: string): CheckedExport => ({ finding: { level: 'warning', text } });
    if (delivered instanceof Error) return warning(delivered.message);
    const { sha256, complete, errors } = delivered;
    if (sha256 === null) {
      const why = complete ? '' : ` (${errors.join('; ')})`;
      return warning(`${file} is older than its receipt: the run of ${path} delivered no file${why}`);
    }
    if ((await this.delivered()) === undefined) {
      return warning(
        `${file} is not what its receipt ${path} says was delivered; \`folio verify\` tells in what it differs`,
      );
    }
    if (delivered.isResult)
      throw new UsageError(`${file} has rows of a result, as its receipt says, and no records`, {
        hint: 'Name an export of records: each row would count as one.',
      });
    const areWhole = profiles.length > 0 && profiles.every((one) => delivered.wholeProfiles.includes(one));
    if (complete || areWhole) return { delivered };
    const text = `${file} is incomplete: ${errors.join('; ')}`;
    const hint = `Export it again: its receipt ${path} says that it is not complete.`;
    return { delivered, finding: { level: 'failure', kind: 'incomplete', text, hint } };
  }

  /** All records, in order, with the columns in place of headings. Throws UsageError as `parts` does. */
  async *records(): AsyncGenerator<RecordBatch> {
    const { headings } = (await this.delivered()) ?? {};
    for await (const { batch } of this.parts())
      yield headings === undefined || headings.size === 0 ? batch : renameMembers(batch, headings);
  }

  /**
   * The profiles of an export: first those in the receipt of a whole export, even without records, then those of its records. A
   * profile without records does not count where a flag of the run may have left out all of them.
   * Undefined for records without a profile column; empty for an export without records and receipt. Ends where the export
   * cannot be read, which its reader reports. Throws UsageError where only some records have a profile.
   */
  async profiles(): Promise<readonly string[] | undefined> {
    const { isOfSeveral, complete, profiles = [], only = [] } = (await this.delivered()) ?? {};
    // A column of that name in the records of one profile is the service's own.
    if (isOfSeveral === false) return undefined;
    const held = new Set<string | undefined>();
    try {
      for await (const batch of this.records()) {
        const names = ownersOf(batch);
        this.#isOfNobody = held.size === 0 && names.length > 0 && names[0] === undefined;
        if (this.#isOfNobody) return undefined;
        for (const name of names) held.add(name);
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
    const names = [...held].filter((name) => name !== undefined);
    const isOfAll = complete && !only.some((flag) => /^--(?:limit|page) |_profile/.test(flag));
    if (names.length === held.size) return [...new Set([...(isOfAll ? profiles : []), ...names])];
    return this.#refuseUnowned();
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
      // Of a whole array, the end is always left.
      if (isArray && bytes.length === 0) this.#refuse('a comma before the end', offset);
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
    if (this.#input.isChanged?.() === true) this.#refuse('it was written to while it was read', offset);
  }

  /** The bytes of the file from `start` up to `end`, read synchronously. */
  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    const got = this.#input.read(bytes, start);
    if (got < bytes.length) this.#refuse('it became shorter while it was read', start + got);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#input.close();
  }

  /** `before`, followed by the next chunk of the file. */
  #chunkAt(position: number, before: Buffer = Buffer.alloc(0)): Buffer {
    const bytes = Buffer.allocUnsafe(before.length + CHUNK_BYTES);
    before.copy(bytes);
    try {
      return bytes.subarray(0, before.length + this.#input.read(bytes.subarray(before.length), position));
    } catch (error) {
      throw error instanceof UsageError ? error : unreadableFile(this.path, error);
    }
  }

  #refuseUnowned(): never {
    throw new UsageError(`${this.path} does not say of all its records of which profile they are`, {
      hint: 'Export it again with --all-profiles.',
    });
  }

  /** Whether it is one JSON array, not lines. */
  #isArray(): boolean {
    const start = this.#chunkAt(0).subarray(0, START_BYTES).toString('latin1');
    const text = start.replace(/^\u00EF\u00BB\u00BF/, '').trimStart();
    if (text.startsWith('[')) return true;
    if (text.startsWith('{') || text === '') return false;
    throw new UsageError(
      `${this.path} is neither jsonl nor json; if it is csv, it does not say which cells are numbers`,
      { hint: this.#input.hint },
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
            hint: this.#input.hint,
          },
        );
      if (this.#isOfNobody && namesOwner(batch)) this.#refuseUnowned();
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

/** Opens a file. Throws UsageError for one with the ending of another format, and where it cannot be opened. */
function descriptorOf(path: string, hint: string): number {
  if (path === STANDARD_INPUT) {
    throw new UsageError('standard input cannot be read here', {
      hint: 'Write it to a file first, and name that.',
    });
  }
  const format = formatOfEnding(path);
  const kind = format && formatOf(format).unreadable;
  if (kind !== undefined)
    throw new UsageError(`${path} is ${kind}, and records are read from jsonl and json`, { hint });
  try {
    // Opening a pipe would block until another program writes to it.
    if (statSync(path).isFIFO()) throw Object.assign(new Error('a pipe'), { code: 'ESPIPE' });
    // A descriptor, not a FileHandle: a run that fails may never close it, and Node warns of lost handles.
    return openSync(path, 'r');
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

export function ownersOf(batch: RecordBatch): readonly (string | undefined)[] {
  const reader = new CellReader([PROFILE_COLUMN]);
  return Array.from({ length: batch.count }, (_, index) => reader.read(batch, index)[0]?.text);
}

/** Whether a record has a profile, of those whose members differ from the ones before. */
function namesOwner(batch: RecordBatch): boolean {
  const reader = new CellReader([PROFILE_COLUMN]);
  for (const index of ofNewShape(batch)) if (reader.read(batch, index)[0] !== undefined) return true;
  return false;
}

/** The records whose profile column has one of the profiles. */
export function ofProfiles(batch: RecordBatch, profiles: readonly string[]): RecordBatch {
  const own = ownersOf(batch).flatMap((name, index) =>
    name !== undefined && profiles.includes(name) ? [index] : [],
  );
  return selectRecords(batch, own);
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

  /** Reads on from `from` and returns the position after the last comma between records; 0 before the first comma. */
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

/** The number of records in a file; undefined in a format whose records cannot be counted, and in a damaged file. */
export async function countRecords(
  path: string,
  { format, header }: Pick<DeliveredFile, 'format' | 'header'>,
): Promise<number | undefined> {
  let records = 0;
  if (format === 'csv') {
    let isQuoted = false;
    // Of any delimiter, since receipts do not name it. A line feed within quotes is text.
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
      for (const byte of chunk) {
        if (byte === QUOTE) isQuoted = !isQuoted;
        if (byte === LINE_FEED && !isQuoted) records++;
      }
    return Math.max(0, records - (header ? 1 : 0));
  }
  if (format !== 'json' && format !== 'jsonl') return undefined;
  const file = await ExportFile.open(path);
  try {
    for await (const { batch } of file.parts()) records += batch.count;
    return records;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
