import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { countFigure } from '../support/figures.ts';
import { postgresForTests } from '../support/databases.ts';
import { needing } from '../support/programs.ts';
import { randomRuns } from '../support/random-runs.ts';
import { runOrganizations, type Organization } from '../support/run-organizations.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { randomBook, type Book } from './book.ts';
import { countBook, sumUp, type ModelFigures } from './book-model.ts';

const BOOKS = randomRuns(200);
/** One book in so many goes to PostgreSQL, too. */
const POSTGRES_SHARE = 10;

const SOURCES = ['jsonl', 'json', 'SQLite'] as const;

type Row = Readonly<Record<string, unknown>>;

const seeds = Array.from({ length: BOOKS }, (_, index) => index + 1);

describe('the figures of random books', () => {
  it(
    `are the same whatever asks, in every source, and those of a model: ${BOOKS} books`,
    { timeout: 3_600_000 },
    async () => {
      await eachAtOnce(seeds, async (seed) => {
        const site = new Site(booksOf(seed));
        const source = SOURCES[seed % SOURCES.length]!;
        for (const from of ['', await site.store(source)]) {
          try {
            await compareSums(site, from);
            // One of the two sources each.
            await ((from === '') === (seed % 2 === 0) ? compareAging(site, from) : compareReport(site, from));
          } catch (error) {
            throw new Error(`book ${seed}, from ${from === '' ? 'the service' : source}`, { cause: error });
          }
        }
      });
      countFigure({ what: 'figures of random books', ran: BOOKS * 2 * 4, outcome: 'differences: 0' });
    },
  );

  describe('in PostgreSQL', () => {
    const server = postgresForTests();

    it('are those of folio', { timeout: 3_600_000, ...needing('postgres') }, async () => {
      let ran = 0;
      for (const seed of seeds.filter((one) => one % POSTGRES_SHARE === 0)) {
        const site = new Site(booksOf(seed));
        const address = await server().createDatabase();
        await site.run(`sync ${address} issued${site.all}`, [0]);
        const from = ` --from ${address}${site.held}`;
        await compareSums(site, from);
        await compareAging(site, from);
        ran++;
      }
      countFigure({ what: 'random books in PostgreSQL', ran, outcome: 'differences: 0' });
    });
  });
});

/** Does the work for each, some at a time: most of it is waiting for files. */
async function eachAtOnce(all: readonly number[], work: (one: number) => Promise<void>): Promise<void> {
  const left = [...all];
  const take = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: 6 }, take));
}

function booksOf(seed: number): readonly Book[] {
  return seed % 3 === 0 ? [randomBook(2 * seed), randomBook(2 * seed + 1)] : [randomBook(2 * seed)];
}

const NAMES = ['north', 'south'] as const;

/** The organizations of some books, each with a profile, and what they were exported to. */
class Site {
  readonly books: readonly Book[];
  readonly folder = temporaryFolder();
  readonly #organizations: Readonly<Record<string, Organization>>;

  constructor(books: readonly Book[]) {
    this.books = books;
    this.#organizations = Object.fromEntries(
      books.map(({ records, settings }, index) => [
        NAMES[index]!,
        { records: { issued: [...records] }, settings: { ...settings, 'key.issued': 'place' } },
      ]),
    );
  }

  /** The documents, each with the name of its organization where there are several. */
  get counted() {
    return this.books.flatMap((book, index) =>
      countBook(book).map((one) => ({ ...one, profile: this.books.length > 1 ? NAMES[index]! : '' })),
    );
  }

  /** Exports or syncs the books. Returns the flag that reads them. */
  async store(source: (typeof SOURCES)[number]): Promise<string> {
    if (source === 'SQLite') {
      await this.run(`sync FOLDER/books.db issued${this.all}`, [0]);
      return ` --from FOLDER/books.db${this.held}`;
    }
    await this.run(
      `issued${this.all} -o FOLDER/issued.${source} --receipt FOLDER/issued.${source}.receipt.json`,
      [0],
    );
    return ` --from FOLDER/issued.${source}`;
  }

  get all(): string {
    return this.books.length > 1 ? ' --all-profiles' : ` --profile ${NAMES[0]}`;
  }

  /** The flag for what a database holds. */
  get held(): string {
    return this.books.length > 1 ? ' --all-profiles' : '';
  }

  async run(line: string, codes: readonly number[]): Promise<string> {
    const [only] = this.books;
    // Of one organization alone, nobody says whose settings hold offline.
    const settings = this.books.length === 1 ? { ...only!.settings, 'key.issued': 'place' } : {};
    const run = await runOrganizations(line, {
      organizations: this.#organizations,
      folder: this.folder,
      settings,
    });
    if (!codes.includes(run.code)) throw new Error(`${line}: exit ${run.code}, ${run.stderr}`);
    return run.stdout;
  }

  async rows(line: string, code: number): Promise<readonly Row[]> {
    return parse(await this.run(`${line} --format json`, [code])) as Row[];
  }
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function cents(value: unknown): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(textOf(value))!;
  expect(fraction.length).toBeLessThanOrEqual(2);
  return BigInt(`${sign}${whole || '0'}${fraction.padEnd(2, '0')}`);
}

function plain<T>(sums: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...sums].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function mapped<T, U>(
  sums: ReadonlyMap<string, T>,
  of: (value: T) => U,
  keeps: (value: U) => boolean,
): Record<string, U> {
  return plain(
    new Map([...sums].map(([key, value]) => [key, of(value)] as const).filter(([, value]) => keeps(value))),
  );
}

async function compareSums(site: Site, from: string): Promise<void> {
  const { counted } = site;
  const flags = from === '' ? site.all : from;
  const code = counted.some(({ noAmount }) => noAmount) ? 6 : 0;
  const split = site.books.length > 1 ? ' --group-by _profile' : '';
  const rows = await site.rows(`issued${flags} --sum open,total${split}`, code);
  const keyOf = (row: Row): string => `${textOf(row['_profile'])} ${textOf(row['currency'])}`;
  const found = new Map(
    rows.map((row) => [
      keyOf(row),
      {
        open: cents(row['open']),
        creditNotes: cents(row['open.creditNotes']),
        cancelled: cents(row['open.cancelled']),
        missing: Number(textOf(row['open.missing'])),
        total: cents(row['total']),
      },
    ]),
  );
  const model = sumUp(counted, (one) => `${profileOf(one)} ${one.currency}`);
  const ofSum = ({ open, creditNotes, cancelled, missing, total }: ModelFigures) => ({
    open,
    creditNotes,
    cancelled,
    missing,
    total,
  });
  expect(plain(found)).toEqual(mapped(model, ofSum, () => true));

  const column = site.books.length > 1 ? '_profile,counterpartyName' : 'counterpartyName';
  const parties = await site.rows(`issued${flags} --sum open --group-by ${column}`, code);
  expect(parties.map((row) => cents(row['open'])).toSorted(byValue)).toEqual(
    [...sumUp(counted, (one) => `${profileOf(one)} ${one.currency} ${one.party}`).values()]
      .map(({ open }) => open)
      .toSorted(byValue),
  );

  const overdueCode = counted.some(({ noAmount, noDate }) => noAmount || noDate) ? 6 : 0;
  const overdue = await site.rows(`issued${flags} --overdue --sum open${split}`, overdueCode);
  expect(
    plain(
      new Map(
        overdue
          .filter((row) => textOf(row['records']) !== '0')
          .map((row) => [keyOf(row), cents(row['open'])]),
      ),
    ),
  ).toEqual(
    mapped(
      model,
      ({ overdue }) => overdue,
      (sum) => sum !== 0n,
    ),
  );
}

function profileOf(one: object): string {
  return 'profile' in one && typeof one.profile === 'string' ? one.profile : '';
}

function byValue(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const LATE = ['1 to 30', '31 to 60', '61 to 90', 'over 90'];

async function compareAging(site: Site, from: string): Promise<void> {
  const { counted } = site;
  const read = counted.filter(({ noDate }) => !noDate);
  const code = counted.some(({ noAmount, noDate }) => noAmount || noDate) ? 6 : 0;
  const rows = await site.rows(`aging${from === '' ? site.all : from}`, code);
  const found = rows.map((row) => ({
    key: `${textOf(row['_profile'])} ${textOf(row['currency'])}`,
    total: 0n,
    open: cents(row['total']),
    credits: cents(row['credits']),
    creditNotes: cents(row['total.creditNotes']),
    cancelled: cents(row['total.cancelled']),
    missing: Number(textOf(row['total.missing'])),
    overdue: LATE.map((column) => cents(row[column])).reduce((sum, one) => sum + one, 0n),
    undated: cents(row['no due date']),
    notDue: cents(row['not due']),
  }));
  // What is in no currency is one row, of any counterparty.
  const model = sumUp(
    read,
    (one) => `${profileOf(one)} ${one.currency}\n${one.currency === '' ? '' : one.party}`,
  );
  const expected = [...model].map(([key, figures]) => ({
    key: key.split('\n')[0]!,
    ...figures,
    total: 0n,
  }));
  const isThere = ({ open, cancelled, missing, credits, overdue, undated, notDue }: ModelFigures): boolean =>
    [open, cancelled, credits, overdue, undated, notDue].some((one) => one !== 0n) || missing > 0;
  const sorted = (figures: readonly (ModelFigures & { readonly key: string })[]): string[] =>
    figures
      .filter(isThere)
      .map((one) =>
        JSON.stringify(
          Object.entries(one)
            .toSorted(([left], [right]) => (left < right ? -1 : 1))
            .map(([name, value]) => [name, String(value)]),
        ),
      )
      .toSorted();
  expect(sorted(found)).toEqual(sorted(expected));
}

async function compareReport(site: Site, from: string): Promise<void> {
  const { counted } = site;
  const read = counted.filter(({ noDate }) => !noDate);
  const code = counted.some(({ noAmount, noDate }) => noAmount || noDate) ? 6 : 0;
  const source = from === '' ? site.all : from.replace('FOLDER/issued', 'issued=FOLDER/issued');
  const isSeveral = site.books.length > 1;
  const files = isSeveral
    ? site.books.map((_, index) => `reports/${NAMES[index]!}.report.json`)
    : ['report.json'];
  const output = isSeveral ? '--output-dir FOLDER/reports --format json' : '-o FOLDER/report.json';
  const all = isSeveral && !source.includes('--all-profiles') ? ' --all-profiles' : '';
  await site.run(`report${source}${all} ${output}`, [code]);
  const organizations = files.flatMap((file) => {
    const report = parse(readFileSync(join(site.folder, file), 'utf8')) as {
      organizations: readonly (Row & { readonly currencies: readonly Row[] })[];
    };
    return report.organizations;
  });
  const found = organizations.flatMap((organization) =>
    organization.currencies.map((section) => {
      const of = section['receivable'] as Row;
      const buckets = (of['buckets'] as readonly unknown[]).map(cents);
      const profile = isSeveral ? textOf(organization['profile']) : '';
      return [
        `${profile} ${textOf(section['currency'])}`,
        {
          ...{ open: cents(of['open']), overdue: cents(of['overdue']), cancelled: cents(of['cancelled']) },
          ...{ credits: buckets.at(-1) ?? 0n, undated: buckets.at(-2) ?? 0n, notDue: buckets[0] ?? 0n },
          ...{ creditNotes: cents(of['creditNotes']), missing: Number(textOf(of['missing'])) },
          total: Object.values((section['issued'] as { months?: Row } | undefined)?.months ?? {})
            .map(cents)
            .reduce((sum, one) => sum + one, 0n),
        },
      ] as const;
    }),
  );
  const model = sumUp(read, (one) => `${profileOf(one)} ${one.currency}`);
  const totals = sumUp(counted, (one) => `${profileOf(one)} ${one.currency}`);
  const merged = new Map(
    [...totals].map(([key, { total }]) => [key, { ...EMPTY, ...model.get(key), total }] as const),
  );
  const isThere = (figures: ModelFigures): boolean =>
    Object.values(figures).some((one) => BigInt(one) !== 0n);
  expect(mapped(new Map(found), (one) => one, isThere)).toEqual(mapped(merged, (one) => one, isThere));
}

const EMPTY: ModelFigures = {
  ...{ open: 0n, creditNotes: 0n, cancelled: 0n, missing: 0, total: 0n, overdue: 0n, credits: 0n },
  ...{ undated: 0n, notDue: 0n },
};
