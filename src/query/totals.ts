import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { worthOfCell, type Added } from '../invoices/open-items.ts';
import {
  meaningOf,
  withCurrencyOf,
  type Meanings,
  fieldsOfColumns,
  isAmountRole,
  type DeclaredType,
  type Role,
} from '../invoices/fields.ts';
import { SpecialDocuments, Unreadable } from '../invoices/left-out.ts';
import { Counterparties, type Party } from '../invoices/counterparties.ts';
import { DOCUMENT_ROLES, DocumentReader } from '../invoices/document-reader.ts';
import { calendarName } from '../invoices/periods.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { cellJson, firstFilled, isFilled, type Cell } from '../json/cells.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { cellOrder, compareOrders, orderOf } from './cell-order.ts';
import { figuresQuestion, type BarTerminal, type FigureColumn, type FigureTable } from './figure-table.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import { groupColumn, type GroupColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import { byCurrency, textJson } from './result-rows.ts';

/** The flags of totals. Without `sum` records are counted; without `groupBy` there is one group of everything. */
interface TotalsFlags {
  readonly sum?: readonly string[] | undefined;
  /** Columns, optionally with a calendar unit: `date:month`. */
  readonly groupBy?: readonly string[] | undefined;
  readonly asSent?: boolean | undefined;
  /** The list whose objects are the rows. */
  readonly expand?: string | undefined;
  readonly limit?: number | undefined;
}

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
interface Group {
  /** Aligned with `--group-by`. */
  readonly values: readonly (Cell | undefined)[];
  /** The roles of these columns in the records of the group's profile. */
  readonly roles: readonly (Role | undefined)[];
  readonly currency: string | undefined;
  readonly party: Party | undefined;
  records: number;
  /** In the order of `--sum`. */
  readonly sums: readonly Sum[];
}

interface Sum {
  readonly of: NamedColumn;
  total: Decimal;
  creditNotes: Decimal;
  /** The part of the total that is cancelled documents; of open amounts, what was left out of the total. */
  cancelled: Decimal;
  /** How many of the group's records that sums include have no value in the column. */
  missing: number;
  isFound: boolean;
  isUnreadable: boolean;
  /** Decimal places in its row: the most of this sum in any group of the currency. */
  scale: number;
}

type GroupsColumn = FigureColumn<Group>;

interface NamedColumn {
  readonly column: string;
  /** Its index among the names that the documents are read by. */
  readonly at: number;
  /** Its roles in the records of any profile. */
  readonly roles: readonly Role[];
  /** Undefined for an undeclared column, which may be money. */
  readonly type: DeclaredType | undefined;
  /** Records left out of a group or a total because their cell cannot be read. */
  readonly unreadable: Unreadable;
  isFound: boolean;
}

type KeyColumn = NamedColumn & GroupColumn;

/** The most groups, of a few hundred bytes each. More would mean a column with a different value in every record. */
const MAX_GROUPS = 100_000;

const PARTY_ROLES = ['counterpartyName', 'counterpartyFiscalId'] as const satisfies readonly Role[];
const isOfParty = (role: Role | undefined): boolean => PARTY_ROLES.some((one) => one === role);

/** The column of a result with the currency of its amounts, whatever the records call it. */
const CURRENCY = 'currency';
/** The column of a result with the number of its records. */
const RECORDS = 'records';

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(
  flags: TotalsFlags,
  meanings: Meanings,
  terminal: BarTerminal | undefined,
): Question {
  const totals = new Totals(flags, meanings);
  const sorting = { what: 'row', meanings: meaningsOfTotals(flags, meanings) };
  return { ...figuresQuestion(totals, terminal), sorting };
}

/** Adds up columns of the records by group and currency, exactly. Its memory grows with the groups, not with the records. */
class Totals {
  readonly #flags: TotalsFlags;
  readonly #keys: readonly KeyColumn[];
  readonly #sums: readonly NamedColumn[];
  readonly #documents: DocumentReader;
  readonly #parties: Counterparties;
  readonly #asSent: boolean;
  readonly #groups = new Map<string, Group>();
  readonly #special = new SpecialDocuments();
  /** Whether any amount of money is not zero: then each total needs a currency, known or not. */
  #hasAmounts = false;
  /** Whether any such amount has no currency. */
  #hasUnknown = false;
  /** Of rows of a list: the records, whose currency counts where a row has none of its own. */
  readonly #ofRows: DocumentReader | undefined;

  constructor(flags: TotalsFlags, ofRecords: Meanings) {
    const { sum = [], groupBy = [], expand } = flags;
    const meanings = expand === undefined ? ofRecords : withCurrencyOf(expand, ofRecords);
    if (expand !== undefined)
      this.#ofRows = new DocumentReader(ofRecords, { roles: ['currency'], names: [] });
    const named = (column: string, at: number): NamedColumn => ({
      ...meaningOf(column, meanings),
      ...{ column, at, unreadable: new Unreadable(), isFound: false },
    });
    this.#flags = flags;
    // A payment counts as paid, even if its document is a credit note.
    this.#asSent = flags.asSent ?? expand !== undefined;
    this.#keys = groupBy.map((text, at) => {
      const { column, unit } = groupColumn(text);
      return { ...named(column, at), unit };
    });
    this.#sums = sum.map((column, at) => named(column, groupBy.length + at));
    const columns = this.#keys.map(({ column }) => column);
    this.#documents = new DocumentReader(meanings, { roles: DOCUMENT_ROLES, names: [...columns, ...sum] });
    // The column of --group-by goes before the column of the role.
    this.#parties = new Counterparties(meanings, columns, (document, role) => {
      const at = columns.findIndex((_, index) => document.roleOfName(index) === role);
      return at === -1 ? document.cell(role) : firstFilled([document.named(at)]);
    });
  }

  sample(batch: RecordBatch): void {
    this.#documents.sample(batch);
    this.#ofRows?.sample(batch);
    if (this.#keys.some(({ roles }) => roles.some(isOfParty))) this.#parties.sample(batch);
  }

  add(batch: RecordBatch): void {
    this.#ofRows?.fold(batch, () => {});
    this.#documents.fold(batch, () => {
      const group = this.#groupOf();
      if (group === undefined) return;
      let unreadable = 0;
      const changes = { sum: false, cancelled: false };
      for (const sum of group.sums) {
        const added = this.#addCell(sum);
        if (added === 'unreadable') unreadable++;
        else if (added !== undefined) {
          changes.sum ||= added.amount.coefficient !== 0n;
          changes.cancelled ||= added.cancelled.coefficient !== 0n;
        }
      }
      // A record counts if any of its amounts is in a total.
      if (unreadable === 0 || unreadable < group.sums.length) group.records++;
      if (group.sums.length > 0) this.#special.add(this.#documents, changes);
    });
  }

  /** The group of the current record; undefined if a cell that has to be a date is not one. */
  #groupOf(): Group | undefined {
    const documents = this.#documents;
    const values: (Cell | undefined)[] = [];
    let [hasCurrency, party, key] = [this.#sums.length > 0, undefined as Party | undefined, ''];
    for (const column of this.#keys) {
      const role = documents.roleOfName(column.at);
      const value = this.#groupValue(column, role, documents.named(column.at));
      if (value === 'unreadable') return undefined;
      values.push(value);
      if (role === 'currency') hasCurrency = false;
      if (isOfParty(role)) party = this.#parties.of(documents);
      else key += `${identity(value)}\n`;
    }
    const currency = hasCurrency ? documents.currency : undefined;
    key += `${currency ?? ''}\n${party?.key ?? ''}`;
    return this.#groups.get(key) ?? this.#newGroup(key, { values, currency, party });
  }

  /** The cell by which a record is grouped: the name of its month, where that is the unit of the column. */
  #groupValue(key: KeyColumn, role: Role | undefined, sent: Cell | undefined) {
    const cell = role === 'currency' ? textCell(this.#documents.currency) : sent;
    if (key.unit === undefined || !isFilled(cell)) return cell;
    if (cell.kind !== 'string' || parseCalendarDay(cell.text) === undefined) {
      key.unreadable.noteCell(this.#documents, key.column, cell);
      return 'unreadable';
    }
    key.isFound = true;
    return { kind: 'string', text: calendarName(cell.text, key.unit) } as const;
  }

  #newGroup(key: string, of: Pick<Group, 'values' | 'currency' | 'party'>): Group {
    if (this.#groups.size === MAX_GROUPS) {
      const typed = this.#flags.groupBy!.map((column) => `--group-by ${column}`).join(' ');
      throw new UsageError(`${typed} makes more than ${MAX_GROUPS.toLocaleString('en')} groups`, {
        hint: 'Group by a column that has fewer different values, or export the records and group them elsewhere.',
      });
    }
    const [total, creditNotes, cancelled] = [DECIMAL_ZERO, DECIMAL_ZERO, DECIMAL_ZERO];
    const sums = this.#sums.map((column): Sum => ({
      of: column,
      total,
      creditNotes,
      cancelled,
      missing: 0,
      isFound: false,
      isUnreadable: false,
      scale: 0,
    }));
    const roles = this.#keys.map(({ at }) => this.#documents.roleOfName(at));
    const group = { ...of, roles, records: 0, sums };
    this.#groups.set(key, group);
    return group;
  }

  /** Adds the cell of a column to a sum. Returns the added amount if it is an amount of a document. */
  #addCell(sum: Sum): Added | 'unreadable' | undefined {
    const documents = this.#documents;
    const column = sum.of;
    const role = documents.roleOfName(column.at);
    const amountRole = isAmountRole(role) ? role : undefined;
    const cell = documents.named(column.at);
    const worth = worthOfCell(documents, this.#asSent ? undefined : amountRole, cell);
    // A column of amounts can always be added up.
    if (amountRole !== undefined) column.isFound = true;
    if (worth === 'absent') sum.missing++;
    else if (worth === 'unreadable') {
      column.unreadable.noteCell(documents, column.column, cell!);
      sum.isUnreadable = true;
      return worth;
    }
    if (typeof worth === 'string') return undefined;
    const { amount, cancelled } = worth;
    sum.isFound = column.isFound = true;
    if (amount.coefficient !== 0n && this.#mayBeMoney(column)) {
      this.#hasAmounts = true;
      this.#hasUnknown ||= documents.currency === undefined;
    }
    sum.total = addDecimals(sum.total, amount);
    if (documents.family === 'credit note') sum.creditNotes = addDecimals(sum.creditNotes, amount);
    sum.cancelled = addDecimals(sum.cancelled, cancelled);
    return amountRole === undefined ? undefined : worth;
  }

  #mayBeMoney({ type }: NamedColumn): boolean {
    return type === 'money' || (type === undefined && this.#flags.asSent !== true);
  }

  /** Throws UsageError for a column that no record has, or that has no dates or numbers where it needs them. */
  #check(): void {
    const documents = this.#documents;
    const ofFlags = { '--group-by': this.#keys, '--sum': this.#sums };
    for (const [flag, named] of Object.entries(ofFlags)) {
      const names = named.map(({ column }) => column);
      refuseLists(documents, flag, names);
      refuseMissing(documents, flag, { names });
    }
    for (const { column, unit, roles, unreadable, isFound } of this.#keys) {
      if (unreadable.count === 0 || isFound || roles.includes('date') || roles.includes('due')) continue;
      throw new UsageError(`${column} cannot be grouped by ${unit}: ${unreadable.first}, not a date`, {
        hint: 'Name a column of dates: they begin with year, month and day, as in 2024-10-15.',
      });
    }
    if (this.#hasAmounts) this.#refuseWithoutCurrency();
    if (this.#hasUnknown) this.#ofRows?.refuseWithout(['currency'], 'no figures');
    for (const { column, unreadable, isFound } of this.#sums) {
      if (unreadable.count === 0 || isFound) continue;
      throw new UsageError(`${column} cannot be added up: ${unreadable.first}, not a number`, {
        hint: 'Sum a column of amounts; --list-columns names the columns.',
      });
    }
  }

  #refuseWithoutCurrency(): void {
    const documents = this.#documents;
    if (this.#sums.some(({ type }) => type === 'money') || documents.hasColumnOf('currency'))
      return documents.refuseWithout(['currency'], 'no figures');
    const columns = this.#sums.map(({ column }) => column).join(', ');
    const { text, hint } = documents.noneHas('currency');
    throw new UsageError(`no figures: ${text}`, {
      hint: `If ${columns} is not money, add --as-sent. ${hint}`,
    });
  }

  /**
   * A row for each group. Currencies come in order of first appearance; within each, periods of the calendar in their order, then
   * the group with the largest first total, or the most records. Bars show the first total, or the records. Throws UsageError for
   * a column that no record has.
   */
  table(): FigureTable<Group> {
    const { sum = [], groupBy = [] } = this.#flags;
    this.#check();
    if (this.#documents.records === 0 && groupBy.length === 0)
      this.#newGroup('', { values: [], currency: undefined, party: undefined });
    const groups = [...this.#groups.values()].map(withPartyNamed);
    const needsCurrency = ({ currency, roles }: Group): boolean =>
      currency !== undefined || (this.#hasAmounts && !roles.includes('currency'));
    const extra: string[] = [this.#otherColumn() ?? []].flat();
    if (groups.some(needsCurrency)) extra.push(CURRENCY);
    const names = [RECORDS, ...extra, ...groupBy, ...sum];
    const clash = names.find((name, at) => names.indexOf(name) !== at);
    if (clash !== undefined) {
      throw new UsageError(`${clash} can mean two columns of the result, which have the same name`, {
        hint: 'Export the records, and add them up elsewhere.',
      });
    }
    const currencies = byCurrency(groups, currencyOf);
    for (const ofOne of currencies) this.#alignScales(ofOne);
    return {
      columns: columnsOf(this.#flags, extra, (at) => this.#sums[at]!.roles.some(isAmountRole)),
      currencies: currencies.map((ofOne) =>
        ofOne.toSorted((a, b) => this.#comparePeriods(a, b) || compareDecimals(sizeOf(b), sizeOf(a))),
      ),
      barOf: sizeOf,
    };
  }

  /** Gives the totals of a column as many decimal places as the most of any group of the currency. */
  #alignScales(ofOne: readonly Group[]): void {
    for (const at of this.#sums.keys()) {
      const sums = ofOne.map((group) => group.sums[at]!);
      const scale = widestScale(sums.flatMap((one) => [one.total, one.creditNotes, one.cancelled]));
      for (const one of sums) one.scale = scale;
    }
  }

  /** The column for the fiscal IDs or the names of counterparties, where `--group-by` names only the other of the two. */
  #otherColumn(): string | undefined {
    const [hasName, hasId] = PARTY_ROLES.map((role) => this.#keys.some(({ roles }) => roles.includes(role)));
    if (hasName === hasId) return undefined;
    if (hasId) return 'counterparty';
    return this.#documents.has('counterpartyFiscalId') ? 'fiscalId' : undefined;
  }

  /** Compares groups by their days, months, quarters or years: the earliest first, those without a date last. */
  #comparePeriods(a: Group, b: Group): number {
    for (const [at, { unit }] of this.#keys.entries()) {
      if (unit === undefined) continue;
      const order = compareOrders(orderOf(a.values[at]), orderOf(b.values[at]));
      if (order !== 0) return order;
    }
    return 0;
  }

  /** Findings about records that were left out or counted differently. */
  findings(): Finding[] {
    const { sum = [], limit = Infinity } = this.#flags;
    const flag = sum.length > 0 ? '--sum' : '--group-by';
    const columns = this.#keys.map(({ column }) => column);
    const roles = this.#sums.flatMap((sum) => sum.roles).filter(isAmountRole);
    const [isOpen, isOther] = [roles.includes('open'), roles.some((role) => role !== 'open')];
    const ofAmounts = isOpen ? (isOther ? 'both' : 'open') : 'other';
    const clauses = roles.length > 0 && !this.#asSent ? this.#special.clauses(ofAmounts) : [];
    const remarks: Finding[] = [];
    if (clauses.length > 0) remarks.push({ level: 'remark', text: `--sum: ${clauses.join('; ')}` });
    if (this.#groups.size > limit) {
      const text = `${limit} of ${countOf(this.#groups.size, 'group')}`;
      remarks.push({ level: 'remark', text, details: { code: 'more rows' } });
    }
    return [
      ...remarks,
      ...missingColumns(this.#documents, flag),
      ...this.#keys.map(({ unreadable }) => unreadable.finding(flag)),
      ...this.#sums.map(({ column, unreadable }) =>
        unreadable.finding(sum.length === 1 ? flag : `${flag} ${column}`),
      ),
      ...this.#documents.profilesWithout(flag, { roles: this.#hasAmounts ? ['currency'] : [], names: sum }),
      ...this.#documents.profilesWithout('--group-by', { namesElsewhere: columns }),
    ];
  }
}

/** Each currency has its own scale and order, also where --group-by names it. */
function currencyOf({ currency, values, roles }: Group): string | undefined {
  return currency ?? values[roles.indexOf('currency')]?.text;
}

/** The group with the one name and the one spelling of the fiscal ID that its counterparty has in all rows. */
function withPartyNamed(group: Group): Group {
  const { name, fiscalId } = group.party ?? {};
  const values = group.values.map((cell, at) => {
    const role = group.roles[at];
    if (role === 'counterpartyName') return name;
    return role === 'counterpartyFiscalId' ? fiscalId : cell;
  });
  return { ...group, values };
}

/**
 * The columns of `--group-by`; where groups are counterparties, `fiscalId` beside the name, or `counterparty` beside the ID;
 * `currency`; `records`; and for each `--sum` its column, null where no record of the group has a value in it, and beside an
 * amount of documents the parts of the total that are credit notes and cancelled documents, and in `<column>.missing` how many
 * records have no value.
 *
 * @param extra which of `fiscalId`, `counterparty` and `currency` there are
 * @param isOfDocuments whether a sum is of amounts of documents
 */
function columnsOf(
  { sum = [], groupBy = [] }: TotalsFlags,
  extra: readonly string[],
  isOfDocuments: (at: number) => boolean = () => true,
): GroupsColumn[] {
  const cellColumn = (name: string, cellOf: (group: Group) => Cell | undefined): GroupsColumn => ({
    ...{ name, type: 'text' },
    json: (group) => cellJson(firstFilled([cellOf(group)])),
  });
  const sumColumn = (name: string, type: DeclaredType, json: GroupsColumn['json']): GroupsColumn => ({
    ...{ name, type, json, hidesZeros: true },
  });
  const all = [
    ...groupBy.map((name, at) => cellColumn(name, ({ values }) => values[at])),
    ...[
      cellColumn('fiscalId', ({ party }) => party?.fiscalId),
      cellColumn('counterparty', ({ party }) => party?.name),
      { name: CURRENCY, type: 'text', json: (group: Group) => textJson(currencyOf(group)) } as const,
    ].filter(({ name }) => extra.includes(name)),
    { name: RECORDS, type: 'count', json: ({ records }: Group) => String(records) } as const,
    ...sum.flatMap((name, at): GroupsColumn[] => {
      const amount =
        (part: 'total' | 'creditNotes' | 'cancelled') =>
        ({ sums }: Group): string =>
          formatDecimal(sums[at]![part], sums[at]!.scale);
      return [
        {
          name,
          type: 'money',
          json: (group) => (isKnown(group.sums[at]!) ? amount('total')(group) : 'null'),
        },
        ...(isOfDocuments(at)
          ? [
              sumColumn(`${name}.creditNotes`, 'money', amount('creditNotes')),
              sumColumn(`${name}.cancelled`, 'money', amount('cancelled')),
            ]
          : []),
        sumColumn(`${name}.missing`, 'count', ({ sums }) => String(sums[at]!.missing)),
      ];
    }),
  ];
  // Readers look first for the columns of the flags: the first total, its group, the other totals. The rest follows.
  const [first = RECORDS, ...others] = sum;
  const named = [...new Set([first, ...groupBy, CURRENCY, ...others])];
  const shownOf = (name: string) =>
    named.includes(name) ? { rank: named.indexOf(name) - named.length } : undefined;
  // Each column is there once, even if flags name it twice.
  const byName = new Map(all.map((column) => [column.name, { ...column, shown: shownOf(column.name) }]));
  return [...byName.values()];
}

function possibleColumns(flags: TotalsFlags): GroupsColumn[] {
  const ofParties = (flags.groupBy ?? []).length > 0 ? ['fiscalId', 'counterparty'] : [];
  return columnsOf(flags, [...ofParties, ...((flags.sum ?? []).length > 0 ? [CURRENCY] : [])]);
}

export function columnsOfTotals(flags: TotalsFlags): readonly string[] {
  return possibleColumns(flags).map(({ name }) => name);
}

/** What the columns of the totals mean: amounts are money of the currency beside them. */
function meaningsOfTotals(flags: TotalsFlags, meanings: Meanings): Meanings {
  const currency =
    flags.groupBy?.find((column) => meaningOf(column, meanings).roles.includes('currency')) ?? CURRENCY;
  const money = possibleColumns(flags).filter(({ type }) => type === 'money');
  const columns = money.map(({ name }) => [name, 'money'] as const);
  return { fields: { usual: fieldsOfColumns([[currency, 'text', 'currency'], ...columns]) } };
}

/** Whether a sum is a figure: without an amount, that of no records, and of documents that are in no sum, is 0. */
function isKnown({ isFound, missing, isUnreadable }: Sum): boolean {
  return isFound || (missing === 0 && !isUnreadable);
}

/** The value by which groups are ordered, and which bars show. */
function sizeOf({ sums, records }: Group): Decimal {
  return sums[0]?.total ?? { coefficient: BigInt(records), scale: 0 };
}

function textCell(text: string | undefined): Cell | undefined {
  return text === undefined ? undefined : { kind: 'string', text };
}

/** A key that is equal for cells of one group: for 1.0 and 1.00, for a missing cell and empty text, but not for 1 and "1". */
function identity(cell: Cell | undefined): string {
  if (!isFilled(cell)) return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : `${cell.kind[0]}${cell.text.length} ${cell.text}`;
}
