import * as ascii from './ascii.ts';
import { BadBody } from '../errors.ts';
import type { Span } from './bytes.ts';
import { RecordShapes } from './record-shapes.ts';
import { RecordBatch, recordBytes, type OwnColumn } from './records.ts';
import { bodyStart, expectEnd, JsonScanner, openBody } from './scanner.ts';
import { runToEnd, type CooperativeTask } from './cooperative-task.ts';

/** One page of a listing, of which every byte has been checked. */
export interface ScannedPage {
  readonly records: RecordBatch;
  /** Where the value of each member of the top-level object is, without the records. */
  readonly members: ReadonlyMap<string, Span>;
  /** The same for the envelope that `assignedDocuments` may be. */
  readonly envelope?: ReadonlyMap<string, Span>;
}

type RecordsMember = 'pageResults' | 'data' | 'assignedDocuments';

/** The most members of the object around the records: far more than an envelope or a fund has. */
const MAX_MEMBERS = 10_000;

/** The member with the records. */
interface RecordsHolder {
  /** Just one of these names must be there, just once. */
  readonly names: readonly string[];
  /** True where the object may be a record without that member, which then counts as an empty list. */
  readonly isOptional: boolean;
  /** Scans its value, and returns the position after it. */
  readonly scanValue: (at: number) => CooperativeTask<number>;
}

/**
 * Checks a whole body as strict JSON. In the same pass it finds the members of the body's object, and the records in the
 * array that `recordsIn` names. `assignedDocuments` may be an array or a page envelope, because the specification does not
 * say which (spec 4.7). Throws BadBody, also for a record that is not an object and for an array that is there twice.
 */
export function* scanPage(bytes: Buffer, recordsIn: RecordsMember): CooperativeTask<ScannedPage> {
  const collector = new RecordCollector(bytes);
  const { scanner, start } = collector;
  let envelope: ReadonlyMap<string, Span> | undefined;
  const mayBeEnvelope = recordsIn === 'assignedDocuments';
  const [members, end] = yield* scanMembers(scanner, start, {
    names: [recordsIn],
    isOptional: mayBeEnvelope,
    // No generator function is made for each page: V8 would keep it, and the page that it sees, until a full collection.
    scanValue: (at) =>
      mayBeEnvelope
        ? scanAssigned(collector, at, (inner) => (envelope = inner))
        : collector.scanList(at, false),
  });
  expectEnd(scanner, end);
  return { records: collector.batch(), members, ...(envelope && { envelope }) };
}

/** The records of a body that is an array, `[{…},{…}]`. Throws BadBody. */
export function scanArray(bytes: Buffer): RecordBatch {
  const collector = new RecordCollector(bytes);
  expectEnd(collector.scanner, runToEnd(collector.scanList(collector.start, false)));
  return collector.batch();
}

/** The records of a body with one record on each line. Empty lines are allowed. Throws BadBody. */
export function scanLines(bytes: Buffer): RecordBatch {
  const collector = new RecordCollector(bytes);
  const { scanner } = collector;
  let at = collector.start;
  while (at < bytes.length) {
    const end = collector.scanRecord(at);
    at = scanner.skipSpace(end);
    if (at < bytes.length && !bytes.subarray(end, at).includes(ascii.LINE_FEED))
      scanner.fail('the end of the line', at);
  }
  return collector.batch();
}

/** A body that is one record, as a batch of one. Throws BadBody. */
export function scanRecord(bytes: Buffer): RecordBatch {
  const collector = new RecordCollector(bytes);
  expectEnd(collector.scanner, collector.scanRecord(collector.start));
  return collector.batch();
}

/** The other members of the object at `start`, and the position after it. */
function* scanMembers(
  scanner: JsonScanner,
  start: number,
  { names, isOptional, scanValue }: RecordsHolder,
): CooperativeTask<[members: Map<string, Span>, end: number]> {
  const { bytes } = scanner;
  const members = new Map<string, Span>();
  const shown = names.map((name) => `"${name}"`).join(' or ');
  if (bytes[start] !== ascii.OPEN_BRACE) scanner.fail(`an object with ${shown}`, start);
  let found = false;
  let at = scanner.skipSpace(start + 1);
  while (bytes[at] !== ascii.CLOSE_BRACE) {
    const value = scanner.skipName(at);
    const name = readName(bytes, at, value);
    if (names.includes(name)) {
      if (found) throw new BadBody(`${shown} is there twice`, at);
      found = true;
      at = yield* scanValue(value);
    } else {
      at = scanner.skipValue(value);
      members.set(name, [value, at]);
      if (members.size > MAX_MEMBERS) throw new BadBody(`more than ${MAX_MEMBERS} members in one object`, at);
    }
    at = scanner.skipSpace(at);
    if (bytes[at] === ascii.CLOSE_BRACE) break;
    if (bytes[at] !== ascii.COMMA) scanner.fail('"," or "}"', at);
    at = scanner.skipSpace(at + 1);
    if (bytes[at] === ascii.CLOSE_BRACE) scanner.fail('a string', at);
  }
  // Without its list, the object must at least be a record.
  if (!found && !(isOptional && members.has('id')))
    throw new BadBody(`expected ${shown} in the object, found ${listNames(members)}`, start);
  return [members, at + 1];
}

/** Scans `assignedDocuments`: a list of records, null, or an envelope with a list, whose other members go to `keep`. */
function* scanAssigned(
  collector: RecordCollector,
  at: number,
  keep: (members: ReadonlyMap<string, Span>) => void,
): CooperativeTask<number> {
  const { scanner } = collector;
  if (scanner.bytes[at] !== ascii.OPEN_BRACE) return yield* collector.scanList(at, true);
  const [members, end] = yield* scanMembers(scanner, at, {
    names: ['pageResults', 'data'],
    isOptional: false,
    scanValue: (list) => collector.scanList(list, true),
  });
  keep(members);
  return end;
}

/** The name that begins at `start`. It ends at the last quote before `value`. */
function readName(bytes: Buffer, start: number, value: number): string {
  return JSON.parse(bytes.toString('utf8', start, bytes.lastIndexOf(ascii.QUOTE, value - 1) + 1)) as string;
}

function listNames(members: ReadonlyMap<string, Span>): string {
  const names = [...members.keys()].slice(0, 8).map((name) => JSON.stringify(name.slice(0, 40)));
  return names.length === 0 ? 'none' : names.join(', ');
}

/** Bytes of records that are scanned in one step: a few milliseconds. */
const STEP = 2 * 1024 * 1024;

/** Collects the records that a scanner finds in a body, and where the `id` of each is. */
class RecordCollector {
  readonly scanner: JsonScanner;
  readonly start: number;
  readonly #shapes: RecordShapes;
  readonly #bounds: number[] = [];
  readonly #ids: number[] = [];
  readonly #valueEndsAt: number[] = [];
  #spaced = false;

  /** Throws BadBody when the body is not UTF-8. */
  constructor(bytes: Buffer) {
    this.scanner = openBody(bytes);
    this.start = this.scanner.skipSpace(bodyStart(bytes));
    this.#shapes = new RecordShapes(this.scanner);
  }

  /** Scans an array of records; or null, where `mayBeNull`, which is no records. */
  *scanList(start: number, mayBeNull: boolean): CooperativeTask<number> {
    const { scanner } = this;
    const { bytes } = scanner;
    if (bytes[start] !== ascii.OPEN_BRACKET) {
      const end = mayBeNull ? scanner.skipValue(start) : start;
      if (bytes.toString('latin1', start, end) !== 'null') scanner.fail('an array of records', start);
      return end;
    }
    let at = scanner.skipSpace(start + 1);
    if (bytes[at] === ascii.CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = this.#scanRecords(at, at + STEP);
      if (bytes[at - 1] === ascii.CLOSE_BRACKET) return at;
      yield;
    }
  }

  /** Scans records to the end of their array, and returns the position after it; or that of the first one from `until` on. */
  #scanRecords(start: number, until: number): number {
    const { scanner } = this;
    const { bytes } = scanner;
    let at = start;
    do {
      at = scanner.skipSpace(this.scanRecord(at));
      if (bytes[at] === ascii.CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== ascii.COMMA) scanner.fail('"," or "]" behind a record', at);
      at = scanner.skipSpace(at + 1);
    } while (at < until);
    return at;
  }

  scanRecord(start: number): number {
    const shapes = this.#shapes;
    // Only white space within a record matters.
    this.scanner.spaced = false;
    let end = shapes.scan(start);
    if (end < 0) {
      shapes.id = -1;
      end = this.#scanMembers(start);
      shapes.learn(start, end);
    }
    this.#noteId(shapes.id, shapes.idEnd);
    this.#bounds.push(start, end);
    this.#valueEndsAt.push(shapes.firstEnd);
    this.#spaced ||= this.scanner.spaced;
    return end;
  }

  #scanMembers(start: number): number {
    const { scanner } = this;
    const { bytes } = scanner;
    if (bytes[start] !== ascii.OPEN_BRACE) scanner.fail('a record, which is an object', start);
    let at = bytes[start + 1]! <= ascii.SPACE ? scanner.skipSpace(start + 1) : start + 1;
    while (bytes[at] !== ascii.CLOSE_BRACE) {
      const name = at;
      const value = scanner.skipName(name);
      at = scanner.skipValue(value);
      // Of several ids, the last one counts.
      if (isNamedId(bytes, name)) [this.#shapes.id, this.#shapes.idEnd] = [value, at];
      if (bytes[at]! <= ascii.SPACE) at = scanner.skipSpace(at);
      if (bytes[at] === ascii.CLOSE_BRACE) break;
      if (bytes[at] !== ascii.COMMA) scanner.fail('"," or "}"', at);
      at = bytes[at + 1]! <= ascii.SPACE ? scanner.skipSpace(at + 1) : at + 1;
      if (bytes[at] !== ascii.QUOTE) scanner.fail('a string', at);
    }
    return at + 1;
  }

  batch(): RecordBatch {
    return new RecordBatch({
      bytes: this.scanner.bytes,
      count: this.#valueEndsAt.length,
      bounds: new Int32Array(this.#bounds),
      ids: new Int32Array(this.#ids),
      valueEndsAt: new Int32Array(this.#valueEndsAt),
      valueEnds: this.#shapes.valueEnds,
      links: new Int32Array(this.scanner.links),
      spaced: this.#spaced,
    });
  }

  /** Notes an id that can tell records apart: a number, or a string that is not empty. */
  #noteId(start: number, end: number): void {
    const first = start < 0 ? ascii.SPACE : this.scanner.bytes[start]!;
    const isId =
      (first === ascii.QUOTE && end - start > '""'.length) ||
      first === ascii.MINUS ||
      (first >= ascii.DIGIT_ZERO && first <= ascii.DIGIT_NINE);
    this.#ids.push(isId ? start : -1, isId ? end : -1);
  }
}

/** Whether the name that begins at `at` is `id`, also when it is written with escapes. */
function isNamedId(bytes: Buffer, at: number): boolean {
  const first = bytes[at + 1]!;
  const second = bytes[at + 2]!;
  if (first === ascii.LETTER_I && second === ascii.LETTER_D) return bytes[at + 3] === ascii.QUOTE;
  if (first !== ascii.BACKSLASH && second !== ascii.BACKSLASH) return false;
  return /^"(?:i|\\u0069)(?:d|\\u0064)"/.test(bytes.toString('latin1', at, at + 14));
}

/**
 * The records with a column of folio's own. A member of that name which a record has leaves as `\name`, so that it never takes
 * the place of folio's.
 */
export function withOwnColumn(batch: RecordBatch, own: OwnColumn): RecordBatch {
  // The name may be spelt with escapes.
  const mayHaveIt = batch.bytes.includes(own.name) || batch.bytes.includes('\\u00');
  const records = mayHaveIt ? renameMembers(batch, new Map([[own.name, `\\${own.name}`]])) : batch;
  return new RecordBatch({ ...records, own });
}

/** The records with other names for some of their members. */
export function renameMembers(batch: RecordBatch, names: ReadonlyMap<string, string>): RecordBatch {
  const parts: Buffer[] = [];
  let isFound = false;
  for (let index = 0; index < batch.count; index++) {
    const record = recordBytes(batch, index);
    let from = 0;
    for (const [name, [start, end]] of memberNames(record)) {
      const other = names.get(name);
      if (other === undefined) continue;
      parts.push(record.subarray(from, start), Buffer.from(JSON.stringify(other)));
      from = end;
      isFound = true;
    }
    parts.push(record.subarray(from), Buffer.from(index + 1 < batch.count ? ',' : ']'));
  }
  return isFound ? scanArray(Buffer.concat([Buffer.from('['), ...parts])) : batch;
}

function* memberNames(record: Buffer): Generator<[name: string, span: Span]> {
  const scanner = new JsonScanner(record);
  let at = scanner.skipSpace(1);
  while (record[at] !== ascii.CLOSE_BRACE) {
    const value = scanner.skipName(at);
    yield [readName(record, at, value), [at, record.lastIndexOf(ascii.QUOTE, value - 1) + 1]];
    at = scanner.skipSpace(scanner.skipValue(value));
    if (record[at] === ascii.COMMA) at = scanner.skipSpace(at + 1);
  }
}
