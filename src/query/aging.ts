import { UsageError } from '../errors.ts';
import { SpecialDocuments, Unreadable } from '../invoices/left-out.ts';
import { DOCUMENT_ROLES, DocumentReader, type Reads } from '../invoices/document-reader.ts';
import { PROFILE_COLUMN, type FieldsOf, type Role } from '../invoices/fields.ts';
import {
  CREDITS,
  NO_DUE_DATE,
  ageColumns,
  ageOf,
  bucketNames,
  dayIn,
  openItemOf,
  type Buckets,
  type OpenItem,
} from '../invoices/open-items.ts';
import { Counterparties, type Party } from '../invoices/counterparties.ts';
import {
  DECIMAL_ZERO,
  addDecimals,
  compareDecimals,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Finding } from '../findings.ts';
import { formatDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import { figuresQuestion, type BarTerminal, type FigureColumn, type FigureTable } from './figure-table.ts';
import { byCurrency, chosenColumns, textJson } from './result-rows.ts';

/** Days are counted since 1970-01-01. */
export interface AgingOptions {
  readonly fields: FieldsOf;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted. */
  readonly asOf: number;
  /** The day of the balances. Where `asOf` is earlier, invoices issued after it are left out. */
  readonly today: number;
  /** Whether each counterparty has a balance of amounts without a currency; else all share one. */
  readonly ofParties?: boolean;
  /** What `EachDocument` reads of a document. */
  readonly alsoReads?: Reads;
  /** The name of a record in messages: `document of 1-9`. */
  readonly record?: string | undefined;
}

/** The open amounts of a counterparty in one currency; without a currency, of all of them unless `ofParties` is set. */
export interface AgedBalance {
  /** Undefined for open amounts without a currency. */
  readonly currency: string | undefined;
  /** The profile whose invoices these are, where there are several. */
  readonly profile: string | undefined;
  /** Undefined for the balance of any counterparty. Its name and fiscal ID are final at the end. */
  readonly party: Party | undefined;
  /** How many documents are open, credits among them. */
  invoices: number;
  /** A sum for each of `ageColumns`, at the position of `ageOf`. That of the credits is zero or less. */
  readonly ages: Decimal[];
  creditNotes: Decimal;
  /** The amount left out because its documents are cancelled, with its sign. */
  cancelled: Decimal;
  /** Documents without an open amount. */
  missing: number;
}

const NOTHING: AgedBalance = {
  currency: undefined,
  profile: undefined,
  party: undefined,
  invoices: 0,
  ages: [],
  creditNotes: DECIMAL_ZERO,
  cancelled: DECIMAL_ZERO,
  missing: 0,
};

const MAX_BALANCES = 100_000;

const AGING_ROLES = ['open', 'due', ...DOCUMENT_ROLES] as const;

/**
 * Called for every document after it is added, while `Aging.documents` still shows it.
 *
 * @param balance the balance that includes it, or that leaves it out as cancelled; undefined if it has no open amount, or was
 *   issued after `asOf`
 */
type EachDocument = (item: OpenItem, balance: AgedBalance | undefined, party: Party) => void;

/** Sorts open amounts by how long they are overdue, for each counterparty and currency, exactly. */
export class Aging {
  readonly documents: DocumentReader;
  readonly parties: Counterparties;
  /** How many open documents, also credits, were left out because they were issued after `asOf`. */
  issuedLater = 0;
  /** Documents that are left out. */
  readonly unreadable = new Unreadable();
  readonly special = new SpecialDocuments();
  readonly #options: AgingOptions;
  readonly #balances = new Map<string, AgedBalance>();
  readonly #items = { open: 0, credit: 0 };

  constructor(options: AgingOptions) {
    const { fields, alsoReads: { roles, names } = { roles: [], names: [] } } = options;
    this.#options = options;
    this.documents = new DocumentReader({ fields }, { roles: [...AGING_ROLES, ...roles], names });
    this.parties = new Counterparties({ fields });
  }

  /** Sees the records before a filter, to find columns and counterparties. */
  sample(batch: RecordBatch): void {
    this.documents.sample(batch);
    this.parties.sample(batch);
  }

  add(batch: RecordBatch, each?: EachDocument): void {
    this.documents.fold(batch, () => {
      const item = openItemOf(this.documents);
      const party = this.parties.of(this.documents);
      const balance = this.#addItem(item, party);
      const isCancelled = item.kind === 'cancelled';
      const isAdded = balance !== undefined;
      this.special.add(this.documents, { sum: isAdded && !isCancelled, cancelled: isAdded && isCancelled });
      each?.(item, balance, party);
    });
  }

  /** The balances in order of first appearance. Throws UsageError for a column that no record has. */
  finish(): AgedBalance[] {
    const { open, credit } = this.#items;
    const wanted: Role[] = this.documents.records > 0 ? ['open'] : [];
    if (open > 0) wanted.push('due');
    if (open > 0 && this.#isPast) wanted.push('date');
    if (open + credit > 0) {
      wanted.push('currency');
      // The name or the fiscal ID of a counterparty is enough.
      if (!this.documents.hasColumnOf('counterpartyFiscalId')) wanted.push('counterpartyName');
    }
    this.documents.refuseWithout(wanted, 'no figures', this.#options.record);
    return [...this.#balances.values()];
  }

  #addItem(item: OpenItem, party: Party): AgedBalance | undefined {
    const { kind } = item;
    const { buckets, asOf } = this.#options;
    if (kind === 'settled') return undefined;
    if (kind === 'unreadable') {
      this.unreadable.noteRole(this.documents, item.role);
      return undefined;
    }
    const isOpen = kind === 'open' || kind === 'credit';
    if (isOpen) this.#items[kind]++;
    const issued = this.#isPast ? dayIn(this.documents, 'date') : undefined;
    if (isOpen && issued === 'unreadable') {
      this.unreadable.noteRole(this.documents, 'date');
      return undefined;
    }
    if (typeof issued === 'number' && issued > asOf) {
      if (isOpen) this.issuedLater++;
      return undefined;
    }
    const balance = this.#balanceOf(party);
    if (kind === 'absent') {
      balance.missing++;
      return undefined;
    }
    const { amount } = item;
    if (kind === 'cancelled') {
      balance.cancelled = addDecimals(balance.cancelled, amount);
      return balance;
    }
    balance.invoices++;
    const age = ageOf(item, buckets, asOf);
    balance.ages[age] = addDecimals(balance.ages[age]!, amount);
    if (kind === 'credit' && this.documents.family === 'credit note')
      balance.creditNotes = addDecimals(balance.creditNotes, amount);
    return balance;
  }

  get #isPast(): boolean {
    return this.#options.asOf < this.#options.today;
  }

  #balanceOf(of: Party): AgedBalance {
    const { profile, currency } = this.documents;
    const party = currency !== undefined || this.#options.ofParties ? of : undefined;
    const text = `${currency ?? ''}\n${profile ?? ''}\n${party?.key ?? ''}`;
    const known = this.#balances.get(text);
    if (known !== undefined) return known;
    if (this.#balances.size === MAX_BALANCES) {
      throw new UsageError(
        `more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`,
        {
          hint: 'The column of the fiscal ID may be the wrong one. To read another, add --field counterpartyFiscalId=<column>.',
        },
      );
    }
    const ages = Array.from({ length: this.#options.buckets.length + 4 }, () => DECIMAL_ZERO);
    const balance: AgedBalance = { ...NOTHING, currency, profile, party, ages };
    this.#balances.set(text, balance);
    return balance;
  }
}

/** Everything that is open: the sum of the ages. */
export function totalOf({ ages }: AgedBalance): Decimal {
  return ages.reduce(addDecimals, DECIMAL_ZERO);
}

/** The part of a balance that is past due: neither not due yet, nor without a due date, nor credits. */
export function overdueOf({ ages }: AgedBalance): Decimal {
  return ages.slice(1, -2).reduce(addDecimals, DECIMAL_ZERO);
}

/** The sum of balances of one currency, without a counterparty. No balances make one without ages. */
export function sumOfBalances(balances: readonly AgedBalance[]): AgedBalance {
  const [first = NOTHING, ...others] = balances;
  const sum = others.reduce(
    (all, one) => ({
      ...all,
      invoices: all.invoices + one.invoices,
      ages: all.ages.map((amount, age) => addDecimals(amount, one.ages[age]!)),
      creditNotes: addDecimals(all.creditNotes, one.creditNotes),
      cancelled: addDecimals(all.cancelled, one.cancelled),
      missing: all.missing + one.missing,
    }),
    first,
  );
  return { ...sum, profile: undefined, party: undefined };
}

interface AgingLayout {
  readonly buckets: Buckets;
  /** Whether totals are rows of their own, marked by `_row`. On a terminal they always are. */
  readonly totals: boolean;
  /** The order of the rows of a currency; without it, the largest total first. */
  readonly sort?: readonly SortColumn[] | undefined;
  /** The most rows of each currency, without its total; all rows without it. */
  readonly limit?: number | undefined;
  /** A remark on all figures. Off a terminal, it is a column `note` of every row. */
  readonly note?: string | undefined;
}

/** A balance in its row, or the total of a currency. */
interface AgingRow {
  readonly balance: AgedBalance;
  /** How many digits its amounts have behind the point. */
  readonly scale: number;
  readonly isTotal: boolean;
}

type AgingColumn = FigureColumn<AgingRow>;

const NO_CURRENCY = 'no currency';
const SPARE = { rank: undefined };
/** Columns of amounts that are not overdue are the first to be left out of a narrow table. */
const RANK_OF_OTHERS = 100;

/**
 * A row for each counterparty and currency, the largest total first, and at the end one for the invoices without a currency.
 *
 * Columns: `_row` where there are totals (the kind of the row: `counterparty`, `no currency`, `total`), `_profile` where there
 * are several, `counterparty`, `fiscalId`, `currency`, `invoices`, the buckets, `no due date`, `credits`, `total` (the sum of
 * the buckets, what has no due date, and the credits), then of the total the part that is credit notes, what was left out
 * since it was cancelled, and how many documents have no open amount; `note`.
 *
 * A terminal has totals and `bar`, but no `_row`, no `note` and no rows without open documents. A narrow one leaves out
 * `fiscalId` and `invoices`, then has `overdue` for the late buckets, so that the columns still add up. Where that is too much,
 * too, it keeps `overdue` the longest.
 */
function agingTable(
  balances: readonly AgedBalance[],
  { buckets, totals, sort, limit, note }: AgingLayout,
  isTerminal: boolean,
): FigureTable<AgingRow> {
  const hasTotals = totals || isTerminal;
  const [first, ...late] = bucketNames(buckets) as [string, ...string[]];
  const overdue = amountColumn('overdue', overdueOf);
  const columns = [
    ...(hasTotals && !isTerminal ? [textColumn('_row', kindOf)] : []),
    ...(balances.some(({ profile }) => profile !== undefined)
      ? [textColumn(PROFILE_COLUMN, ({ balance }) => balance.profile)]
      : []),
    textColumn('counterparty', nameOf),
    { ...textColumn('fiscalId', ({ balance }) => balance.party?.fiscalId?.text), shown: SPARE },
    textColumn('currency', ({ balance }) => balance.currency),
    { ...countColumn('invoices', ({ invoices }) => invoices), shown: SPARE },
    ...ageColumns(buckets).map((name, age): AgingColumn => {
      const rank = [CREDITS, NO_DUE_DATE, first].indexOf(name);
      return {
        ...amountColumn(name, ({ ages }) => ages[age]!),
        ...(rank >= 0 && { shown: { rank: RANK_OF_OTHERS + rank } }),
        hidesZeros: name === NO_DUE_DATE || name === CREDITS,
      };
    }),
    // The total matters most to a reader.
    { ...amountColumn('total', totalOf), shown: { look: 'amount', rank: -1 } as const },
    // These amounts are not in the total: columns of their own report them.
    ...[
      amountColumn('total.creditNotes', ({ creditNotes }) => creditNotes),
      amountColumn('total.cancelled', ({ cancelled }) => cancelled),
      countColumn('total.missing', ({ missing }) => missing),
    ].map((column): AgingColumn => ({ ...column, shown: SPARE, hidesZeros: true })),
    ...(isTerminal || note === undefined ? [] : [textColumn('note', () => note)]),
  ];
  const currencies = byCurrency(balances, ({ currency }) => currency).map((ofOne): readonly AgingRow[] => {
    const scale = widestScale(ofOne.flatMap((one) => [...one.ages, one.creditNotes, one.cancelled]));
    const rows = ofOne
      .filter((one) => hasRow(one, isTerminal))
      .toSorted((a, b) => compareDecimals(totalOf(b), totalOf(a)) || (partyOf(a) < partyOf(b) ? -1 : 1))
      .map((balance): AgingRow => ({ balance, scale, isTotal: false }));
    const sorted = sort === undefined ? rows : sortRows(rows, sort, [...columns, overdue]);
    if (rows.length === 0 || ofOne[0]!.currency === undefined) return sorted;
    const total = hasTotals ? [{ balance: sumOfBalances(ofOne), scale, isTotal: true }] : [];
    return [...sorted.slice(0, limit), ...total];
  });
  const isKnown = ([row]: readonly AgingRow[]): boolean => row?.balance.currency !== undefined;
  return {
    columns,
    // Balances without a currency come last: they are in no total.
    currencies: currencies.toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a))),
    barOf: ({ balance, isTotal }) => (isTotal ? undefined : totalOf(balance)),
    together: { columns: late, as: overdue },
  };
}

/** A terminal has no rows of counterparties with nothing open. */
function hasRow({ invoices }: AgedBalance, isTerminal: boolean): boolean {
  return invoices > 0 || !isTerminal;
}

function textColumn(name: string, textOf: (row: AgingRow) => string | undefined): AgingColumn {
  return { name, type: 'text', json: (row) => textJson(textOf(row)) };
}

function countColumn(name: string, countOf: (balance: AgedBalance) => number): AgingColumn {
  return { name, type: 'count', json: ({ balance }) => String(countOf(balance)) };
}

function amountColumn(name: string, amountOf: (balance: AgedBalance) => Decimal): AgingColumn {
  return { name, type: 'money', json: ({ balance, scale }) => formatDecimal(amountOf(balance), scale) };
}

function kindOf({ balance, isTotal }: AgingRow): string {
  if (isTotal) return 'total';
  return balance.currency === undefined ? NO_CURRENCY : 'counterparty';
}

function nameOf({ balance, isTotal }: AgingRow): string | undefined {
  if (isTotal) return 'Total';
  return balance.party?.name?.text ?? (balance.currency === undefined ? NO_CURRENCY : undefined);
}

/** Orders counterparties of equal totals, so that a service and a database of it have the same rows in the same order. */
function partyOf({ party, profile }: AgedBalance): string {
  return JSON.stringify([party?.name?.text ?? '', party?.fiscalId?.text ?? '', profile ?? '']);
}

/** Sorts rows like records, those without a value last. Throws UsageError for a key that is not a column. */
function sortRows(
  rows: readonly AgingRow[],
  keys: readonly SortColumn[],
  columns: readonly AgingColumn[],
): AgingRow[] {
  const keyNames = keys.map(({ column }) => column);
  chosenColumns(
    columns.map(({ name }) => name),
    keyNames,
    '--sort',
  );
  const sorted = keys.map(({ column, descending }) => {
    const { name, json } = columns.find((one) => one.name === column)!;
    const orderIn = (row: AgingRow) => orderOf(cellOf(json(row)), name === 'fiscalId');
    return (a: AgingRow, b: AgingRow) => compareOrders(orderIn(a), orderIn(b), descending);
  });
  return rows.toSorted((a, b) => sorted.reduce((order, compare) => order || compare(a, b), 0));
}

function cellOf(json: string): Cell | undefined {
  if (json === 'null') return undefined;
  return json.startsWith('"')
    ? { kind: 'string', text: JSON.parse(json) as string }
    : { kind: 'number', text: json };
}

/** The question that `folio aging` asks: open amounts by how long they are overdue. */
export function agingQuestion(
  options: AgingOptions,
  layout: Omit<AgingLayout, 'note' | 'buckets'>,
  terminal: BarTerminal | undefined,
): Question {
  const aging = new Aging(options);
  const { asOf, today, buckets } = options;
  // Open amounts are as of the day on which the records were read.
  const missing =
    asOf < today
      ? `payments after ${formatDay(asOf)} are not undone`
      : 'what was issued or paid since is not in them';
  const note = asOf === today ? undefined : `balances of ${formatDay(today)}: ${missing}`;
  let balances: readonly AgedBalance[] = [];
  const remarks = (): Finding[] => {
    const remark = (text: string): Finding => ({ level: 'remark', text });
    const open = countOf(sumOf(balances.map(({ invoices }) => invoices)), 'open document');
    const later = aging.issuedLater;
    const left = later === 0 ? '' : `; ${countOf(later, 'open document')} issued later left out`;
    const rows = balances.filter((one) => hasRow(one, terminal !== undefined));
    const known = rows.filter(({ currency }) => currency !== undefined);
    const { limit = Infinity } = layout;
    const ofOne = byCurrency(known, ({ currency }) => currency);
    const shown = sumOf(ofOne.map(({ length }) => Math.min(length, limit)));
    const more = remark(`${shown} of ${known.length} shown; totals are of all`);
    const absent = sumOf(balances.map((one) => one.missing));
    return [
      remark(`${open} as of ${formatDay(asOf)}; the columns are days overdue`),
      ...(note === undefined ? [] : [remark(`${note}${left}`)]),
      ...aging.special.clauses('open').map(remark),
      ...(shown < known.length ? [{ ...more, details: { code: 'more rows' } as const }] : []),
      ...(absent > 0 ? [remark(`${countOf(absent, 'document')} without an open amount`)] : []),
    ];
  };
  return figuresQuestion<AgingRow>(
    {
      sample: (batch) => aging.sample(batch),
      add: (batch) => aging.add(batch),
      table: (isTerminal) => {
        balances = aging.finish();
        return agingTable(balances, { ...layout, buckets, note }, isTerminal);
      },
      findings: () => {
        const hasOpen = (profile: string): boolean =>
          balances.some(
            (one) => one.profile === profile && one.ages.slice(0, -1).some((age) => age.coefficient),
          );
        return [
          ...remarks(),
          ...aging.documents.profilesWithout('aging', { roles: ['open', 'currency'] }),
          ...aging.documents.profilesWithout('aging', { roles: ['due'] }, hasOpen),
          aging.unreadable.finding('aging'),
        ];
      },
    },
    terminal,
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
