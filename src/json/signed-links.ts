import { COLON, COMMA, OPEN_BRACE, QUOTE, SPACE, WordView } from './bytes.ts';
import { compact, endOfSpace, endOfString } from './checked-text.ts';
import { recordBytes, type RecordBatch } from './records.ts';

/*
 * A service signs the links in its records anew with each answer (spec 2.5), so that a record is the same whatever its links are
 * signed with; and a signed link opens a file to whoever has it. Which strings are such links is decided here.
 */

/**
 * Where a link may be, in JSON text: behind the name `fileUrl`, or any value that begins as an address does. To look for both at
 * once and at what is around them afterwards takes a fraction of the time that one pattern for all of it takes.
 */
const CANDIDATE = /"(?:http|fileUrl")/g;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const COLON_BETWEEN = /\s*:\s*/y;

/** An address whose query signs: it has a parameter that is called so, a moment, or a long value. */
const SIGNED =
  /^https?:\/\/[^?]*\?(?:.*&)?(?:[^=&]*(?:sig|expire|token|credential|policy|security|hmac|hash|auth|nonce|key)[^=&]*=|[^=&]*=(?:\d{10,13}(?:&|$)|[\w%+/.~-]{20}))/i;

/**
 * Bytes without which a record has no link: how an address begins, and how the name `fileUrl` ends. To look for the whole name
 * takes twenty times as long, since it begins with a quote, and quotes are everywhere.
 */
const [HTTP, MEMBER_END] = [Buffer.from('"http'), Buffer.from('Url"')];
const MEMBER_START = Buffer.from('"file');

/** Where the signed links of a text begin and end, quotes included, in their order. */
function* linksOfText(json: string): Generator<readonly [start: number, end: number]> {
  CANDIDATE.lastIndex = 0;
  for (let found = CANDIDATE.exec(json); found !== null; found = CANDIDATE.exec(json)) {
    const next = CANDIDATE.lastIndex;
    const isFile = found[0] === '"fileUrl"';
    const start = isFile ? endOf(COLON_BETWEEN, json, next) : found.index;
    if (start === undefined || !isBehind(json, found.index, isFile ? '{,' : ':,[')) continue;
    const end = endOf(TEXT, json, start);
    // Other than a value, a name has a colon behind it.
    if (end === undefined || (!isFile && endOf(COLON_BETWEEN, json, end) !== undefined)) continue;
    CANDIDATE.lastIndex = end;
    if (isFile ? isFileLink(start, end) : isSigned(json.slice(start, end))) yield [start, end];
    CANDIDATE.lastIndex = end;
  }
}

/** Whether the text of a `fileUrl` is long enough to be a link: then it counts as signed. */
function isFileLink(start: number, end: number): boolean {
  return end - start > 'null'.length;
}

/** Whether a string, as JSON, is a signed link. */
function isSigned(literal: string): boolean {
  return literal.includes('?') && SIGNED.test(JSON.parse(literal) as string);
}

/** The position behind what stands at `start`, if that is there. */
function endOf(pattern: RegExp, json: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(json) ? pattern.lastIndex : undefined;
}

/** Whether one of the signs is before the position, but for white space: a quote within a string has a backslash there. */
function isBehind(json: string, position: number, signs: string): boolean {
  let at = position - 1;
  while (json.charCodeAt(at) <= 0x20) at--;
  return at >= 0 && signs.includes(json[at]!);
}

const NONE = new Int32Array(0);
/** What was found in the bytes of a page, which several readers of it ask for. */
const known = new WeakMap<Buffer, Int32Array>();

/** Where the signed links in the bytes of a batch begin and end, quotes included, in their order. */
export function signedLinks({ bytes, links }: Pick<RecordBatch, 'bytes' | 'links'>): Int32Array {
  let found = known.get(bytes);
  if (found === undefined) {
    if (links !== undefined) found = Int32Array.from(linksAmong(bytes, links));
    else if (bytes.includes(HTTP) || bytes.includes(MEMBER_END))
      found = Int32Array.from([...linksOfText(bytes.toString('latin1'))].flat());
    else found = NONE;
    known.set(bytes, found);
  }
  return found;
}

/** The same as numbers, where the strings that begin as an address does were noted. */
function linksAmong(bytes: Buffer, noted: Int32Array): number[] {
  const found: number[] = [];
  let at = 0;
  const takeBefore = (end: number): void => {
    for (; noted[at]! < end; at += 2) {
      const [start, behind] = [noted[at]!, noted[at + 1]!];
      if (isSigned(bytes.toString('latin1', start, behind))) found.push(start, behind);
    }
  };
  for (const start of fileLinks(bytes)) {
    takeBefore(start);
    const end = noted[at] === start ? noted[at + 1]! : endOfString(new WordView(bytes), start + 1) + 1;
    if (noted[at] === start) at += 2;
    if (isFileLink(start, end)) found.push(start, end);
  }
  takeBefore(bytes.length);
  return found;
}

/** Where the texts of members called `fileUrl` begin. */
function* fileLinks(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(MEMBER_END); at >= 0; at = bytes.indexOf(MEMBER_END, at + 1)) {
    const name = at - MEMBER_START.length;
    if (!hasAt(bytes, name, MEMBER_START)) continue;
    let before = name - 1;
    while (bytes[before]! <= SPACE) before--;
    const colon = endOfSpace(bytes, at + MEMBER_END.length);
    const value = endOfSpace(bytes, colon + 1);
    const isName = bytes[before] === OPEN_BRACE || bytes[before] === COMMA;
    if (isName && bytes[colon] === COLON && bytes[value] === QUOTE) yield value;
  }
}

/** Compares byte by byte: to make a text of each place takes as long as to find all of them. */
function hasAt(bytes: Buffer, start: number, sought: Buffer): boolean {
  for (let at = 0; at < sought.length; at++) if (bytes[start + at] !== sought[at]) return false;
  return true;
}

/** The record as one line. */
export function compactRecord(batch: RecordBatch, index: number): Buffer {
  return batch.spaced
    ? compact(batch.bytes, batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!)
    : recordBytes(batch, index);
}

const NULL = Buffer.from('null');

/** The records with null for their signed links, for whoever keeps them. */
export function withoutLinks(batch: RecordBatch): RecordBatch {
  const links = signedLinks(batch);
  if (links.length === 0) return batch;
  const { count, spaced } = batch;
  const [bounds, ids] = [new Int32Array(2 * count), new Int32Array(2 * count).fill(-1)];
  const parts: Buffer[] = [];
  let size = 0;
  let link = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) {
    const [end, idStart, idEnd] = [batch.bounds[slot + 1]!, batch.ids[slot]!, batch.ids[slot + 1]!];
    let from = batch.bounds[slot]!;
    bounds[slot] = size;
    const keep = (to: number): void => {
      // An id that is a link is left out with it.
      if (from <= idStart && idEnd <= to) ids.set([size + idStart - from, size + idEnd - from], slot);
      parts.push(batch.bytes.subarray(from, to));
      size += to - from;
    };
    while (links[link]! < from) link += 2;
    for (; links[link]! < end; link += 2) {
      keep(links[link]!);
      parts.push(NULL);
      size += NULL.length;
      from = links[link + 1]!;
    }
    keep(end);
    bounds[slot + 1] = size;
  }
  const bytes = Buffer.concat(parts);
  known.set(bytes, NONE);
  return { bytes, count, bounds, ids, spaced };
}

/** The JSON text with null for its signed links. */
export function withoutSignedLinks(json: string): string {
  let result = '';
  let done = 0;
  for (const [start, end] of linksOfText(json)) {
    result += `${json.slice(done, start)}null`;
    done = end;
  }
  return result + json.slice(done);
}
