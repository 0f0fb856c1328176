import type { RecordBatch } from './record-batch.ts';

/**
 * Writes 64 bits that tell the record `index` from others into `hash[0]` and `hash[1]`: of the literal of its `id`, or of
 * all its bytes where it has none. Records without an id may be equal and still be two: `occurrence` says which of the
 * equal ones it is, from 0.
 *
 * Two lanes of 32 bits, since the numbers of JavaScript offer no more at this speed. Among 1,000,000 identities the
 * chance that any two meet is about 3 in 100,000,000. Not made to withstand somebody who builds records that meet.
 */
export function hashRecord(batch: RecordBatch, index: number, occurrence: number, hash: Uint32Array): void {
  const { bytes, bounds, ids } = batch;
  const byId = ids[2 * index] !== -1;
  const start = byId ? ids[2 * index]! : bounds[2 * index]!;
  const end = byId ? ids[2 * index + 1]! : bounds[2 * index + 1]!;
  let one = 0xdeadbeef ^ occurrence;
  let two = 0x41c6ce57 ^ (end - start);
  let at = start;
  // Four bytes at a time, since each step waits for the one before. The length above tells "a" from "a\0".
  for (; at + 4 <= end; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    one = step(one, word, 0x9e3779b1);
    two = step(two, word, 0x5f356495);
  }
  for (; at < end; at++) {
    one = step(one, bytes[at]!, 0x9e3779b1);
    two = step(two, bytes[at]!, 0x5f356495);
  }
  // Never 0, so that a table may take 0 for nothing.
  hash[0] = mix(one ^ Math.imul(two, 0x85ebca77)) || 1;
  hash[1] = mix(two ^ Math.imul(one, 0xc2b2ae3d));
}

/** Takes another word in. Each step can be undone, so that no two words lead to the same. */
function step(state: number, word: number, factor: number): number {
  const product = Math.imul(state ^ word, factor);
  return product ^ (product >>> 15);
}

/** Spreads each bit over all others (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** The same 64 bits as text, to know a few records by. Equal records without an id are one to it. */
export function recordKey(batch: RecordBatch, index: number): string {
  hashRecord(batch, index, 0, keyHash);
  return keyHash.join(' ');
}

const keyHash = new Uint32Array(2);
