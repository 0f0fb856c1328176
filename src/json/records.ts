import type { Context } from '../context.ts';
import { CLOSE_BRACE, COMMA, OPEN_BRACE } from './ascii.ts';
import { compact, endOfSpace } from './bytes.ts';
import { Breaks } from './cooperative-task.ts';

/**
 * Records in the order of the listing, as the bytes that the service sent.
 *
 * Record `i` is `bytes[bounds[2i] .. bounds[2i + 1])`, a JSON object that has been checked. Its top-level `id` is the literal
 * `bytes[ids[2i] .. ids[2i + 1])`, where that is a number or a text that is not empty. Otherwise both numbers are -1.
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
  /** Whether there is white space between tokens, so that a record must be compacted to be one line. */
  readonly spaced: boolean;
  /** The number of each record in the listing, from 1; undefined where they are the next ones. */
  readonly places?: Int32Array | undefined;
  /** The column that folio adds to these records, before all others; their bytes do not have it. */
  readonly own?: OwnColumn | undefined;

  constructor({
    bytes,
    count,
    bounds,
    ids,
    valueEndsAt,
    valueEnds,
    links,
    spaced,
    places,
    own,
  }: RecordBatch) {
    this.bytes = bytes;
    this.count = count;
    this.bounds = bounds;
    this.ids = ids;
    this.valueEndsAt = valueEndsAt;
    this.valueEnds = valueEnds;
    this.links = links;
    this.spaced = spaced;
    this.places = places;
    this.own = own;
  }
}

/** A column of folio's own. Cells include it; records as text have it after `wholeRecords`. */
export interface OwnColumn {
  /** No record has a member of this name at its top level. */
  readonly name: string;
  /** The value as JSON, the same for all records of the batch: a text or a number. */
  readonly value: string;
}

/** A batch of objects whose ids are not noted, such as the rows of a result. Each is `bytes[bounds[2i] .. bounds[2i + 1])`. */
export function batchWithoutIds(
  bytes: Buffer,
  bounds: Int32Array,
  spaced: boolean,
  places?: Int32Array,
): RecordBatch {
  const ids = new Int32Array(bounds.length).fill(-1);
  return new RecordBatch({ bytes, count: bounds.length / 2, bounds, ids, spaced, places });
}

/** The batch of the records at `indices`, sharing the same bytes. */
export function selectRecords(batch: RecordBatch, indices: readonly number[]): RecordBatch {
  const bounds = new Int32Array(indices.length * 2);
  const ids = new Int32Array(indices.length * 2);
  const valueEndsAt = new Int32Array(indices.length);
  for (let to = 0; to < indices.length; to++) {
    const from = indices[to]! * 2;
    bounds[2 * to] = batch.bounds[from]!;
    bounds[2 * to + 1] = batch.bounds[from + 1]!;
    ids[2 * to] = batch.ids[from]!;
    ids[2 * to + 1] = batch.ids[from + 1]!;
    valueEndsAt[to] = batch.valueEndsAt?.[indices[to]!] ?? -1;
  }
  const places = batch.places && Int32Array.from(indices, (index) => batch.places![index]!);
  return new RecordBatch({ ...batch, count: indices.length, bounds, ids, valueEndsAt, places });
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
  });
}

/** The bytes of record `index`, as sent. A view, not a copy. Throws where folio adds a column to them: it would be left out. */
export function recordBytes(batch: RecordBatch, index: number): Buffer {
  if (batch.own !== undefined) throw new TypeError(`the bytes of the records do not have ${batch.own.name}`);
  return batch.bytes.subarray(batch.bounds[2 * index], batch.bounds[2 * index + 1]);
}

/** The bytes of record `index` on one line. Throws as `recordBytes` does. */
export function compactRecord(batch: RecordBatch, index: number): Buffer {
  const bytes = recordBytes(batch, index);
  return batch.spaced ? compact(bytes, 0, bytes.length) : bytes;
}

/** The records with folio's own column as their first member, in new bytes. Everything else stays as it was sent. */
export function wholeRecords(batch: RecordBatch): RecordBatch {
  const { bytes, bounds, ids, links, count, spaced, places, own } = batch;
  if (own === undefined) return batch;
  const head = Buffer.from(`${JSON.stringify(own.name)}:${own.value}`);
  let size = 0;
  for (let index = 0; index < count; index++) size += bounds[2 * index + 1]! - bounds[2 * index]!;
  const longer = Buffer.allocUnsafeSlow(size + count * (head.length + 1));
  const [newBounds, newIds] = [new Int32Array(2 * count), new Int32Array(2 * count).fill(-1)];
  const [oldLinks, newLinks]: [ArrayLike<number>, number[]] = [links ?? [], []];
  let [at, link] = [0, 0];
  for (let slot = 0; slot < 2 * count; slot += 2) {
    const [start, end] = [bounds[slot]!, bounds[slot + 1]!];
    newBounds[slot] = at;
    longer[at++] = OPEN_BRACE;
    at += head.copy(longer, at);
    if (bytes[endOfSpace(bytes, start + 1)] !== CLOSE_BRACE) longer[at++] = COMMA;
    const shift = at - (start + 1);
    if (ids[slot] !== -1) newIds.set([ids[slot]! + shift, ids[slot + 1]! + shift], slot);
    while (oldLinks[link]! < start) link++;
    for (; oldLinks[link]! < end; link++) newLinks.push(oldLinks[link]! + shift);
    at += bytes.copy(longer, at, start + 1, end);
    newBounds[slot + 1] = at;
  }
  return new RecordBatch({
    bytes: longer.subarray(0, at),
    count,
    bounds: newBounds,
    ids: newIds,
    links: links && Int32Array.from(newLinks),
    spaced,
    places,
  });
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
