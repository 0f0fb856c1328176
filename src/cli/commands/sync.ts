import type { GoneLimit } from '../../database/sync-run.ts';
import { parser, type Flags } from '../../run/flag.ts';
import { allProfilesFlag, receiptFlags, requestFlags } from '../../run/flags.ts';
import { listings, resources } from '../../resources/listings.ts';
import { oneWordName } from '../../resources/resource.ts';
import { declareCommand } from '../command.ts';

const NAMES = resources.map((resource) => oneWordName(resource, '-'));
const USUAL = listings.map((resource) => oneWordName(resource, '-'));
const RESULT_FORMATS = ['table', 'csv', 'json', 'jsonl'] as const;

const goneLimit = parser((text): GoneLimit | undefined => {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(%?)$/.exec(text) ?? [];
  const most = Number(count);
  if (unit === '%') return most <= 100 ? { most, unit } : undefined;
  return Number.isInteger(most) ? { most, unit: 'records' } : undefined;
}, 'a share such as 10%, or a count such as 25');

const syncFlags = {
  toEnv: {
    syntax: '--to-env <variable>',
    about: 'the database is the address in this environment variable, which may hold a password',
  },
  maxGone: {
    syntax: '--max-gone <n>',
    about:
      'the most records of a table that may be marked as gone, 10% or 25 (default 10%); fewer than 20 have no limit',
    parse: goneLimit,
  },
  allowGone: { syntax: '--allow-gone', about: 'mark any number of records as gone' },
  receipt: {
    ...receiptFlags.receipt,
    about: 'write a receipt: what the run did, as one JSON object. See folio verify',
  },
  plan: { syntax: '--plan', about: 'say what would change, and write nothing' },
  allProfiles: allProfilesFlag,
  format: {
    syntax: '--format <format>',
    about: `how the result is shown: ${RESULT_FORMATS.join(', ')} (default: table on a terminal, else csv)`,
    choices: RESULT_FORMATS,
  },
} as const satisfies Flags;

export const syncCommand = declareCommand({
  description:
    'Reads every listing whole, and makes the database equal to it in one transaction: new records are inserted, changed ones ' +
    'updated, and those that are gone marked; a history keeps what they were. The service cannot tell what changed since a ' +
    'day, so every sync reads everything, and writes only what changed. Resources: ' +
    `${NAMES.join(', ')}; without names, ${USUAL.join(', ')}. Tables, amounts and queries: folio help databases.`,
  arguments: [
    ['[database]', 'a file such as books.db, or postgres://user@host/name; none with --to-env'],
    ['[resources...]', `what to sync (default: ${USUAL.join(' ')})`],
  ],
  examples: [
    ['folio sync books.db', 'SQLite; the file is made when it is not there'],
    ['folio sync books.db issued received --all-profiles', 'two listings of every organization'],
    ['folio sync postgres://books@db.example/books', 'the password from PGPASSWORD or ~/.pgpass'],
    ['folio sync --to-env DATABASE_URL --receipt sync.json', 'the address from the environment'],
    ['folio sync books.db --plan', 'what would change; nothing is written'],
    ['folio issued --from books.db --overdue', 'questions to the database'],
  ],
  flags: { ...syncFlags, ...requestFlags },
  run: async (context, flags, [database, resources]) => {
    const args = [...(database === undefined ? [] : [database]), ...resources];
    const { syncDatabase } = await import('../../run/sync/sync.ts');
    await syncDatabase(context, args, flags);
  },
});
