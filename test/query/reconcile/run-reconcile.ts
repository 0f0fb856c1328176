import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A record of the service: an object, or its text as it is sent. */
export type ServedRecord = Readonly<Record<string, unknown>> | string;

export type ReconcileExit = Awaited<ReturnType<typeof runReconcile>>;

/** Runs `folio reconcile` of files with this content against these records, in a folder of its own. */
export async function runReconcile(
  files: Readonly<Record<string, string | Uint8Array>>,
  records: readonly ServedRecord[],
  flags: readonly string[] = [],
) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  writeFileSync(join(folder, 'records.jsonl'), lines.map((line) => `${line}\n`).join(''));
  const from = flags.includes('--from') ? [] : ['--from', 'records.jsonl'];
  const argv = ['reconcile', ...Object.keys(files), ...from, ...flags];
  const { code, stdout, stderr } = await runHere(argv, { cwd: folder });
  const text = stdout.toString('utf8');
  const rows: Record<string, string>[] = flags.includes('--format') ? [] : parse(text, { columns: true });
  return { code, text, stderr, rows };
}

/** A received invoice; what is not given is as in the line that `lineOf` makes by itself. */
export function receivedRecord(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    number: 1,
    documentType: 33,
    date: '2026-10-15',
    currency: 'CLP',
    totalAmount: 1190,
    status: 'PENDING',
    issuerFiscalId: '76123456-7',
    issuer: { name: 'Roble SpA' },
    ...given,
  };
}
