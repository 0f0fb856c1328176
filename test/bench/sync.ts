import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needing } from '../support/programs.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { folio } from './folio-command.ts';
import { median, ratio, runOnce, type Measured } from './measure.ts';
import { printTable, seconds, times } from './print-table.ts';
import { startService, type Service } from './service.ts';

const RECORDS = 100_000;
const MANY = 1_000_000;
const PAGE_SIZE = 2000;
const ROUNDS = 3;

/** What issue by issue was promised: times the csv export of the same records. */
const GOALS: Readonly<Record<string, string>> = {
  'SQLite, first': '6',
  'SQLite, unchanged': '3',
  'PostgreSQL, first': '3',
  'PostgreSQL, unchanged': '2',
};

/** Makes the address of a new, empty database. */
type NewDatabase = () => Promise<string>;

/** Keeping a database: the first sync and one that finds nothing new beside the csv export of the same, and memory. */
export async function measureSync(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-bench-'));
  const server = needing('postgres').skip ? undefined : await startPostgres();
  let files = 0;
  const engines: [string, NewDatabase][] = [['SQLite', async () => join(folder, `${++files}.db`)]];
  if (server !== undefined) engines.push(['PostgreSQL', () => server.createDatabase()]);
  try {
    await compare(engines);
    await measureMany(engines);
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compare(engines: readonly [string, NewDatabase][]): Promise<void> {
  const service = await startService('issued', RECORDS, PAGE_SIZE);
  const results = new Map<string, Measured[]>();
  const measure = async (name: string, ...args: string[]): Promise<void> => {
    const run = await runOnce({ name, command: folio(...args), env: service.env });
    results.set(name, [...(results.get(name) ?? []), run]);
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await measure('csv', 'issued', '--format', 'csv');
      for (const [engine, newDatabase] of engines) {
        const address = await newDatabase();
        await measure(`${engine}, first`, 'sync', address, 'issued');
        await measure(`${engine}, unchanged`, 'sync', address, 'issued');
      }
    }
  } finally {
    service.stop();
  }
  const csv = results.get('csv')!;
  printTable(
    `folio sync of 100,000 issued invoices of 1.2 KB (medians of ${ROUNDS})`,
    ['what', 'time', 'times folio csv', 'goal', 'peak memory'],
    [...results].map(([name, runs]) => [
      name,
      seconds(median(runs.map((run) => run.seconds))),
      times(ratio(runs, csv)),
      GOALS[name] ?? '',
      `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
    ]),
  );
}

async function measureMany(engines: readonly [string, NewDatabase][]): Promise<void> {
  const service = await startService('issued', MANY, PAGE_SIZE);
  const rows: string[][] = [];
  try {
    for (const [engine, newDatabase] of engines) {
      const address = await newDatabase();
      for (const which of ['first', 'unchanged'])
        rows.push(await measureOne(`${engine}, ${which}`, address, service));
    }
  } finally {
    service.stop();
  }
  printTable(
    'folio sync of 1,000,000 issued invoices (one run; goal 250 MiB)',
    ['what', 'time', 'peak'],
    rows,
  );
}

async function measureOne(name: string, address: string, { env }: Service): Promise<string[]> {
  const run = await runOnce({ name, command: folio('sync', address, 'issued'), env });
  return [name, seconds(run.seconds), `${Math.round(run.peak)} MiB`];
}
