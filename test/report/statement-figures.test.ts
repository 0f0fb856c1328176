import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { randomBook, type Book } from '../invoices/book.ts';
import { countBook, sumUp } from '../invoices/book-model.ts';
import { countFigure } from '../support/figures.ts';
import { randomRuns } from '../support/random-runs.ts';
import { runOrganizations } from '../support/run-organizations.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Random books. */
const BOOKS = randomRuns(200);

type Row = Readonly<Record<string, unknown>>;

interface ToldStatement {
  readonly fiscalId: string | null;
  readonly counterparty: string | null;
  readonly unreadable: number;
  readonly currencies: readonly Row[];
}

/** The ages of a statement, which are columns of aging. */
const AGES = ['not due', '1 to 30', '31 to 60', '61 to 90', 'over 90', 'no due date', 'credits'];

describe('the statements of random books', () => {
  it(
    `are to the last digit what aging and --sum tell, and what a model does: ${BOOKS} books`,
    { timeout: 3_600_000 },
    async () => {
      for (let seed = 1; seed <= BOOKS; seed++) {
        try {
          await compare(randomBook(7_000 + seed), seed % 2 === 0);
        } catch (error) {
          throw new Error(`book ${7_000 + seed}`, { cause: error });
        }
      }
      countFigure({ what: 'statements of random books', ran: BOOKS, outcome: 'differences: 0' });
    },
  );
});

async function compare(book: Book, isOffline: boolean): Promise<void> {
  const folder = temporaryFolder();
  const options = {
    organizations: { north: { records: { issued: [...book.records] }, settings: book.settings } },
    folder,
    settings: book.settings,
  };
  const run = async (line: string, codes: readonly number[]): Promise<string> => {
    const { code, stdout, stderr } = await runOrganizations(line, options);
    if (!codes.includes(code)) throw new Error(`${line}: exit ${code}, ${stderr}`);
    return stdout;
  };
  const counted = countBook(book);
  const code = counted.some(({ noAmount, noDate }) => noAmount || noDate) ? 6 : 0;
  if (isOffline) await run('issued --profile north -o FOLDER/issued.jsonl', [0]);
  const from = isOffline ? ' --from FOLDER/issued.jsonl' : ' --profile north';

  const told = parse(await run(`statement --all --format json${from}`, [code])) as {
    statements: readonly ToldStatement[];
  };
  const aging = parse(await run(`aging --format json${from}`, [code])) as Row[];
  // For each currency the statements are the rows of aging: one counterparty each, but for what has no currency.
  const sections = told.statements.flatMap(({ currencies }) => currencies);
  const known = (row: Row): boolean => row['currency'] !== null;
  const ofAging = aging.filter((row) => known(row) && Number(text(row['invoices'])) > 0).map(agesOfRow);
  const ofStatements = sections
    .filter((section) => known(section) && countIn(section) > 0)
    .map((section) => agesOfRow({ ...section, ...(section['ages'] as Row), total: section['amountDue'] }));
  expect(ofStatements.toSorted()).toEqual(ofAging.toSorted());

  // Documents add up to what stands above them, and to a model that knows nothing of the program.
  const read = counted.filter(({ noDate, noAmount }) => !noDate && !noAmount);
  const model = [...sumUp(read, (one) => `${one.party}\n${one.currency}`)]
    .filter(([, { open, credits }]) => open !== 0n || credits !== 0n)
    .map(([, { open, overdue, credits, undated }]) => [open, overdue, credits, undated].join(' '));
  const sums = sections
    .map((section) => {
      const documents = section['documents'] as Row[];
      const credits = section['credits'] as Row[];
      const sum = (rows: readonly Row[]): bigint => rows.reduce((all, row) => all + cents(row['open']), 0n);
      expect(sum([...documents, ...credits])).toBe(cents(section['amountDue']));
      const late = documents.filter((row) => Number(text(row['daysLate'])) > 0);
      expect(sum(late)).toBe(cents(section['overdue']));
      return [
        ...[sum([...documents, ...credits]), sum(late), sum(credits)],
        sum(documents.filter((row) => row['due'] === null)),
      ];
    })
    .filter(([open, , credits]) => open !== 0n || credits !== 0n);
  expect(sums.map((each) => each.join(' ')).toSorted()).toEqual(model.toSorted());

  // All of them together are --sum, but for a due date that cannot be read.
  if (!counted.some(({ noDate }) => noDate)) {
    const byCurrency = parse(await run(`issued --sum open --format json${from}`, [code])) as Row[];
    for (const row of byCurrency) {
      const own = sections.filter((section) => text(section['currency']) === text(row['currency']));
      expect(own.reduce((all, section) => all + cents(section['amountDue']), 0n)).toBe(cents(row['open']));
    }
  }
}

function agesOfRow(row: Row): string {
  return [text(row['currency']), ...[...AGES, 'total'].map((column) => String(cents(row[column])))].join(' ');
}

function countIn(section: Row): number {
  return (section['documents'] as Row[]).length + (section['credits'] as Row[]).length;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function cents(value: unknown): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text(value))!;
  expect(fraction.length).toBeLessThanOrEqual(2);
  return BigInt(`${sign}${whole || '0'}${fraction.padEnd(2, '0')}`);
}
