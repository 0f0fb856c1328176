import { WordView } from './bytes.ts';
import { recordBytes, type RecordBatch } from './records.ts';
import { scanArray, scanRecord } from './scan-records.ts';
import { isCalledFileUrl, JsonScanner } from './scanner.ts';

/*
 * A service signs the links in its records anew with each answer (spec 2.5), so that a record is the same whatever its links are
 * signed with; and a signed link opens a file to anyone. This module decides which strings are such links.
 */

/** Text without which a record has no link. */
const CANDIDATE = /"(?:http|[^"]{0,3}\\|fileUrl")/i;

/**
 * An address whose query signs: it has a parameter that is called so, a moment, or a long value. The equals sign is looked for
 * first: behind each word in turn, it would take a time that grows with the square of the name's length.
 */
const SIGNED =
  /^https?:\/\/[^?]*\?(?:.*&)?(?=[^=&]*=)[^=&]*(?:sig|expire|token|credential|policy|security|hmac|hash|auth|nonce|key|=(?:\d{10,13}(?:&|$)|[\w%+/.~-]{20}))/i;

/** The signed links of a page by what they were found in: several readers need them. */
const known = new WeakMap<Int32Array, Int32Array>();

/** Where the signed links of a batch begin and end, quotes included, in their order. */
export function signedLinks(batch: RecordBatch): Int32Array {
  const { bytes, links, bounds } = batch;
  let found = known.get(links ?? bounds);
  if (found === undefined) {
    found = signedAmong(new WordView(bytes), links ?? findLinks(batch));
    known.set(links ?? bounds, found);
  }
  return found;
}

function signedAmong(view: WordView, candidates: Int32Array): Int32Array {
  const found = new Int32Array(candidates.length);
  let count = 0;
  for (let slot = 0; slot < candidates.length; slot += 2) {
    const [start, end] = [candidates[slot]!, candidates[slot + 1]!];
    if (!(isCalledFileUrl(view, start) ? isFileLink(start, end) : isSigned(view.bytes, start, end))) continue;
    found[count++] = start;
    found[count++] = end;
  }
  return found.subarray(0, count);
}

/** Whether the text of a `fileUrl` is long enough to be a link: then it counts as signed. */
function isFileLink(start: number, end: number): boolean {
  return end - start > 'null'.length;
}

function isSigned(bytes: Buffer, start: number, end: number): boolean {
  const literal = bytes.toString('latin1', start, end);
  return /[?\\]/.test(literal) && SIGNED.test(JSON.parse(literal) as string);
}

/** The `links` that a scan of these records finds. */
function findLinks({ bytes, bounds, count }: RecordBatch): Int32Array {
  const scanner = new JsonScanner(bytes);
  // The record itself is not a level, as in the scan.
  for (let index = 0; index < count; index++) scanner.skipValue(bounds[2 * index]!, -1);
  return new Int32Array(scanner.links);
}

const [OPEN, COMMA, CLOSE, NULL] = ['[', ',', ']', 'null'].map((text) => Buffer.from(text));

/** The records with null for their signed links, for storage. An id that is a link is left out, too. */
export function withoutLinks(batch: RecordBatch): RecordBatch {
  const links = signedLinks(batch);
  if (links.length === 0) return batch;
  const { bytes, bounds, count } = batch;
  const parts: Buffer[] = [];
  let link = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) {
    parts.push(slot === 0 ? OPEN! : COMMA!);
    let from = bounds[slot]!;
    while (links[link]! < from) link += 2;
    for (; links[link]! < bounds[slot + 1]!; link += 2) {
      parts.push(bytes.subarray(from, links[link]), NULL!);
      from = links[link + 1]!;
    }
    parts.push(bytes.subarray(from, bounds[slot + 1]));
  }
  return scanArray(Buffer.concat([...parts, CLOSE!]));
}

/** A record, as JSON text, with null for its signed links. */
export function withoutSignedLinks(json: string): string {
  if (!CANDIDATE.test(json)) return json;
  return recordBytes(withoutLinks(scanRecord(Buffer.from(json))), 0).toString('utf8');
}
