import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres-server.ts';
import { needing } from '../support/programs.ts';
import { figureOf, folio, printTable, ratio, runOnce, withService, type Measured } from './measure.ts';

const ROUNDS = 3;

/** Times the csv export of the same records. */
const GOALS: Readonly<Record<string, string>> = {
  'SQLite, first': '6',
  'SQLite, unchanged': '3',
  'PostgreSQL, first': '3',
  'PostgreSQL, unchanged': '2',
};

/** Keeping a database: the first sync and one that finds nothing new beside the csv export of the same, and memory. */
export async function measureSync(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-bench-'));
  const server = needing('postgres').skip ? undefined : await startPostgres();
  let files = 0;
  /** What makes the address of a new, empty database. */
  const engines = new Map([['SQLite', async () => join(folder, `${++files}.db`)]]);
  if (server !== undefined) engines.set('PostgreSQL', () => server.createDatabase());

  const measure = async (records: number, rounds: number, isCompared: boolean) => {
    const results = new Map<string, Measured[]>();
    await withService([records, 2000], async ({ env }) => {
      const run = async (name: string, ...args: string[]): Promise<void> => {
        const runs = results.get(name) ?? [];
        results.set(name, [...runs, await runOnce({ name, command: folio(...args), env })]);
      };
      for (let round = 0; round < rounds; round++) {
        if (isCompared) await run('csv', 'issued', '--format', 'csv');
        for (const [engine, newDatabase] of engines) {
          const address = await newDatabase();
          for (const which of ['first', 'unchanged'])
            await run(`${engine}, ${which}`, 'sync', address, 'issued');
        }
      }
    });
    return results;
  };

  try {
    const compared = await measure(100_000, ROUNDS, true);
    printTable(
      `folio sync of 100,000 issued invoices of 1.2 KB (medians of ${ROUNDS})`,
      ['what', 'time', 'times folio csv', 'goal', 'peak memory'],
      [...compared].map(([name, runs]) => {
        const times = ratio(runs, compared.get('csv')!);
        return [name, figureOf(runs, 'seconds'), times, GOALS[name] ?? '', figureOf(runs, 'peak')];
      }),
    );
    printTable(
      'folio sync of 1,000,000 issued invoices (one run; goal 250 MiB)',
      ['what', 'time', 'peak'],
      [...(await measure(1_000_000, 1, false))].map(([name, runs]) => {
        return [name, figureOf(runs, 'seconds'), figureOf(runs, 'peak')];
      }),
    );
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}
