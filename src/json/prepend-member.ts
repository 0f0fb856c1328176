import { CLOSE_BRACE, COMMA, OPEN_BRACE } from './ascii.ts';
import type { RecordBatch } from './record-batch.ts';
import { endOfSpace } from './skip-value.ts';

/**
 * The records with one more member before all others, in new bytes; everything else stays as it was sent.
 *
 * @param member its name and value as JSON: `"_profile":"north"`
 */
export function prependMember(batch: RecordBatch, member: string): RecordBatch {
  const { bytes, bounds, ids, count, spaced } = batch;
  const head = Buffer.from(member);
  let size = 0;
  for (let index = 0; index < count; index++) size += bounds[2 * index + 1]! - bounds[2 * index]!;
  const longer = Buffer.allocUnsafeSlow(size + count * (head.length + 1));
  const [newBounds, newIds] = [new Int32Array(2 * count), new Int32Array(2 * count).fill(-1)];
  let at = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) {
    const [start, end] = [bounds[slot]!, bounds[slot + 1]!];
    newBounds[slot] = at;
    longer[at++] = OPEN_BRACE;
    at += head.copy(longer, at);
    if (bytes[endOfSpace(bytes, start + 1)] !== CLOSE_BRACE) longer[at++] = COMMA;
    const shift = at - (start + 1);
    if (ids[slot] !== -1) newIds.set([ids[slot]! + shift, ids[slot + 1]! + shift], slot);
    at += bytes.copy(longer, at, start + 1, end);
    newBounds[slot + 1] = at;
  }
  return { bytes: longer.subarray(0, at), count, bounds: newBounds, ids: newIds, spaced };
}
