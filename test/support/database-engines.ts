import { it } from 'vitest';
import { postgresPrograms } from './postgres-server.ts';

/** The databases that this machine can make. */
export const databaseEngines = ['SQLite', ...(postgresPrograms === undefined ? [] : ['PostgreSQL'])];

// Said in each file that would need it, so that nobody takes what did not run for what passed.
if (postgresPrograms === undefined) it.skip('PostgreSQL is not installed', () => {});
