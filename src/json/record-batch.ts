/**
 * Records in the order of the listing, as the bytes in which the service sent them.
 *
 * Record `i` is `bytes[bounds[2i] .. bounds[2i + 1])`: one JSON object, already checked to be well formed.
 * Its identity, when it has a top-level `id`, is the literal `bytes[ids[2i] .. ids[2i + 1])`; without one both are -1.
 */
export interface RecordBatch {
  readonly bytes: Buffer;
  readonly count: number;
  readonly bounds: Int32Array;
  readonly ids: Int32Array;
  /** Where arrays begin and end in the bytes, those within others left out, in order; where that was noted. */
  readonly arrays?: Int32Array;
  /** True when the bytes hold white space between tokens, so that a record may need compacting to be one line. */
  readonly spaced: boolean;
}

/** The batch of the records at `indices`, sharing the same bytes. */
export function selectRecords(batch: RecordBatch, indices: readonly number[]): RecordBatch {
  const bounds = new Int32Array(indices.length * 2);
  const ids = new Int32Array(indices.length * 2);
  for (let to = 0; to < indices.length; to++) {
    const from = indices[to]! * 2;
    bounds[2 * to] = batch.bounds[from]!;
    bounds[2 * to + 1] = batch.bounds[from + 1]!;
    ids[2 * to] = batch.ids[from]!;
    ids[2 * to + 1] = batch.ids[from + 1]!;
  }
  return { ...batch, count: indices.length, bounds, ids };
}

/** The batch of the records `from` up to, not including, `to`. */
export function sliceRecords(batch: RecordBatch, from: number, to: number): RecordBatch {
  const [first, last] = [Math.max(0, from), Math.min(batch.count, to)];
  return {
    ...batch,
    count: Math.max(0, last - first),
    bounds: batch.bounds.subarray(first * 2, last * 2),
    ids: batch.ids.subarray(first * 2, last * 2),
  };
}

/** The bytes of record `index`, as sent. A view, not a copy. */
export function recordBytes(batch: RecordBatch, index: number): Buffer {
  return batch.bytes.subarray(batch.bounds[2 * index], batch.bounds[2 * index + 1]);
}
