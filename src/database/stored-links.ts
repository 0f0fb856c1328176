import { BACKSLASH, COLON, QUOTE, SPACE } from '../json/bytes.ts';
import type { RecordBatch } from '../json/records.ts';

const MEMBER = Buffer.from('"fileUrl"');
const INSTEAD = Buffer.from('null');

/**
 * The records with null for the links to their files. A link is signed anew with each answer (spec 2.5), so that every record
 * would seem changed at each sync; and it opens the file to everybody who can read the database.
 */
export function withoutLinks(batch: RecordBatch): RecordBatch {
  const { bytes, count, spaced } = batch;
  let member = bytes.indexOf(MEMBER);
  if (member < 0) return batch;
  const shorter = Buffer.allocUnsafeSlow(bytes.length);
  const [bounds, ids] = [new Int32Array(2 * count), new Int32Array(2 * count).fill(-1)];
  let size = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) {
    const [start, end] = [batch.bounds[slot]!, batch.bounds[slot + 1]!];
    const [idStart, idEnd] = [batch.ids[slot]!, batch.ids[slot + 1]!];
    bounds[slot] = size;
    /** The record is copied up to here. */
    let done = start;
    const copyTo = (to: number): void => {
      if (idStart >= done && idStart < to) {
        const shift = size - done;
        ids[slot] = idStart + shift;
        ids[slot + 1] = idEnd + shift;
      }
      size += bytes.copy(shorter, size, done, to);
    };
    while (member >= 0 && member < end) {
      const value = endOfColon(bytes, member + MEMBER.length);
      const behind = bytes[value] === QUOTE ? endOfText(bytes, value + 1) : value;
      // A shorter text is no link, and would not have room for `null`.
      if (member >= start && behind - value > INSTEAD.length) {
        copyTo(value);
        size += INSTEAD.copy(shorter, size);
        done = behind;
      }
      member = bytes.indexOf(MEMBER, behind);
    }
    copyTo(end);
    bounds[slot + 1] = size;
  }
  return { bytes: shorter.subarray(0, size), count, bounds, ids, spaced };
}

/** The position behind a colon and the white space around it; the same where there is none. */
function endOfColon(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === COLON || bytes[at]! <= SPACE) at++;
  return at;
}

/** The position behind the quote that closes the text which goes on at `start`. */
function endOfText(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(QUOTE, start);
  // A quote behind an odd number of backslashes is part of the text.
  for (;;) {
    let slashes = at;
    while (bytes[slashes - 1] === BACKSLASH) slashes--;
    if ((at - slashes) % 2 === 0) return at + 1;
    at = bytes.indexOf(QUOTE, at + 1);
  }
}
