import { compact } from './checked-text.ts';
import { recordBytes, type RecordBatch } from './records.ts';

/*
 * A service signs the links in its records anew with each answer (spec 2.5), so that a record is the same whatever its links are
 * signed with; and a signed link opens a file to whoever has it. Which strings are such links is decided here, in JSON text of
 * which each character is a byte.
 */

/**
 * Where a link may be: behind the name `fileUrl`, or any value that begins as an address does. To look for both at once and at what
 * is around them afterwards takes a fraction of the time that one pattern for all of it takes.
 */
const CANDIDATE = /"(?:http|fileUrl")/g;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const COLON = /\s*:\s*/y;
const ADDRESS = /^https?:\/\/[^/?#]*([^?#]*)/i;

/** A query that signs: a parameter that is called so, a moment, or a long value. */
const SIGNED =
  /\?(?:.*&)?(?:[^=&]*(?:sig|expire|token|credential|policy|security|hmac|hash|auth|nonce|key)[^=&]*=|[^=&]*=(?:\d{10,13}(?:&|$)|[\w%+/.~-]{20}))/i;

/** Bytes without which a record has no link. */
const [HTTP, MEMBER] = [Buffer.from('"http'), Buffer.from('"fileUrl"')];

/** The JSON text with another text in place of each signed link, of which `path` is what does not change: `/files/7`. */
function replaceLinks(json: string, instead: (path: string) => string): string {
  let result = '';
  let done = 0;
  CANDIDATE.lastIndex = 0;
  for (let found = CANDIDATE.exec(json); found !== null; found = CANDIDATE.exec(json)) {
    const isFile = found[0] === '"fileUrl"';
    const colon = isFile ? endOf(COLON, json, CANDIDATE.lastIndex) : undefined;
    const start = isFile ? colon : found.index;
    if (start === undefined || !isBehind(json, found.index, isFile ? '{,' : ':,[')) continue;
    const end = endOf(TEXT, json, start);
    // Other than a value, a name has a colon behind it.
    if (end === undefined || (!isFile && endOf(COLON, json, end) !== undefined)) continue;
    const path = signedPath(json.slice(start, end), isFile);
    CANDIDATE.lastIndex = end;
    if (path === undefined) continue;
    result += json.slice(done, start) + instead(path);
    done = end;
  }
  return result + json.slice(done);
}

/** The path of a link that is signed, or the file's, as it is written in JSON; undefined for any other text. */
function signedPath(literal: string, isFile: boolean): string | undefined {
  const link = literal.slice(1, -1).replaceAll('\\/', '/');
  const path = ADDRESS.exec(link)?.[1];
  // A shorter text is no link.
  if (isFile) return literal.length > 'null'.length ? (path ?? '') : undefined;
  return SIGNED.test(link) ? path : undefined;
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

function mayHaveLinks(bytes: Buffer): boolean {
  return bytes.includes(HTTP) || bytes.includes(MEMBER);
}

/** The JSON text with only the paths of signed links. */
export function withoutSignatures(json: string): string {
  return replaceLinks(json, (path) => `"${path}"`);
}

/** What a record says, as one line without the signatures of its links: its bytes, or a text of which each character is one. */
export function contentOf(batch: RecordBatch, index: number): Buffer | string {
  const record = compactRecord(batch, index);
  // A text of bytes takes half the time and memory of decoding.
  return mayHaveLinks(record) ? withoutSignatures(record.toString('latin1')) : record;
}

/** The record as one line. */
export function compactRecord(batch: RecordBatch, index: number): Buffer {
  return batch.spaced
    ? compact(batch.bytes, batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!)
    : recordBytes(batch, index);
}

/** The records with null for their signed links, for whoever keeps them. */
export function withoutLinks(batch: RecordBatch): RecordBatch {
  if (!mayHaveLinks(batch.bytes)) return batch;
  const { count, spaced } = batch;
  const [bounds, ids] = [new Int32Array(2 * count), new Int32Array(2 * count).fill(-1)];
  const parts: Buffer[] = [];
  let size = 0;
  for (let index = 0; index < count; index++) {
    const slot = 2 * index;
    const [start, end] = [batch.bounds[slot]!, batch.bounds[slot + 1]!];
    const record = batch.bytes.subarray(start, end);
    const [idStart, idEnd] = [batch.ids[slot]!, batch.ids[slot + 1]!];
    const part = mayHaveLinks(record)
      ? Buffer.from(withoutSignedLinks(record.toString('latin1')), 'latin1')
      : record;
    if (idStart >= 0) {
      // The id may stand behind links, or be one.
      const before = part === record ? idStart - start : lengthWithout(batch.bytes, start, idStart);
      const behind = before + (idEnd - idStart);
      const isThere = part.subarray(before, behind).equals(batch.bytes.subarray(idStart, idEnd));
      if (isThere) ids.set([size + before, size + behind], slot);
    }
    bounds.set([size, size + part.length], slot);
    parts.push(part);
    size += part.length;
  }
  return { bytes: Buffer.concat(parts), count, bounds, ids, spaced };
}

/** The JSON text with null for its signed links. */
export function withoutSignedLinks(json: string): string {
  return replaceLinks(json, () => 'null');
}

function lengthWithout(bytes: Buffer, start: number, end: number): number {
  return withoutSignedLinks(bytes.toString('latin1', start, end)).length;
}
