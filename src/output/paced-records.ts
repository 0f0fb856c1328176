import { setImmediate } from 'node:timers/promises';
import { sliceRecords, type RecordBatch } from '../json/records.ts';

/** The most of a page that is worked on at a time, in bytes and in records. Usual pages are smaller. */
const PIECE = { bytes: 2 ** 20, records: 4_000 };
/** Milliseconds of work after which the event loop gets a turn. */
const TURN = 50;

/**
 * The same records, in pieces that take no long time each, with turns of the event loop between them: else a signal
 * would not be heard while a page of 60 MB is worked on. Throws the signal's reason.
 */
export async function* paced(
  records: AsyncIterable<RecordBatch>,
  signal: AbortSignal,
): AsyncGenerator<RecordBatch> {
  let last = performance.now();
  for await (const batch of records) {
    for (const piece of piecesOf(batch)) {
      yield piece;
      if (performance.now() - last < TURN) continue;
      await setImmediate();
      signal.throwIfAborted();
      last = performance.now();
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
