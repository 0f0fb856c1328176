import { recordBytes, type RecordBatch } from '../../src/json/records.ts';
import { scanLines } from '../../src/json/scan-records.ts';

/** The records as one batch; each given as JSON text, or as a value whose numbers a double holds. */
export function batchOf(...records: readonly (string | object)[]): RecordBatch {
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  return scanLines(Buffer.from(lines.map((line) => `${line}\n`).join('')));
}

/** The records of a batch as the lines of jsonl. */
export function linesOf(batch: RecordBatch): string[] {
  return Array.from({ length: batch.count }, (_, index) => recordBytes(batch, index).toString('utf8'));
}

/** The records of a batch as values. */
export function valuesOf(batch: RecordBatch): Record<string, unknown>[] {
  return linesOf(batch).map((line) => JSON.parse(line) as Record<string, unknown>);
}
