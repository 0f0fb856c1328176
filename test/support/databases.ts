import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe } from 'vitest';
import { postgresRows, startPostgres, type PostgresServer } from './postgres-server.ts';
import { hasProgram, needing } from './programs.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Engine = 'SQLite' | 'PostgreSQL';

/** A suite for each kind of database, `%s` in its name, with what makes the address of a new one. */
export function describeDatabases(
  name: string,
  tests: (newAddress: () => Promise<string>, engine: Engine) => void,
): void {
  describe(name.replace('%s', 'SQLite'), () =>
    tests(async () => join(temporaryFolder(), 'books.db'), 'SQLite'),
  );
  describe(name.replace('%s', 'PostgreSQL'), needing('postgres'), () => {
    const server = postgresForTests();
    tests(() => server().createDatabase(), 'PostgreSQL');
  });
}

declare global {
  /** The server of this process, for all files of tests that run in it, even where modules load anew. It ends with the process. */
  var ownPostgres: Promise<PostgresServer> | undefined;
}

/** A server on which tests have databases of their own; there is none where this machine has no PostgreSQL. */
export function postgresForTests(): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (hasProgram('postgres')) server = await (globalThis.ownPostgres ??= startPostgres());
  });
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
