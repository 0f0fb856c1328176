import { compactInto } from '../json/compact.ts';
import type { RecordBatch } from '../json/record-batch.ts';

/** Bytes that are handed on at a time, unless one record has more. */
const CHUNK = 1024 * 1024;

/**
 * The records of a batch, each on one line and with `separator` behind it, in chunks that are the taker's. They are copied
 * as sent, and only rid of white space between tokens when there is any.
 */
export function* joinRecords(batch: RecordBatch, separator: string): Generator<Buffer> {
  const { bytes, bounds, count, spaced } = batch;
  let index = 0;
  while (index < count) {
    const first = index;
    let size = 0;
    do size += bounds[2 * index + 1]! - bounds[2 * index]! + separator.length;
    while (++index < count && size + bounds[2 * index + 1]! - bounds[2 * index]! < CHUNK);
    const chunk = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (let record = first; record < index; record++) {
      const [start, end] = [bounds[2 * record]!, bounds[2 * record + 1]!];
      at += spaced ? compactInto(bytes, [start, end], chunk.subarray(at)) : bytes.copy(chunk, at, start, end);
      for (let letter = 0; letter < separator.length; letter++) chunk[at++] = separator.charCodeAt(letter);
    }
    yield chunk.subarray(0, at);
  }
}
