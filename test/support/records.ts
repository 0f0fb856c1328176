import type { RecordBatch } from '../../src/json/records.ts';

/** A batch of records given as JSON texts, as a page would bring them. `id` spans are found by a simple search. */
export function batchOf(texts: readonly string[]): RecordBatch {
  const bounds = new Int32Array(texts.length * 2);
  const ids = new Int32Array(texts.length * 2).fill(-1);
  let at = 1;
  for (const [index, text] of texts.entries()) {
    bounds.set([at, at + Buffer.byteLength(text)], 2 * index);
    const id = /^\{"id":("[^"]*"|[^,}]*)/.exec(text)?.[1];
    if (id !== undefined) ids.set([at + 6, at + 6 + Buffer.byteLength(id)], 2 * index);
    at += Buffer.byteLength(text) + 1;
  }
  const bytes = Buffer.from(`[${texts.join(',')}]`);
  const found = bytes.toString('latin1').matchAll(/"http[^"]*"/g);
  const links = Int32Array.from([...found].flatMap(({ index, 0: link }) => [index, index + link.length]));
  return { bytes, count: texts.length, bounds, ids, links, spaced: false };
}

/** The records of a batch as text. */
export function textsOf(batch: RecordBatch): string[] {
  return Array.from({ length: batch.count }, (_, index) =>
    batch.bytes.toString('utf8', batch.bounds[2 * index], batch.bounds[2 * index + 1]),
  );
}
