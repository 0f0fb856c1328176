import { CLOSE_BRACE, COMMA, LINE_FEED, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';
import { BadBody } from './bad-body.ts';
import type { JsonScanner } from './json-scanner.ts';
import { bodyStart, expectEnd, openBody } from './open-body.ts';
import { RecordCollector } from './record-collector.ts';
import type { RecordBatch } from './record-batch.ts';
import type { Span } from './span.ts';

/** One page of a listing, checked as a whole. */
export interface ScannedPage {
  readonly records: RecordBatch;
  /** The members of the top-level object, but the records: where the text of each value is. */
  readonly members: ReadonlyMap<string, Span>;
  /** The same of the page envelope within, where `assignedDocuments` is one. */
  readonly envelope?: ReadonlyMap<string, Span>;
}

/** The member that holds the records. */
export type RecordsMember = 'pageResults' | 'data' | 'assignedDocuments';

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
