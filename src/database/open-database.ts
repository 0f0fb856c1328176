import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { DatabaseAddress } from './address.ts';
import type { Database } from './database.ts';
import { openSqlite, sqliteFileExists } from './sqlite.ts';

export type DatabaseContext = Pick<Context, 'clock' | 'signal' | 'quietly' | 'env' | 'processes' | 'secrets'>;

/**
 * Opens the database; a file is made where it is not there. Rejects with UsageError, ServiceError or OutputError.
 *
 * @param writes whether its tables are to be changed, and not only read
 */
export async function openDatabase(
  address: DatabaseAddress,
  context: DatabaseContext,
  writes = true,
): Promise<Database> {
  if (address.engine === 'SQLite') return openSqlite(address, context);
  const passwords = [address.settings.password, context.env['PGPASSWORD']];
  context.secrets.hide(passwords.flatMap((password) => password || []));
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(address, { ...context, writes });
}

/** Opens a database that is there, to read it. Rejects with UsageError where there is no such file. */
export async function openForReading(address: DatabaseAddress, context: DatabaseContext): Promise<Database> {
  if (address.engine === 'SQLite' && !sqliteFileExists(address)) {
    throw new UsageError(`cannot read ${address.shown}: there is no such file`, {
      hint: 'Name a database that folio sync has made.',
    });
  }
  return openDatabase(address, context, false);
}
