import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  DIGIT_NINE,
  DIGIT_ZERO,
  LETTER_D,
  LETTER_I,
  LINE_FEED,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './ascii.ts';
import { BadBody } from './bad-body.ts';
import type { Span } from './checked-text.ts';
import type { RecordBatch } from './records.ts';
import { bodyStart, expectEnd, openBody, type JsonScanner } from './scanner.ts';

/** One page of a listing, checked as a whole. */
interface ScannedPage {
  readonly records: RecordBatch;
  /** The members of the top-level object, but the records: where the text of each value is. */
  readonly members: ReadonlyMap<string, Span>;
  /** The same of the page envelope within, where `assignedDocuments` is one. */
  readonly envelope?: ReadonlyMap<string, Span>;
}

/** The member that holds the records. */
type RecordsMember = 'pageResults' | 'data' | 'assignedDocuments';

/** Members that an object around records may have: far more than an envelope has, or the fund that holds documents. */
const MAX_MEMBERS = 10_000;

/**
 * Checks a whole body as strict JSON and finds, in the same pass, the members of its object and the records in the
 * array that `recordsIn` names. The specification does not say whether `assignedDocuments` is an array or a page
 * envelope (spec 4.7): both are read. Throws BadBody, also for records that are no objects or an array that is named twice.
 */
export function scanPage(bytes: Buffer, recordsIn: RecordsMember): ScannedPage {
  const scanner = openBody(bytes);
  const collector = new RecordCollector(scanner);
  let envelope: Map<string, Span> | undefined;
  const start = scanner.skipSpace(bodyStart(bytes));
  const [members, end] = scanMembers(scanner, start, recordsIn, (at) => {
    if (recordsIn !== 'assignedDocuments' || bytes[at] !== OPEN_BRACE)
      return scanRecords(scanner, collector, at);
    const [inner, behind] = scanMembers(scanner, at, 'pageResults', (array) =>
      scanRecords(scanner, collector, array),
    );
    envelope = inner;
    return behind;
  });
  expectEnd(scanner, end);
  return { records: collector.batch(), members, ...(envelope && { envelope }) };
}

/** The records of a body that is one array, `[{…},{…}]`. Throws BadBody. */
export function scanArray(bytes: Buffer): RecordBatch {
  const scanner = openBody(bytes);
  const collector = new RecordCollector(scanner);
  expectEnd(scanner, scanRecords(scanner, collector, scanner.skipSpace(bodyStart(bytes))));
  return collector.batch();
}

/** The records of a body that has one on each line; empty lines are passed over. Throws BadBody. */
export function scanLines(bytes: Buffer): RecordBatch {
  const scanner = openBody(bytes);
  const collector = new RecordCollector(scanner);
  let at = scanner.skipSpace(bodyStart(bytes));
  while (at < bytes.length) {
    const end = collector.scanRecord(at);
    at = scanner.skipSpace(end);
    if (at < bytes.length && !bytes.subarray(end, at).includes(LINE_FEED))
      scanner.fail('the end of the line', at);
  }
  return collector.batch();
}

/** The record that a body is, as a batch of one. Throws BadBody. */
export function scanRecord(bytes: Buffer): RecordBatch {
  const scanner = openBody(bytes);
  const collector = new RecordCollector(scanner);
  expectEnd(scanner, collector.scanRecord(scanner.skipSpace(bodyStart(bytes))));
  return collector.batch();
}

/**
 * The members of the object at `start` and the position behind it. The value of the member `recordsIn`, which must
 * be there once, is left to `scanHeld`.
 */
function scanMembers(
  scanner: JsonScanner,
  start: number,
  recordsIn: string,
  scanHeld: (at: number) => number,
): [members: Map<string, Span>, end: number] {
  const { bytes } = scanner;
  const members = new Map<string, Span>();
  if (bytes[start] !== OPEN_BRACE) scanner.fail(`an object with "${recordsIn}"`, start);
  let found = false;
  let at = scanner.skipSpace(start + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    if (bytes[at] !== QUOTE) scanner.fail('a string', at);
    const value = scanner.skipName(at);
    const name = readName(bytes, at, value);
    if (name === recordsIn) {
      if (found) throw new BadBody(`"${recordsIn}" is there twice`, at);
      found = true;
      at = scanHeld(value);
    } else {
      at = scanner.skipValue(value);
      members.set(name, [value, at]);
      if (members.size > MAX_MEMBERS) throw new BadBody(`more than ${MAX_MEMBERS} members in one object`, at);
    }
    at = scanner.skipSpace(at);
    if (bytes[at] === CLOSE_BRACE) break;
    if (bytes[at] !== COMMA) scanner.fail('"," or "}"', at);
    at = scanner.skipSpace(at + 1);
    if (bytes[at] === CLOSE_BRACE) scanner.fail('a string', at);
  }
  if (!found) throw new BadBody(`expected "${recordsIn}" in the object, found ${listNames(members)}`, start);
  return [members, at + 1];
}

function scanRecords(scanner: JsonScanner, collector: RecordCollector, at: number): number {
  if (scanner.bytes[at] !== OPEN_BRACKET) scanner.fail('an array of records', at);
  return collector.scanArray(at);
}

/** The name that begins at `start`; its string ends at the last quote before `value`. */
function readName(bytes: Buffer, start: number, value: number): string {
  return JSON.parse(bytes.toString('utf8', start, bytes.lastIndexOf(QUOTE, value - 1) + 1)) as string;
}

function listNames(members: ReadonlyMap<string, Span>): string {
  const names = [...members.keys()].slice(0, 8).map((name) => JSON.stringify(name.slice(0, 40)));
  return names.length === 0 ? 'none' : names.join(', ');
}

/** Bytes of a string without any text. */
const EMPTY_STRING_BYTES = 2;

/** Gathers the records that a scanner finds in one body, and where the identity of each is. */
class RecordCollector {
  readonly #scanner: JsonScanner;
  #bounds = new Int32Array(1024);
  #ids = new Int32Array(1024);
  #count = 0;
  #spaced = false;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  /** The array whose opening bracket is at `start`; returns the position behind it. Throws BadBody. */
  scanArray(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    let at = scanner.skipSpace(start + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.skipSpace(this.scanRecord(at));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) scanner.fail('"," or "]" behind a record', at);
      at = scanner.skipSpace(at + 1);
    }
  }

  /** The record whose opening brace is at `start`; returns the position behind it. Throws BadBody. */
  scanRecord(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[start] !== OPEN_BRACE) scanner.fail('a record, which is an object', start);
    const slot = this.#openSlot();
    // White space between records is of no concern, only that within.
    scanner.spaced = false;
    scanner.beginNames();
    let at = bytes[start + 1]! <= SPACE ? scanner.skipSpace(start + 1) : start + 1;
    while (bytes[at] !== CLOSE_BRACE) {
      const name = at;
      const value = scanner.skipName(name);
      at = scanner.skipValue(value);
      if (isId(bytes, name)) this.#noteId(slot, value, at);
      if (bytes[at]! <= SPACE) at = scanner.skipSpace(at);
      if (bytes[at] === CLOSE_BRACE) break;
      if (bytes[at] !== COMMA) scanner.fail('"," or "}"', at);
      at = bytes[at + 1]! <= SPACE ? scanner.skipSpace(at + 1) : at + 1;
      if (bytes[at] !== QUOTE) scanner.fail('a string', at);
    }
    at++;
    this.#bounds[slot] = start;
    this.#bounds[slot + 1] = at;
    this.#spaced ||= scanner.spaced;
    return at;
  }

  batch(): RecordBatch {
    const used = 2 * this.#count;
    return {
      bytes: this.#scanner.bytes,
      count: this.#count,
      bounds: this.#bounds.subarray(0, used),
      ids: this.#ids.subarray(0, used),
      arrays: this.#scanner.arrays.table,
      spaced: this.#spaced,
    };
  }

  #openSlot(): number {
    const slot = 2 * this.#count++;
    if (slot === this.#bounds.length) {
      this.#bounds = doubleSize(this.#bounds);
      this.#ids = doubleSize(this.#ids);
    }
    this.#ids[slot] = -1;
    this.#ids[slot + 1] = -1;
    return slot;
  }

  /** Only a string, not an empty one, or a number tells records apart; of several members with this name the last counts. */
  #noteId(slot: number, start: number, end: number): void {
    const first = this.#scanner.bytes[start]!;
    const tells =
      (first === QUOTE && end - start > EMPTY_STRING_BYTES) ||
      first === MINUS ||
      (first >= DIGIT_ZERO && first <= DIGIT_NINE);
    this.#ids[slot] = tells ? start : -1;
    this.#ids[slot + 1] = tells ? end : -1;
  }
}

/** Whether the name whose opening quote is at `at` reads `id`, however it is escaped. */
function isId(bytes: Buffer, at: number): boolean {
  const first = bytes[at + 1]!;
  const second = bytes[at + 2]!;
  if (first === LETTER_I && second === LETTER_D) return bytes[at + 3] === QUOTE;
  if (first !== BACKSLASH && !(first === LETTER_I && second === BACKSLASH)) return false;
  return /^"(?:i|\\u0069)(?:d|\\u0064)"/.test(bytes.toString('latin1', at, at + 14));
}

function doubleSize(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
