import { compact } from './checked-text.ts';
import { recordBytes, type RecordBatch } from './records.ts';

/*
 * A service signs the links in its records anew with each answer (spec 2.5), so that a record is the same whatever its links are
 * signed with; and a signed link opens a file to whoever has it. Which strings are such links is decided here, in JSON text of
 * which each character is a byte.
 */

/**
 * The text of `fileUrl`, and any other value that begins as an address does. A quote within a string has a backslash before it, and
 * so one behind a colon, a comma or a bracket opens a string.
 */
const LINK = /(?<=[{,]\s*"fileUrl"\s*:\s*)("(?:[^"\\]|\\.)*")|(?<=[:,[]\s*)"http(?:[^"\\]|\\.)*"(?!\s*:)/g;
const ADDRESS = /^https?:\/\/[^/?#]*([^?#]*)/i;

/** A query that signs: a parameter that is called so, a moment, or a long value. */
const SIGNED =
  /\?(?:.*&)?(?:[^=&]*(?:sig|expire|token|credential|policy|security|hmac|hash|auth|nonce|key)[^=&]*=|[^=&]*=(?:\d{10,13}(?:&|$)|[\w%+/.~-]{20}))/i;

/** Bytes without which a record has no link. */
const [HTTP, MEMBER] = [Buffer.from('"http'), Buffer.from('"fileUrl"')];

/** The JSON text with another text in place of each signed link, of which `path` is what does not change: `/files/7`. */
function replaceLinks(json: string, instead: (path: string) => string): string {
  return json.replace(LINK, (literal: string, ofFile: string | undefined) => {
    const isFile = ofFile !== undefined;
    // A shorter text is no link.
    if (isFile && literal.length <= 'null'.length) return literal;
    const link = literal.slice(1, -1).replaceAll('\\/', '/');
    const path = ADDRESS.exec(link)?.[1];
    if (!isFile && (path === undefined || !SIGNED.test(link))) return literal;
    return instead(path ?? '');
  });
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
    const part = mayHaveLinks(record) ? Buffer.from(emptied(record.toString('latin1')), 'latin1') : record;
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

function emptied(json: string): string {
  return replaceLinks(json, () => 'null');
}

function lengthWithout(bytes: Buffer, start: number, end: number): number {
  return emptied(bytes.toString('latin1', start, end)).length;
}
