import { recordBytes, type RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';

/** The records as one batch; each given as JSON text, or as a value whose numbers a double holds. */
export function batchOf(...records: readonly (string | object)[]): RecordBatch {
  const texts = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  return scanArray(Buffer.from(`[${texts.join(',')}]`));
}

/** The records of a batch as text. */
export function textsOf(batch: RecordBatch): string[] {
  return Array.from({ length: batch.count }, (_, index) => recordBytes(batch, index).toString('utf8'));
}

/** The ids of the records as they were sent; undefined where a record has none that tells it from others. */
export function idsOf({ bytes, count, ids }: RecordBatch): (string | undefined)[] {
  return Array.from({ length: count }, (_, index) =>
    ids[2 * index]! < 0 ? undefined : bytes.toString('utf8', ids[2 * index], ids[2 * index + 1]),
  );
}

/** The records of a batch as values. */
export function valuesOf(batch: RecordBatch): Record<string, unknown>[] {
  return textsOf(batch).map((text) => JSON.parse(text) as Record<string, unknown>);
}
