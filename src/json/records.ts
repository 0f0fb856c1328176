import type { Context } from '../context.ts';
import { Breaks } from './cooperative-task.ts';

/**
 * Records in the order of the listing, as the bytes that the service sent, but for white space between tokens.
 *
 * Record `i` is `bytes[bounds[2i] .. bounds[2i + 1])`, a JSON object that has been checked. When it has a top-level `id`,
 * its identity is the literal `bytes[ids[2i] .. ids[2i + 1])`. Otherwise both numbers are -1.
 *
 * A class, so that V8 sees one shape in the loops that read it.
 */
export class RecordBatch {
  readonly bytes: Buffer;
  readonly count: number;
  readonly bounds: Int32Array;
  readonly ids: Int32Array;
  /** Where each record begins in `valueEnds`; -1 for one that is not there. */
  readonly valueEndsAt?: Int32Array | undefined;
  /** See `RecordShapes`. */
  readonly valueEnds?: Int32Array | undefined;
  /** Where the texts that may be links begin and end in the bytes, in order, with their quotes. Undefined when unknown. */
  readonly links?: Int32Array | undefined;
  /** The number of each record in the listing, from 1; undefined where they are the next ones. */
  readonly places?: Int32Array | undefined;
  /** The bounds of each record in what was scanned, where it had white space there. */
  readonly sentBounds?: Int32Array | undefined;

  constructor({ bytes, count, bounds, ids, valueEndsAt, valueEnds, links, places, sentBounds }: RecordBatch) {
    this.bytes = bytes;
    this.count = count;
    this.bounds = bounds;
    this.ids = ids;
    this.valueEndsAt = valueEndsAt;
    this.valueEnds = valueEnds;
    this.links = links;
    this.places = places;
    this.sentBounds = sentBounds;
  }
}

/** A batch of objects that have no identity, such as the rows of a result. Each is `bytes[bounds[2i] .. bounds[2i + 1])`. */
export function batchWithoutIds(bytes: Buffer, bounds: Int32Array, places?: Int32Array): RecordBatch {
  const ids = new Int32Array(bounds.length).fill(-1);
  return new RecordBatch({ bytes, count: bounds.length / 2, bounds, ids, places });
}

/** The batch of the records at `indices`, sharing the same bytes. */
export function selectRecords(batch: RecordBatch, indices: readonly number[]): RecordBatch {
  const pairs = (from: Int32Array): Int32Array =>
    Int32Array.from({ length: 2 * indices.length }, (_, at) => from[2 * indices[at >> 1]! + (at & 1)]!);
  const each = (from: Int32Array): Int32Array => Int32Array.from(indices, (index) => from[index]!);
  return new RecordBatch({
    ...batch,
    count: indices.length,
    bounds: pairs(batch.bounds),
    ids: pairs(batch.ids),
    valueEndsAt: batch.valueEndsAt && each(batch.valueEndsAt),
    places: batch.places && each(batch.places),
    sentBounds: batch.sentBounds && pairs(batch.sentBounds),
  });
}

/** The batch of the records `from` up to, not including, `to`. */
export function sliceRecords(batch: RecordBatch, from: number, to: number): RecordBatch {
  const [first, last] = [Math.max(0, from), Math.min(batch.count, to)];
  return new RecordBatch({
    ...batch,
    count: Math.max(0, last - first),
    bounds: batch.bounds.subarray(first * 2, last * 2),
    ids: batch.ids.subarray(first * 2, last * 2),
    valueEndsAt: batch.valueEndsAt?.subarray(first, last),
    places: batch.places?.subarray(first, last),
    sentBounds: batch.sentBounds?.subarray(first * 2, last * 2),
  });
}

/** The bytes of record `index`. A view, not a copy. */
export function recordBytes(batch: RecordBatch, index: number): Buffer {
  return batch.bytes.subarray(batch.bounds[2 * index], batch.bounds[2 * index + 1]);
}

/** The largest part of a page that is passed on at a time. Usual pages are smaller. */
const PIECE = { bytes: 2 ** 20, records: 4_000 };

/**
 * The same records in smaller batches, between which the event loop runs: without that, a signal would wait until a page of
 * 60 MB is done. Throws the signal's reason.
 */
export async function* paced(
  records: AsyncIterable<RecordBatch>,
  { signal }: Pick<Context, 'signal'>,
): AsyncGenerator<RecordBatch> {
  const breaks = new Breaks(signal);
  for await (const batch of records) {
    for (const piece of piecesOf(batch)) {
      yield piece;
      if (breaks.isDue) await breaks.take();
    }
  }
}

function* piecesOf(batch: RecordBatch): Generator<RecordBatch> {
  const { bounds, count } = batch;
  let from = 0;
  for (let at = 1; at < count; at++) {
    const bytes = bounds[2 * at + 1]! - bounds[2 * from]!;
    if (at - from < PIECE.records && bytes <= PIECE.bytes) continue;
    yield sliceRecords(batch, from, at);
    from = at;
  }
  yield from === 0 ? batch : sliceRecords(batch, from, count);
}
