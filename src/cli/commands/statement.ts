import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { columnList, formatWord } from '../../run/parse-values.ts';
import type { StatementFlags, StatementOutputFlags } from '../../run/statements/read-statements.ts';
import { formats } from '../../output/formats.ts';
import { addCommand } from '../command.ts';
import { counterpartyFlags, fiscalIdsOf, type CounterpartyFlags } from '../counterparties.ts';
import { flagGroup, text, valued, yes } from '../flag-group.ts';
import { fieldFlag, fromFlags, langFlag, receiptFlags, requestFlags, rowOutput } from '../flags.ts';

/** `statement`: what one customer owes, to send to him. */
export function addStatement(program: Command, context: Context): void {
  addCommand(program, 'statement', {
    description:
      'The open documents of a customer as of today, for each currency: how late they are, credits apart, sums by age, and the ' +
      'amount due, which is what folio aging tells of him. As a page to send and print: it names nobody else, and says at its top where ' +
      'it is not whole. Or as rows (xlsx, csv), which are the documents alone: their sums and ages are in json, and in folio aging -o ages.xlsx.',
    examples: [
      ['folio statement --customer-fiscal-id 60155445-3 -o roble.html', 'a page to send, or to print'],
      [
        'folio statement --customer-fiscal-id 60155445-3 --lang es --note @bank.txt -o roble.html',
        'in Spanish, with a text below',
      ],
      ['folio statement --all --output-dir statements', 'a page for each customer, and an index'],
      ['folio statement --all -o statements.xlsx', 'the open documents of all customers'],
      ['folio statement --payable --issuer-fiscal-id 77155510-1', 'what you owe to a supplier'],
      ['folio statement --from books.db --all --format json', 'offline, with sums and ages, for a program'],
    ],
    flags: {
      whom: whomFlags,
      page: pageFlags,
      from: fromFlags,
      output: statementOutputFlags,
      receipt: receiptFlags,
      request: requestFlags,
    },
    run: async ({ whom, page, ...values }) => {
      const fiscalIds = fiscalIdsOf(whom);
      const { payable, all } = whom;
      if (all !== true && fiscalIds === undefined) {
        throw new UsageError(
          `whose statement? Neither a ${payable ? 'supplier' : 'customer'} is named nor --all`,
          {
            hint: `Add ${payable ? '--issuer-fiscal-id' : '--customer-fiscal-id'} <id>, or --all.`,
          },
        );
      }
      const { writeStatements } = await import('../../run/statements/statements.ts');
      const chosen = { ...(payable && { payable }), ...(all && { all }), ...(fiscalIds && { fiscalIds }) };
      await writeStatements(context, { ...values, statement: { ...page, ...chosen } });
    },
  });
}

interface WhomFlags extends CounterpartyFlags, Pick<StatementFlags, 'all'> {}

const whomFlags = flagGroup<WhomFlags>('Whom it is about:', {
  ...counterpartyFlags(),
  all: yes('--all', 'of everyone with an open amount or a credit'),
});

type PageFlags = Omit<StatementFlags, 'fiscalIds' | 'all' | 'payable'>;

const pageFlags = flagGroup<PageFlags>('What it says:', {
  organization: text(
    '--organization <name>',
    'your name at its top (default: as your invoices or your profile have it)',
  ),
  note: text('--note <text>', 'a text below, such as where to pay; @file or @- reads one'),
  lang: langFlag(),
  allProfiles: yes('--all-profiles', 'of every profile; --profile a,b for some'),
  field: fieldFlag(),
});

const statementOutputFlags = flagGroup<StatementOutputFlags>('What comes out:', {
  format: valued(
    '--format <format>',
    `html, ${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    formatWord('--format', ['html', ...formats]),
  ),
  output: rowOutput.output,
  outputDir: text(
    '--output-dir <dir>',
    'with --all: a page (html) for each, named by fiscal ID and name, and index.html',
  ),
  columns: valued(
    '--columns <names>',
    'which columns of the rows, in which order; Folio=number is one under a heading of its own',
    columnList('--columns'),
  ),
  excel: rowOutput.excel,
  wide: rowOutput.wide,
});
