import * as fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse } from 'lossless-json';
import { expect, vi } from 'vitest';
import { ask } from '../../../support/databases.ts';
import { countFigure, randomRuns } from '../../../support/random-runs.ts';
import { runHere, type FolioExit } from '../../../support/run-here.ts';
import { runOrganizations, type OrganizationsRun } from '../../../support/run-model.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import {
  addUp,
  ageOf,
  comparedId,
  entriesOf,
  groupsOf,
  hasUnreadable,
  isCounted,
  isOverdue,
  isShared,
  newestOf,
  worthOf,
  type AmountRole,
  type Entry,
  type Worth,
} from './oracle.ts';
import {
  dayText,
  randomBook,
  recordsOf,
  settingsOf,
  unitsOf,
  TODAY,
  type Book,
  type BookDocument,
  type Listing,
} from './random-book.ts';

/** Where the records of a book come from. A receipt and a database say of when they are, and are asked later. */
export type Source =
  | 'service'
  | 'jsonl'
  | 'jsonl with receipt'
  | 'json with receipt'
  | 'SQLite'
  | 'PostgreSQL';

type Row = Readonly<Record<string, unknown>>;

const NAMES = ['north', 'south'];
/** The number of the first document of each: one that is newer than another has another number. */
const NUMBERS = [100, 200] as const;

/** Other documents of the same numbers, and one that is gone since. */
function earlier(documents: readonly BookDocument[]): BookDocument[] {
  const [first] = documents;
  return [first!, ...documents.toReversed().map((document) => ({ ...document, fiscalId: '2-7' }))];
}

/** The books of some organizations, each with a profile, and how the program is asked about them. */
class Site {
  readonly listing: Listing;
  readonly entries: readonly Entry[];
  readonly several: boolean;
  readonly folder = temporaryFolder();
  readonly #now: OrganizationsRun;
  readonly #before: OrganizationsRun;
  /** Whether the program as built is asked: of files, since it would need a network for a service. */
  #isBuilt = false;
  isService = false;
  /** Where the database is that holds the records, if one does. */
  database: string | undefined;
  #later = 0;
  #from = '';

  constructor(books: readonly Book[], listing: Listing) {
    this.listing = listing;
    this.several = books.length > 1;
    this.entries = books.flatMap((book, at) => entriesOf(book, this.several ? NAMES[at]! : '', NUMBERS[at]!));
    // Of one organization alone, nobody says whose settings hold offline.
    const settings = this.several ? {} : settingsOf(books[0]!, listing);
    const runOf = (all: readonly Book[]): OrganizationsRun => {
      const organizations = all.map((book, at) => [
        NAMES[at]!,
        {
          records: { [listing]: recordsOf(book, listing, NUMBERS[at]!) },
          settings: settingsOf(book, listing),
        },
      ]);
      return {
        organizations: Object.fromEntries(organizations) as OrganizationsRun['organizations'],
        settings,
      };
    };
    this.#now = runOf(books);
    this.#before = runOf(books.map(({ documents, ...book }) => ({ ...book, documents: earlier(documents) })));
  }

  /** Brings the records there, and has them asked about so many days later, where it is known when they were read. */
  async store(source: Source, later: number, address = ''): Promise<void> {
    const ofService = this.several ? ' --all-profiles' : ` --profile ${NAMES[0]}`;
    const [format, withReceipt] = source.split(' with ');
    this.isService = source === 'service';
    this.#from = ofService;
    if (this.isService) return;
    if (source === 'SQLite' || source === 'PostgreSQL') {
      this.database = source === 'SQLite' ? join(this.folder, 'books.db') : address;
      const sync = `sync ${this.database} ${this.listing}${ofService} --max-gone 100%`;
      // It held something else a month before.
      await this.run(sync, 0, -30, this.#before);
      await this.run(sync, 0);
      this.#from = ` --from ${this.database}${this.several ? ' --all-profiles' : ''}`;
    } else {
      const file = join(this.folder, `${this.listing}.${format}`);
      const receipt = withReceipt ? ` --receipt ${file}.receipt.json` : '';
      await this.run(`${this.listing}${ofService} -o ${file}${receipt}`, 0);
      this.#from = ` --from ${file}`;
    }
    if (source === 'jsonl') return;
    this.#later = later;
    const { organizations, settings } = this.#now;
    const profiles = Object.fromEntries(
      Object.entries(organizations).map(([name, { settings: own }]) => [name, { settings: own }]),
    );
    writeFileSync(join(this.folder, 'config.json'), JSON.stringify({ profiles, settings }), { mode: 0o600 });
    this.#isBuilt = true;
  }

  async run(line: string, code: number, day = this.#later, books = this.#now): Promise<string> {
    const now = (TODAY + day + 0.5) * 86_400_000;
    const run = this.#isBuilt
      ? await this.#runBuilt(line, now)
      : await runOrganizations(line, { ...books, folder: this.folder, clock: { now } });
    const stderr = run.code === code ? '' : run.stderr;
    expect({ line, code: run.code, stderr }).toEqual({ line, code, stderr: '' });
    return String(run.stdout);
  }

  async #runBuilt(line: string, now: number): Promise<FolioExit> {
    vi.useFakeTimers({ toFake: ['Date'], now });
    try {
      return await runHere(
        line.split(' ').map((word) => word.replace('FOLDER', this.folder)),
        { env: { FOLIO_TOKEN: undefined, FOLIO_CONFIG_DIR: this.folder } },
      );
    } finally {
      vi.useRealTimers();
    }
  }

  /** What it answers; exit 6 where something could not be read. */
  ask(question: string, isUnreadable: boolean): Promise<string> {
    const from = question.startsWith('report')
      ? this.#from.replace(/--from (?=.*json)/, `--from ${this.listing}=`)
      : this.#from;
    const payable = this.listing === 'received' ? '$1 --payable' : '$1';
    const line = question.replace(/^LISTING/, this.listing).replace(/^(aging|statement)/, payable);
    return this.run(line + from, isUnreadable ? 6 : 0);
  }

  async rows(question: string, isUnreadable = false): Promise<readonly Row[]> {
    return parse(await this.ask(`${question} --format json`, isUnreadable)) as Row[];
  }
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** These cells of a row, as what tells it apart. */
const keyOf = (row: Row, ...columns: readonly string[]): string =>
  columns.map((column) => text(row[column])).join('|');

function units(value: unknown): bigint {
  return text(value) === '' ? 0n : unitsOf(text(value));
}

/** A key and figures as one line, so that tables are compared as sorted lines; those of nothing but zeros are left out. */
function table(rows: readonly (readonly [key: string, figures: readonly (bigint | number)[]])[]): string[] {
  return rows
    .filter(([, figures]) => figures.some((figure) => BigInt(figure) !== 0n))
    .map(([key, figures]) => `${key}: ${figures.join(' ')}`)
    .toSorted();
}

/** Compares the rows of an answer with groups of documents: of each a key and its figures. */
function expectRows<R, G>(
  rows: readonly R[],
  ofRow: (row: R) => readonly [key: string, figures: readonly (bigint | number)[]],
  groups: readonly (readonly [key: string, of: G[]])[],
  ofGroup: (of: G[], key: string) => readonly (bigint | number)[],
  keyOf: (of: G[], key: string) => string = (_, key) => key,
): void {
  const expected = groups.map(([key, of]) => [keyOf(of, key), ofGroup(of, key)] as const);
  expect(table(rows.map(ofRow))).toEqual(table(expected));
}

const figuresOf = ({ sum, creditNotes, cancelled, missing }: Worth): (bigint | number)[] => [
  ...[sum, creditNotes, cancelled],
  missing,
];

const readable = (entries: readonly Entry[], role: AmountRole): Worth[] =>
  entries.map((entry) => worthOf(entry, role)).filter((worth) => worth !== 'unreadable');

const sumOf = (entries: readonly Entry[], role: AmountRole): (bigint | number)[] =>
  figuresOf(addUp(readable(entries, role)));

const cellsOf = (row: Row, column: string): (bigint | number)[] => [
  ...['', '.creditNotes', '.cancelled'].map((part) => units(row[column + part])),
  Number(text(row[`${column}.missing`])),
];

const ROLES = ['open', 'total', 'paid'] as const;

async function compareSums(site: Site): Promise<void> {
  const { entries, several } = site;
  const split = several ? ' --group-by _profile' : '';
  const rows = await site.rows(`LISTING --sum open,total,paid${split}`, hasUnreadable(entries, ...ROLES));
  expectRows(
    rows,
    (row) => [keyOf(row, '_profile', 'currency'), ROLES.flatMap((role) => cellsOf(row, role))],
    groupsOf(entries, ({ profile, currency }) => `${profile}|${currency}`),
    (of) => ROLES.flatMap((role) => sumOf(of, role)),
  );
}

async function compareMonths(site: Site): Promise<void> {
  const { entries } = site;
  const dated = entries.filter(({ document: { date } }) => date.value !== 'unreadable');
  const isDated = dated.length === entries.length;
  const unreadable = hasUnreadable(entries, 'total') || !isDated;
  const rows = await site.rows('LISTING --sum total --group-by date:month', unreadable);
  const monthOf = ({ document: { date } }: Entry): string =>
    typeof date.value === 'number' ? dayText(date.value).slice(0, 7) : '';
  const readIn = (of: readonly Entry[]): number => readable(of, 'total').length;
  expectRows(
    rows,
    (row) => [keyOf(row, 'date:month', 'currency'), [Number(text(row['records'])), ...cellsOf(row, 'total')]],
    groupsOf(dated, (entry) => `${monthOf(entry)}|${entry.currency}`),
    (of) => [readIn(of), ...sumOf(of, 'total')],
  );
  const days = entries.map(({ document }) => document.date.value);
  const within = days.filter((day) => typeof day === 'number' && day >= -120 && day <= -30);
  const october = dated.filter((entry) => monthOf(entry) === '2026-10');
  expect(await site.ask('LISTING --period 2026-10 --count', !isDated)).toBe(`${october.length}\n`);
  const count = await site.ask(`LISTING --since ${dayText(-120)} --until ${dayText(-30)} --count`, !isDated);
  expect(count).toBe(`${within.length}\n`);
}

async function compareParties(site: Site): Promise<void> {
  const { entries } = site;
  const expected = groupsOf(entries, ({ profile, party, currency }) => `${profile}\n${party}\n${currency}`);
  for (const [column, id, name] of [
    ['counterpartyFiscalId', 'counterpartyFiscalId', 'counterparty'],
    ['counterpartyName', 'fiscalId', 'counterpartyName'],
  ] as const) {
    const split = site.several ? `_profile,${column}` : column;
    const rows = await site.rows(`LISTING --sum open --group-by ${split}`, hasUnreadable(entries, 'open'));
    expectRows(
      rows,
      (row) => [keyOf(row, '_profile', id, name, 'currency'), cellsOf(row, 'open')],
      expected,
      (of) => sumOf(of, 'open'),
      ([one]) => [one!.profile, ...newestOf(entries, one!.party), one!.currency].join('|'),
    );
  }
}

const numbersOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ profile, number }) => `${profile} ${number}`)
    .toSorted()
    .join(', ');

/** The documents that a question keeps. */
async function kept(site: Site, question: string, isUnreadable: boolean): Promise<string> {
  const rows = await site.rows(
    `LISTING ${question} --columns ${site.several ? '_profile,' : ''}number`,
    isUnreadable,
  );
  return rows
    .map((row) => `${text(row['_profile'])} ${text(row['number'])}`)
    .toSorted()
    .join(', ');
}

async function compareOverdue(site: Site): Promise<void> {
  const { entries } = site;
  const unreadable = hasUnreadable(entries, 'open', 'age');
  const isOpen = (entry: Entry): boolean => !['credits', undefined].includes(ageOf(entry));
  const unread = hasUnreadable(entries, 'open');
  expect(await kept(site, '--open', unread)).toBe(numbersOf(entries.filter(isOpen)));
  expect(await kept(site, '--overdue', unreadable)).toBe(numbersOf(entries.filter(isOverdue)));
  for (const [flag, is, fails] of [
    ['--open', isOpen, unread],
    ['--overdue', isOverdue, unreadable],
  ] as const) {
    const rows = await site.rows(`LISTING ${flag} --sum open`, fails);
    expectRows(
      rows,
      (row) => [text(row['currency']), cellsOf(row, 'open')],
      groupsOf(entries.filter(is), ({ currency }) => currency),
      (of) => sumOf(of, 'open'),
    );
  }
}

const AGES = ['not due', '1 to 30', '31 to 60', '61 to 90', 'over 90', 'no due date', 'credits'];

/** Open amounts by age. What cannot be judged is in none of these, nor in what stands beside them. */
function agesOf(entries: readonly Entry[]): (bigint | number)[] {
  const judged = entries.filter((entry) => ageOf(entry) !== 'unreadable');
  const inAge = (age: string): bigint | number =>
    sumOf(
      judged.filter((entry) => ageOf(entry) === age),
      'open',
    )[0]!;
  return [...AGES.map(inAge), ...sumOf(judged, 'open')];
}

/** The documents of which something is open that can be judged. */
const openIn = (entries: readonly Entry[]): Entry[] =>
  entries.filter((entry) => ![undefined, 'unreadable'].includes(ageOf(entry)));

const overdueIn = (entries: readonly Entry[]): bigint | number =>
  sumOf(entries.filter(isOverdue), 'open')[0]!;

async function compareAging(site: Site): Promise<void> {
  const { entries } = site;
  const rows = await site.rows('aging', hasUnreadable(entries, 'open', 'age'));
  // What is in no currency is one row, of any counterparty.
  const groups = groupsOf(
    entries,
    ({ profile, currency, party }) => `${profile}|${currency}|${currency === '' ? '' : party}`,
  );
  expectRows(
    rows,
    (row) => {
      const names = row['currency'] === null ? [] : ['fiscalId', 'counterparty'];
      const figures = [Number(text(row['invoices'])), ...AGES.map((age) => units(row[age]))];
      return [keyOf(row, '_profile', 'currency', ...names), [...figures, ...cellsOf(row, 'total')]];
    },
    groups,
    (of) => [openIn(of).length, ...agesOf(of)],
    ([one]) => {
      const { profile, currency, party } = one!;
      return [profile, currency, ...(currency === '' ? [] : newestOf(entries, party))].join('|');
    },
  );
}

/** What stands beside the ages of a statement, in order. */
const BESIDE = ['overdue', 'amountDue', 'creditNotes', 'cancelled'];

async function compareStatements(site: Site): Promise<void> {
  const { entries } = site;
  const unreadable = hasUnreadable(entries, 'open', 'age');
  const told = parse(await site.ask('statement --all --format json', unreadable)) as {
    readonly asOf: string;
    readonly statements: readonly (Row & { readonly currencies: readonly Row[] })[];
  };
  expect(told.asOf).toBe(dayText(0));
  const groups = groupsOf(entries, ({ profile, currency, party }) => `${profile}|${currency}|${party}`);
  const documents = (rows: unknown): string[] =>
    (rows as readonly Row[]).map((row) => `${text(row['number'])} ${units(row['open'])}`).toSorted();
  const found = told.statements.flatMap((statement) =>
    statement.currencies.map((section) => {
      const ages = section['ages'] as Row;
      const { profile, fiscalId, counterparty } = statement;
      const names = [profile, section['currency'], fiscalId, counterparty];
      const figures = [...AGES.map((age) => ages[age]), ...BESIDE.map((name) => section[name])].map(units);
      return {
        key: (site.several ? names : ['', ...names.slice(1)]).map(text).join('|'),
        figures: [...figures, text(section['missing'])].join(' '),
        documents: documents([...(section['documents'] as []), ...(section['credits'] as [])]),
      };
    }),
  );
  const expected = groups.map(([, of]) => {
    const { profile, currency, party } = of[0]!;
    return {
      key: [profile, currency, ...newestOf(entries, party)].join('|'),
      figures: [...agesOf(of).toSpliced(7, 0, overdueIn(of))].join(' '),
      documents: openIn(of)
        .map((entry) => `${entry.number} ${sumOf([entry], 'open')[0]}`)
        .toSorted(),
    };
  });
  const standing = (all: typeof found): string[] =>
    all
      .filter(({ documents }) => documents.length > 0)
      .map((one) => JSON.stringify(one))
      .toSorted();
  expect(standing(found)).toEqual(standing(expected));
  const rows: Row[] = parseCsv(await site.ask('statement --all --format csv', unreadable), { columns: true });
  const ofRows = rows
    .filter(({ age }) => age !== 'cancelled')
    .map((row) => `${text(row['number'])} ${units(row['open'])}`);
  expect(ofRows.toSorted()).toEqual(expected.flatMap(({ documents }) => documents).toSorted());
}

/** The statement of one counterparty, by another spelling of its fiscal ID, of what is not the service's matter to choose. */
async function compareOne(site: Site): Promise<void> {
  const { entries, listing } = site;
  // The first document has every column: of a counterparty without any, there may be nothing to tell.
  const id = comparedId(entries[0]!.document.fiscalId);
  if (site.isService) return;
  const own = entries.filter(({ document }) => comparedId(document.fiscalId) === id);
  const flag = listing === 'issued' ? '--customer-fiscal-id' : '--issuer-fiscal-id';
  const line = `statement ${flag} ${spelledOtherwise(id)} --format csv`;
  const rows: Row[] = parseCsv(await site.ask(line, hasUnreadable(own, 'open', 'age')), { columns: true });
  const open = rows.filter(({ age }) => age !== 'cancelled');
  expect(open.map((row) => `${text(row['number'])} ${units(row['open'])}`).toSorted()).toEqual(
    openIn(own)
      .map((entry) => `${entry.number} ${sumOf([entry], 'open')[0]}`)
      .toSorted(),
  );
}

/** With a dash, and with zeros before it where its check digit proves that they are none of it. */
function spelledOtherwise(id: string): string {
  const dashed = id.replace(/(.)$/, '-$1');
  return comparedId(`00${dashed}`) === id ? `00${dashed}` : dashed;
}

const addAll = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);

const isInQuarter = ({ date }: BookDocument): boolean => dayText(Number(date.value)) >= '2026-10-01';

async function compareReport(site: Site): Promise<void> {
  const { entries, several, listing } = site;
  const direction = listing === 'issued' ? 'receivable' : 'payable';
  const files = several ? NAMES.map((name) => `reports/${name}.report.json`) : ['report.json'];
  const output = several
    ? '--all-profiles --output-dir FOLDER/reports --format json'
    : '-o FOLDER/report.json';
  const isUndated = ({ document }: Entry): boolean =>
    isCounted(document) && typeof document.date.value !== 'number';
  const dates = entries.some((entry) => isUndated(entry) && entry.document.date.value === 'unreadable');
  await site.ask(
    `report ${output} --period 2026-Q4`,
    hasUnreadable(entries, 'open', 'age', 'total') || dates,
  );
  const organizations = files.flatMap((file) => {
    const page = parse(readFileSync(join(site.folder, file), 'utf8')) as {
      organizations: readonly (Row & { readonly currencies: readonly Row[] })[];
    };
    return page.organizations;
  });
  const found = organizations.flatMap((organization) =>
    organization.currencies.map((section) => {
      const of = section[direction] as Row;
      const buckets = of['buckets'] as readonly unknown[];
      const dated = (section[listing] ?? {}) as Row;
      const types = (dated['byType'] ?? []) as readonly { documents: unknown; total: string; missing: Row }[];
      const count = (one: unknown): number => Number(text(one));
      return [
        `${several ? text(organization['profile']) : ''} ${text(section['currency'])}`,
        [
          Number(text(of['invoices'])),
          ...(buckets.length === 0 ? AGES.map(() => 0n) : buckets.map(units)),
          ...['open', 'creditNotes', 'cancelled'].map((name) => units(of[name])),
          ...[Number(text(of['missing'])), units(of['overdue'])],
          addAll(Object.values(dated['months'] ?? {}).map(units)),
          ...[count(dated['documentsInPeriod']), addAll(types.map(({ total }) => units(total)))],
          ...['inPeriod', 'creditNotesInPeriod', 'cancelledInPeriod'].map((name) => units(dated[name])),
          types.reduce((sum, { missing }) => sum + count(missing['total']), 0),
        ],
      ] as const;
    }),
  );
  const expected = groupsOf(entries, ({ profile, currency }) => `${profile} ${currency}`).map(([key, of]) => {
    const dated = of.filter((one) => !isUndated(one));
    const quarter = dated.filter(({ document }) => isCounted(document) && isInQuarter(document));
    const [sum] = sumOf(quarter, 'total');
    return [
      key,
      [
        ...[openIn(of).length, ...agesOf(of), overdueIn(of), sumOf(dated, 'total')[0]!],
        ...[quarter.length, sum!, ...sumOf(quarter, 'total')],
      ],
    ] as const;
  });
  expect(table(found)).toEqual(table(expected));
  const largest = organizations.flatMap(({ profile, currencies }) =>
    currencies.flatMap(({ currency, [direction]: of }) =>
      ((of as Row)['counterparties'] as readonly Row[]).map((row) =>
        [several ? text(profile) : '', text(currency), text(row['fiscalId']), text(row['name'])].concat(
          [row['total'], row['overdue']].map((amount) => String(units(amount))),
        ),
      ),
    ),
  );
  const all = groupsOf(entries, ({ profile, currency, party }) => `${profile}|${currency}|${party}`).map(
    ([, of]) => {
      const { profile, currency, party } = of[0]!;
      const amounts = [agesOf(of)[AGES.length], overdueIn(of)].map(String);
      return [profile, currency, ...newestOf(entries, party, profile), ...amounts];
    },
  );
  // The page has the largest ones alone, and of what has no currency nobody's name.
  expect(all).toEqual(expect.arrayContaining(largest.filter(([, currency]) => currency !== '')));
}

async function compareConditions(site: Site): Promise<void> {
  const { entries } = site;
  const last = entries.at(-1)!;
  const { document } = last;
  const id = comparedId(document.fiscalId);
  if (id !== '') {
    for (const [operator, is] of [
      ['=', true],
      ['!=', false],
    ] as const) {
      const keeps = entries.filter((entry) => (comparedId(entry.document.fiscalId) === id) === is);
      const question = `--where counterpartyFiscalId${operator}${spelledOtherwise(id)}`;
      expect(await kept(site, question, false)).toBe(numbersOf(keeps));
    }
  }
  if (last.currency !== '') {
    const keeps = entries.filter(({ currency }) => currency === last.currency);
    expect(await kept(site, `--where currency=${last.currency.toLowerCase()}`, false)).toBe(numbersOf(keeps));
  }
  const { value, literal } = document.total;
  if (typeof value === 'bigint') {
    // As sent, whatever the document is worth.
    const keeps = entries.filter(
      ({ document: { total } }) => typeof total.value === 'bigint' && total.value >= value,
    );
    const unreadable = entries.some(({ document: { total } }) => total.value === 'unreadable');
    expect(await kept(site, `--where total>=${literal}`, unreadable)).toBe(numbersOf(keeps));
  }
  if (typeof document.due.value === 'number') {
    const before = document.due.value;
    const keeps = entries.filter(
      ({ document: { due } }) => typeof due.value === 'number' && due.value < before,
    );
    const unreadable = entries.some(({ document: { due } }) => due.value === 'unreadable');
    expect(await kept(site, `--where due<${dayText(before)}`, unreadable)).toBe(numbersOf(keeps));
  }
}

/** A path through a list holds where it does for any object of the list; its negation where it does for none. */
async function compareLists(site: Site): Promise<void> {
  const { entries } = site;
  const some = (holds: (payment: { date: number; amount: bigint | undefined }) => boolean): string =>
    numbersOf(
      entries.filter(({ document: { payments } }) =>
        payments?.some(({ date, amount }) =>
          holds({
            date: Number(date.value),
            amount: amount.value === 'unreadable' ? undefined : amount.value,
          }),
        ),
      ),
    );
  expect(await kept(site, `--where payments.date>=${dayText(-30)}`, false)).toBe(
    some(({ date }) => date >= -30),
  );
  expect(await kept(site, '--where payments.amount<1000', false)).toBe(
    some(({ amount }) => amount !== undefined && amount < unitsOf('1000')),
  );
  const rows = await site.rows('LISTING --expand payments --sum payments.amount');
  const payments = entries.flatMap(({ currency, document }) =>
    (document.payments ?? []).map(({ amount }) => ({ currency, amount: amount.value as bigint | undefined })),
  );
  expectRows(
    rows,
    (row) => [text(row['currency']), [units(row['payments.amount'])]],
    groupsOf(payments, ({ currency }) => currency),
    (of) => [of.reduce((sum, { amount = 0n }) => sum + amount, 0n)],
  );
}

/** The columns that SQL has of each document. */
async function compareColumns({ entries, several, database, listing }: Site): Promise<void> {
  if (database === undefined) return;
  const amounts = ROLES.map((role) => `coalesce(CAST(_${role} AS TEXT), '0')`);
  const texts = ['_currency', '_party', '_due'].map((name) => `coalesce(CAST(${name} AS TEXT), '')`);
  const columns = [...amounts, `CASE _kind WHEN 'credit' THEN 1 ELSE 0 END`, ...texts];
  const rows = await ask(database, `SELECT _profile, number, ${columns.join(', ')} FROM ${listing}_current`);
  const found = rows.map((row) => {
    const [profile = '', number = '', ...cells] = row.split('|');
    const figures = cells.slice(0, ROLES.length).map(units);
    return [several ? profile : '', number, ...figures, ...cells.slice(ROLES.length)].join('|');
  });
  const expected = entries.map((entry) => {
    const { profile, number, party, currency, document } = entry;
    const [id, name] = newestOf(entries, party, profile).map((one) => one.trim()) as [string, string];
    const quoted = id === '' || isShared(id) ? [id, name && `"${name}"`] : [id];
    const isCredit = document.kind === 'credit' && document.state !== 'void';
    const { value: due } = document.due;
    return [
      ...[profile, number, ...ROLES.map((role) => sumOf([entry], role)[0]!), Number(isCredit), currency],
      ...[quoted.filter((part) => part !== '').join(' '), typeof due === 'number' ? dayText(due) : ''],
    ].join('|');
  });
  expect(found.toSorted()).toEqual(expected.toSorted());
}

const QUESTIONS = [
  ...[compareSums, compareMonths, compareParties, compareOverdue, compareAging],
  ...[compareStatements, compareOne, compareReport, compareConditions, compareLists, compareColumns],
];

interface Asking {
  readonly books: readonly Book[];
  readonly listing: Listing;
  readonly source: Source;
  /** Days between the reading of the records and the question. */
  readonly later: number;
}

async function compareAll({ books, listing, source, later }: Asking, address?: string): Promise<void> {
  try {
    const site = new Site(books, listing);
    await site.store(source, later, address);
    for (const compare of QUESTIONS) await compare(site);
  } catch (error) {
    const records = books.map((book, at) => recordsOf(book, listing, NUMBERS[at]!).join('\n')).join('\n\n');
    throw new Error(`${listing}, ${source}, ${later} days later:\n${records}`, { cause: error });
  }
}

/**
 * Asks every question of random books that are in these sources, and compares the answers with those of the oracle.
 *
 * @param all how many books there are in a whole run
 * @param addressOf the address of a new database, where the source needs a server
 */
export async function compareBooks(
  sources: readonly Source[],
  all: number,
  addressOf?: () => Promise<string>,
): Promise<void> {
  const ran = randomRuns(all);
  const asking = fc.record({
    books: fc.array(randomBook, { minLength: 1, maxLength: 2 }),
    listing: fc.constantFrom('issued' as const, 'received' as const),
    source: fc.constantFrom(...sources),
    later: fc.nat(400),
  });
  const property = fc.asyncProperty(asking, async (one) => compareAll(one, await addressOf?.()));
  await fc.assert(property, { numRuns: ran });
  const where = [...new Set(sources.map((source) => source.replace(' with receipt', '')))].join(', ');
  countFigure({ what: `answers about random books in ${where}`, ran, outcome: 'differences: 0' });
}
