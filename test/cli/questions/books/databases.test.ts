import { it } from 'vitest';
import { postgresForTests } from '../../../support/databases.ts';
import { needing } from '../../../support/programs.ts';
import { compareBooks } from './compare.ts';

it('answers about random books in SQLite as an oracle does, whatever is asked', async () => {
  await compareBooks(['SQLite'], 80);
}, 3_600_000);

const server = postgresForTests();

it('and in PostgreSQL', { timeout: 3_600_000, ...needing('postgres') }, async () => {
  await compareBooks(['PostgreSQL'], 14, () => server().createDatabase());
});
