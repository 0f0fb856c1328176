import { folio } from './folio-command.ts';
import { median, runOnce } from './measure.ts';
import { printTable, seconds } from './print-table.ts';
import { startService } from './service.ts';

const ROUNDS = 3;
const PAGE_SIZE = 2000;

/** Memory at most, as the number of records grows: csv to a pipe, columns not given. */
export async function measureMemory(): Promise<void> {
  const rows: string[][] = [];
  for (const records of [100_000, 300_000, 1_000_000]) {
    const service = await startService('issued', records, PAGE_SIZE);
    const candidate = { name: 'folio', command: folio('issued', '--format', 'csv'), env: service.env };
    try {
      const runs = [];
      for (let round = 0; round < ROUNDS; round++) runs.push(await runOnce(candidate));
      rows.push([
        records.toLocaleString('en-US'),
        `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
        seconds(median(runs.map((run) => run.seconds))),
      ]);
    } finally {
      service.stop();
    }
  }
  printTable(
    `Memory, csv to a pipe, columns not given (medians of ${ROUNDS}; goals 115 MiB for 100,000 and 185 for a million)`,
    ['records', 'peak', 'time'],
    rows,
  );
}
