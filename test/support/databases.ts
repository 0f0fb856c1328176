import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe } from 'vitest';
import { postgresRows, startPostgres, type PostgresServer } from './postgres-server.ts';
import { hasProgram, needing } from './programs.ts';

type Engine = 'SQLite' | 'PostgreSQL';

/** A suite for each kind of database: `%s` in its name is the kind. */
export function describeDatabases(name: string, tests: (engine: Engine) => void): void {
  describe(name.replace('%s', 'SQLite'), () => tests('SQLite'));
  describe(name.replace('%s', 'PostgreSQL'), needing('postgres'), () => tests('PostgreSQL'));
}

/** A server for the tests of a file, its files within the folder; there is none where this machine has no PostgreSQL. */
export function postgresForTests(within?: string): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (hasProgram('postgres')) server = await startPostgres(within);
  });
  afterAll(() => server?.stop());
  return () => server!;
}

/** What a database answers, a line a row, its cells joined with `|` and nothing for null: asked by a driver, not by folio. */
export async function ask(address: string, sql: string): Promise<string[]> {
  if (!address.startsWith('postgres:')) return askSqlite(address, sql);
  return (await postgresRows(address, sql)).map(lineOf);
}

function askSqlite(path: string, sql: string): string[] {
  const database = new (sqliteDriver())(path);
  try {
    database.exec('PRAGMA busy_timeout = 10000');
    if (/^(SELECT|WITH)\b/.test(sql))
      return Array.from(database.prepare(sql).iterate(), (row) => lineOf(Object.values(row)));
    database.exec(sql);
    return [];
  } finally {
    database.close();
  }
}

type SqliteDriver = typeof import('node:sqlite').DatabaseSync;

/** The runtime's own, else the package that folio installs where it can. */
function sqliteDriver(): SqliteDriver {
  const load = createRequire(import.meta.url);
  try {
    return (load('node:sqlite') as { DatabaseSync: SqliteDriver }).DatabaseSync;
  } catch {
    return load('libsql') as SqliteDriver;
  }
}

const lineOf = (cells: readonly unknown[]): string => cells.map((cell) => String(cell ?? '')).join('|');
