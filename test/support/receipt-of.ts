import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** Writes the receipt of a run that delivered the file, beside it: by default one of the day that it is in most tests. Returns the file. */
export function withReceipt(file: string, facts: object = {}): string {
  const bytes = readFileSync(file);
  const receipt = {
    ...{ output: file, records: 1, bytes: bytes.length, errors: [], complete: true },
    ...{ sha256: createHash('sha256').update(bytes).digest('hex'), finishedAt: '2026-11-20T11:00:00Z' },
    ...facts,
  };
  writeFileSync(`${file}.receipt.json`, JSON.stringify(receipt));
  return file;
}
