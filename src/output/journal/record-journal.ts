import { recordBytes, type RecordBatch } from '../../json/record-batch.ts';
import { scanArray } from '../../json/scan-page.ts';
import type { JournalEntry } from './journal-entry.ts';

const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;

/** The entry of some records: byte for byte as they were sent, as one JSON array. */
export function entryOfRecords(head: JournalEntry['head'], batch: RecordBatch): JournalEntry {
  let size = 1 + Math.max(1, batch.count);
  for (let index = 0; index < batch.count; index++) size += recordBytes(batch, index).length;
  const body = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let index = 0; index < batch.count; index++) {
    body[at++] = index === 0 ? OPEN_BRACKET : COMMA;
    at += recordBytes(batch, index).copy(body, at);
  }
  if (batch.count === 0) body[at++] = OPEN_BRACKET;
  body[at] = CLOSE_BRACKET;
  return { head, body };
}

/** The records of such an entry. */
export function recordsOfEntry({ body }: JournalEntry): RecordBatch {
  return scanArray(body);
}
