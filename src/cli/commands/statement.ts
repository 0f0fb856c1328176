import { UsageError } from '../../errors.ts';
import type { Flags } from '../../run/flag.ts';
import {
  allProfilesFlag,
  asOfFlag,
  fieldFlag,
  fromFlags,
  langFlag,
  outputFlags,
  receiptFlags,
  requestFlags,
} from '../../run/flags.ts';
import { formats } from '../../output/formats.ts';
import { filters } from '../../run/filters.ts';
import { declareCommand } from '../command.ts';
import { counterpartyFlags, fiscalIdsOf } from '../counterparty-flags.ts';

const statementFlags = {
  ...counterpartyFlags,
  everyone: {
    syntax: '--all',
    daily: true,
    about: 'for everyone with an open amount or a credit',
    rules: [{ not: ['--customer-fiscal-id', '--issuer-fiscal-id'], why: '--all is everyone' }],
  },
  organization: {
    syntax: '--organization <name>',
    daily: true,
    about: 'your name at the top (default: as in your invoices or your profile)',
  },
  note: {
    syntax: '--note <text>',
    daily: true,
    about: 'a text below the documents, such as where to pay; @file or @- reads it',
    stdin: '@-',
  },
  lang: langFlag,
  asOf: asOfFlag,
  open: filters.open,
  overdue: {
    ...filters.overdue,
    rules: [{ not: ['--as-of'], why: 'what is overdue was due before the day of the records' }],
  },
  period: filters.period,
  allProfiles: allProfilesFlag,
  field: fieldFlag,
  ...fromFlags,
  format: {
    ...outputFlags.format,
    about: `html, ${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    choices: ['html', ...formats],
  },
  output: outputFlags.output,
  folder: {
    syntax: '--output-dir <dir>',
    about:
      'with --all: a new folder with a page (html) for each, named by fiscal ID and name, and index.html',
    rules: [
      { needs: ['--all'], why: 'needs --all' },
      { not: ['--output'], why: '--output-dir writes a page for each' },
    ],
  },
  columns: {
    ...outputFlags.columns,
    about: 'which columns of the rows, in which order; Folio=number is one under a heading of its own',
  },
  excel: outputFlags.excel,
  wide: outputFlags.wide,
} as const satisfies Flags;

export const statementCommand = declareCommand({
  description:
    'The open documents of a customer as of today, or of the day of an export or a database, for each currency: ' +
    'how late they are, credits apart, sums by age, and the amount due, the same as in folio aging. As a page to ' +
    'send and print: it names no other customer, and says at its top if it is not whole. Or as rows (xlsx, csv), ' +
    'one for each document: their sums and ages are in json, and in folio aging -o ages.xlsx.',
  examples: [
    ['folio statement --customer-fiscal-id 60155440-2 -o tres-cruces.html', 'a page to send, or to print'],
    ['folio statement --all --output-dir statements/2026-11', 'a page for each customer, and an index'],
    ['folio statement --all --lang es --note @bank.txt --output-dir pages', 'in Spanish, with a text below'],
    ['folio statement --all -o statements.xlsx', 'the open documents of all customers'],
    ['folio statement --payable --issuer-fiscal-id 77155510-1', 'what you owe to a supplier'],
    ['folio statement --from books.db --all --format json', 'offline, with sums and ages, for a program'],
  ],
  flags: { ...statementFlags, ...receiptFlags, ...requestFlags },
  run: async (context, flags) => {
    const fiscalIds = fiscalIdsOf(flags, flags.payable === true);
    const { payable, everyone } = flags;
    if (everyone !== true && fiscalIds === undefined) {
      throw new UsageError(`statement needs a ${payable ? 'supplier' : 'customer'}, or --all`, {
        hint: `Add ${payable ? '--issuer-fiscal-id' : '--customer-fiscal-id'} <id>, or --all.`,
      });
    }
    const { writeStatements } = await import('../../run/pages/statements.ts');
    await writeStatements(context, flags, fiscalIds);
  },
});
