import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { readAmount, worthOfCell } from '../invoices/open-items.ts';
import {
  isCurrency,
  isMoney,
  isUndeclared,
  roleNamed,
  withCurrencyOf,
  type ColumnNames,
  fieldsOfColumns,
  howToMap,
  isAmountRole,
  ROLE_TYPES,
  type AmountRole,
  type DeclaredType,
  type Role,
} from '../invoices/fields.ts';
import { SpecialDocuments, Unreadable } from '../invoices/left-out.ts';
import { Counterparties } from '../invoices/counterparties.ts';
import { bareCurrency, DOCUMENT_ROLES } from '../invoices/document.ts';
import { DocumentReader, type PlaceOf } from '../invoices/document-reader.ts';
import { calendarName } from '../invoices/periods.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { cellJson, isFilled, type Cell } from '../json/cells.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { cellOrder, compareOrders, orderOf } from './cell-order.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import { groupColumn, type GroupColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import {
  byCurrency,
  isZeroIn,
  resultQuestion,
  resultRows,
  textJson,
  type MeasuredRow,
  type ResultContext,
  type ResultRows,
  type RowField,
} from './result-rows.ts';

/** The flags of totals. Without `sum` records are counted; without `groupBy` there is one group of everything. */
interface TotalsFlags {
  readonly sum?: readonly string[] | undefined;
  /** Columns, perhaps with a unit of the calendar: `date:month`. */
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
  readonly currency: string | undefined;
  /** The key of its counterparty. */
  readonly party: string | undefined;
  records: number;
  /** Aligned with `--sum`. */
  readonly sums: Sum[];
}

interface Sum {
  total: Decimal;
  creditNotes: Decimal;
  /** The part of the total that is cancelled documents; of open amounts, what was left out of the total. */
  cancelled: Decimal;
  /** Records of the group that have no value in the column, of those that are in sums. */
  missing: number;
  isFound: boolean;
}

interface KeyColumn extends GroupColumn {
  /** Its role, unless a profile's settings give it another. */
  readonly role: Role | undefined;
  /** Records without a group, since the date cannot be read. */
  readonly unreadable: Unreadable;
  isFound: boolean;
}

interface SumColumn {
  readonly column: string;
  readonly role: Role | undefined;
  readonly isMoney: boolean;
  readonly needsCurrency: boolean;
  /** Records that are left out of its total. */
  readonly unreadable: Unreadable;
  isFound: boolean;
}

interface CellWorth {
  readonly amount: Decimal;
  readonly cancelled: Decimal;
}

/** The most groups, of a few hundred bytes each. Nobody groups by a column that is different in every record. */
const MAX_GROUPS = 100_000;

/** The most combinations of cells whose group is remembered. */
const MAX_REMEMBERED = 20_000;

const PARTY_ROLES: readonly (Role | undefined)[] = ['counterpartyName', 'counterpartyFiscalId'];

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(flags: TotalsFlags, names: ColumnNames, context: ResultContext): Question {
  const { expand } = flags;
  const totals = new Totals(flags, expand === undefined ? names : withCurrencyOf(expand, names));
  return resultQuestion(totals, context);
}

/** Adds up columns of the records by group and currency, exactly. Its memory grows with the groups, not with the records. */
class Totals {
  readonly shown: ShownColumns;
  readonly typeOf: (column: string) => DeclaredType;
  readonly #flags: TotalsFlags;
  readonly #keys: readonly KeyColumn[];
  readonly #sums: readonly SumColumn[];
  readonly #documents: DocumentReader;
  readonly #parties: Counterparties;
  readonly #asSent: boolean;
  readonly #groups = new Map<string, Group>();
  /** Groups by the cells of their records as written: most records are like an earlier one. */
  readonly #remembered = new Map<string, Group>();
  readonly #special = new SpecialDocuments();
  /** Whether the totals have any amount of money other than zero: then each has a currency, known or not. */
  #hasAmounts = false;

  constructor(flags: TotalsFlags, names: ColumnNames) {
    const { sum = [], groupBy = [], expand } = flags;
    const roleOf = (column: string): Role | undefined => roleNamed(column, names, names.fields.usual);
    this.#flags = flags;
    this.shown = shownOf(flags);
    this.typeOf = (column) => typeOf(column, flags);
    // A payment of a credit note is what was paid, whatever the document is worth.
    this.#asSent = flags.asSent ?? expand !== undefined;
    this.#keys = groupBy.map((text): KeyColumn => {
      const { column, unit } = groupColumn(text);
      return { column, unit, role: roleOf(column), unreadable: new Unreadable(), isFound: false };
    });
    this.#sums = sum.map((column): SumColumn => ({
      column,
      role: roleOf(column),
      isMoney: isMoney(column, names),
      // A column that nothing declares may be money, unless --as-sent is there.
      needsCurrency: isMoney(column, names) || (flags.asSent !== true && isUndeclared(column, names)),
      unreadable: new Unreadable(),
      isFound: false,
    }));
    const columns = this.#keys.map(({ column }) => column);
    this.#documents = new DocumentReader(names, { roles: DOCUMENT_ROLES, names: [...columns, ...sum] });
    // From the column of --group-by, else from that of the role.
    this.#parties = new Counterparties(names, columns, (document, role) => {
      const at = columns.findIndex((_, index) => document.roleOfName(index) === role);
      return at === -1 ? document.cell(role) : filled(document.named(at));
    });
  }

  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void {
    this.#documents.sample(batch);
    if (this.#keys.some(({ role }) => PARTY_ROLES.includes(role))) this.#parties.sample(batch);
  }

  /** @param placeOf the place in the listing, from 1, of the nth record that is added */
  add(batch: RecordBatch, placeOf?: PlaceOf): void {
    const addDocument = (): void => {
      const group = this.#groupOf();
      if (group === undefined) return;
      let unreadable = 0;
      const changes = { sum: false, cancelled: false };
      for (const [index, total] of group.sums.entries()) {
        const worth = this.#addCell(total, index);
        if (worth === 'unreadable') unreadable++;
        else if (worth !== undefined) {
          changes.sum ||= worth.amount.coefficient !== 0n;
          changes.cancelled ||= worth.cancelled.coefficient !== 0n;
        }
      }
      // A record counts if any of its amounts is in a total.
      if (unreadable === 0 || unreadable < group.sums.length) group.records++;
      if (group.sums.length > 0) this.#special.add(this.#documents, changes);
    };
    this.#documents.fold(batch, addDocument, placeOf);
  }

  /** The group of the current record; undefined where it has none. */
  #groupOf(): Group | undefined {
    const documents = this.#documents;
    const cells = documents.namedCells(0, this.#keys.length);
    const roles = cells.map((_, at) => documents.roleOfName(at));
    const isOfParty = roles.some((role) => PARTY_ROLES.includes(role));
    const party = isOfParty ? this.#parties.of(documents).key : undefined;
    const hasCurrency = this.#sums.length > 0 && !roles.includes('currency');
    const written = hasCurrency ? documents.text('currency') : undefined;
    const text =
      [documents.profile, party, written].map(lengthAndText).join('') + cells.map(writtenCell).join('');
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const values = this.#groupValues(cells, roles);
    if (values === undefined) return undefined;
    const currency = bareCurrency(written);
    const others = values.filter((_, at) => !PARTY_ROLES.includes(roles[at]));
    const key = [currency ?? '', ...others.map(identity), party ?? ''].join('\n');
    const group = this.#groups.get(key) ?? this.#newGroup(key, { values, currency, party });
    if (this.#remembered.size === MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, group);
    return group;
  }

  /** The cells by which a record is grouped. Undefined where one has to be a date and is none. */
  #groupValues(cells: readonly (Cell | undefined)[], roles: readonly (Role | undefined)[]) {
    const values = [...cells];
    for (const [at, key] of this.#keys.entries()) {
      if (roles[at] === 'currency') values[at] = asCurrency(cells[at]);
      const cell = filled(values[at]);
      if (key.unit === undefined || cell === undefined) continue;
      const day = cell.kind === 'string' ? parseCalendarDay(cell.text) : undefined;
      if (day === undefined) {
        key.unreadable.noteCell(this.#documents, key.column, cell);
        return undefined;
      }
      key.isFound = true;
      values[at] = { kind: 'string', text: calendarName(day, key.unit) };
    }
    return values;
  }

  #newGroup(key: string, { values, currency, party }: Pick<Group, 'values' | 'currency' | 'party'>): Group {
    const { sum = [], groupBy = [] } = this.#flags;
    if (this.#groups.size === MAX_GROUPS) {
      const typed = groupBy.map((column) => `--group-by ${column}`).join(' ');
      throw new UsageError(`${typed} makes more than ${MAX_GROUPS.toLocaleString('en')} groups`, {
        hint: 'Group by a column that has fewer different values, or export the records and group them elsewhere.',
      });
    }
    const sums = sum.map((): Sum => ({
      total: DECIMAL_ZERO,
      creditNotes: DECIMAL_ZERO,
      cancelled: DECIMAL_ZERO,
      missing: 0,
      isFound: false,
    }));
    const group = { values, currency, party, records: 0, sums };
    this.#groups.set(key, group);
    return group;
  }

  /** What a cell adds to a sum. A column without a role is added as it stands, and so are all with --as-sent. */
  #worthOf(role: AmountRole | undefined, cell: Cell | undefined): string | CellWorth {
    const isCancelled = this.#documents.validity === 'cancelled';
    if (role === undefined || this.#asSent) {
      const amount = readAmount(cell);
      return typeof amount === 'string' ? amount : { amount, cancelled: isCancelled ? amount : DECIMAL_ZERO };
    }
    const worth = worthOfCell(this.#documents, role, cell);
    if (typeof worth === 'string') return worth;
    const { amount, leftOut } = worth;
    return { amount, cancelled: role === 'open' ? leftOut : isCancelled ? amount : DECIMAL_ZERO };
  }

  /** Adds the cell of a column to a sum, and returns what it is worth, where that is an amount of documents. */
  #addCell(total: Sum, index: number): CellWorth | 'unreadable' | undefined {
    const documents = this.#documents;
    const column = this.#sums[index]!;
    const at = this.#keys.length + index;
    const own = documents.roleOfName(at);
    const role = isAmountRole(own) ? own : undefined;
    const cell = documents.named(at);
    const worth = this.#worthOf(role, cell);
    // A column of amounts may be added up, whatever is in it.
    if (role !== undefined) column.isFound = true;
    if (worth === 'absent') total.missing++;
    else if (worth === 'unreadable') {
      column.unreadable.noteCell(documents, column.column, cell!);
      return worth;
    }
    if (typeof worth === 'string') return undefined;
    const { amount, cancelled } = worth;
    total.isFound = column.isFound = true;
    if (column.needsCurrency && amount.coefficient !== 0n) this.#hasAmounts = true;
    total.total = addDecimals(total.total, amount);
    if (documents.family === 'credit note') total.creditNotes = addDecimals(total.creditNotes, amount);
    total.cancelled = addDecimals(total.cancelled, cancelled);
    return role === undefined ? undefined : worth;
  }

  /** Throws UsageError for a column that no record has, or that is none of dates or numbers. */
  #check(): void {
    const documents = this.#documents;
    refuseLists(documents, 'nothing to add up');
    refuseMissing(documents, 'nothing to add up');
    for (const { column, unit, role, unreadable, isFound } of this.#keys) {
      if (unreadable.count === 0 || isFound || (role !== undefined && ROLE_TYPES.get(role) === 'date'))
        continue;
      throw new UsageError(`${column} cannot be grouped by ${unit}: ${unreadable.first}, not a date`, {
        hint: 'Name a column of dates: they begin with year, month and day, as in 2024-10-15.',
      });
    }
    if (this.#hasAmounts) this.#refuseWithoutCurrency();
    for (const { column, unreadable, isFound } of this.#sums) {
      if (unreadable.count === 0 || isFound) continue;
      throw new UsageError(`${column} cannot be added up: ${unreadable.first}, not a number`, {
        hint: 'Sum a column of amounts; --list-columns names the columns.',
      });
    }
  }

  #refuseWithoutCurrency(): void {
    const documents = this.#documents;
    if (this.#sums.some((column) => column.isMoney) || documents.hasColumnOf('currency'))
      return documents.refuseWithout(['currency'], 'no figures');
    const columns = this.#sums.map(({ column }) => column).join(', ');
    const currencyHint = howToMap('currency');
    throw new UsageError(`no figures: no record has ${documents.describe('currency')}`, {
      hint: `If ${columns} is no money, add --as-sent. ${currencyHint}`,
    });
  }

  /** The column for the fiscal IDs or the names of counterparties, where `--group-by` names only the other of the two. */
  #otherColumn(): string | undefined {
    const [hasName, hasId] = PARTY_ROLES.map((role) => this.#keys.some((key) => key.role === role));
    if (hasName === hasId) return undefined;
    if (hasId) return 'counterparty';
    return this.#documents.has('counterpartyFiscalId') ? 'fiscalId' : undefined;
  }

  /**
   * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each `--sum`
   * its column, the parts of its total that are credit notes and cancelled documents where it is an amount of documents, and
   * `<column>.missing`, which counts the records without a value in it. The total of a column is null where no record of the
   * group has a value. Where groups are counterparties, `fiscalId` stands beside the name, and `counterparty` beside the ID.
   *
   * Currencies come in order of first appearance; within each, periods of the calendar in their order, then the group with the largest
   * first total, or the most records. On a terminal bars show the first total, or the records, and columns beside a total that are all
   * zeros are left out. Throws UsageError for a column that no record has.
   */
  rows(terminal: ResultContext['terminal']): ResultRows {
    const { sum = [], groupBy = [] } = this.#flags;
    const isAny = this.#documents.records > 0;
    this.#check();
    if (!isAny && groupBy.length === 0)
      this.#newGroup('', { values: [], currency: undefined, party: undefined });
    const groups = [...this.#groups.values()];
    const roles = this.#keys.map(({ role }) => role);
    const currencyAt = roles.indexOf('currency');
    const other = this.#otherColumn();
    // Each currency has its own scale and order, also where --group-by names it.
    const ofCurrency = ({ currency, values }: Group): string | undefined =>
      currencyAt === -1 ? currency : values[currencyAt]?.text;
    const currencies = byCurrency(groups, ofCurrency).map((ofOne) => {
      const scales = sum.map((_, at) =>
        widestScale(
          ofOne.flatMap(({ sums }) => [sums[at]!.total, sums[at]!.creditNotes, sums[at]!.cancelled]),
        ),
      );
      const rowOf = (group: Group): RowField[] => {
        const { name, fiscalId } = (group.party !== undefined && this.#parties.ofKey(group.party)) || {};
        const cells = group.values.map((cell, at) =>
          roles[at] === 'counterpartyName' ? name : roles[at] === 'counterpartyFiscalId' ? fiscalId : cell,
        );
        return [
          ...groupBy.map((column, at) => [column, cellJson(filled(cells[at]))] as const),
          ...(other === undefined
            ? []
            : [[other, cellJson(other === 'fiscalId' ? fiscalId : name)] as const]),
          // With --group-by currency, that column is there already.
          ...(currencyAt === -1 ? [[CURRENCY, textJson(group.currency)] as const] : []),
          ['records', String(group.records)],
          ...sum.flatMap((column, at) => sumFields(column, group.sums[at]!, { isAny, scale: scales[at]! })),
        ];
      };
      return ofOne
        .toSorted((a, b) => this.#comparePeriods(a, b) || compareDecimals(sizeOf(b), sizeOf(a)))
        .map((group): MeasuredRow => ({ row: rowOf(group), value: sizeOf(group) }));
    });
    const besideSum = ({ column, role }: SumColumn): string[] => {
      const parts = isAmountRole(role) ? BESIDE_AMOUNT : [MISSING];
      const columns = parts.map((part) => `${column}${part}`);
      return terminal === undefined ? columns : columns.filter((one) => !isZeroIn(currencies, one));
    };
    const isOfMoney = this.#hasAmounts && currencyAt === -1;
    const hasCurrency = isOfMoney || groups.some(({ currency }) => currency !== undefined);
    const columns = [
      ...groupBy,
      ...(other === undefined ? [] : [other]),
      ...(hasCurrency ? [CURRENCY] : []),
      'records',
      ...this.#sums.flatMap((one) => [one.column, ...besideSum(one)]),
    ];
    return resultRows(currencies, { columns: [...new Set(columns)], shown: this.shown }, terminal);
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

  /** What was left out, or added in a way of its own. */
  findings(): Finding[] {
    const { sum = [], limit = Infinity } = this.#flags;
    const flag = sum.length > 0 ? '--sum' : '--group-by';
    const columns = this.#keys.map(({ column }) => column);
    const remarks: string[] = [];
    const roles = this.#sums.map(({ role }) => role).filter(isAmountRole);
    if (roles.length > 0 && !this.#asSent) {
      const [isOpen, isOther] = [roles.includes('open'), roles.some((role) => role !== 'open')];
      const clauses = this.#special.clauses(isOpen ? (isOther ? 'both' : 'open') : 'other');
      if (clauses.length > 0) remarks.push(`--sum: ${clauses.join('; ')}`);
    }
    const remark: Finding = {
      level: 'remark',
      text: `${limit} of ${countOf(this.#groups.size, 'group')}`,
      details: { code: 'more rows' },
    };
    return [
      ...remarks.map((text): Finding => ({ level: 'remark', text })),
      ...(this.#groups.size > limit ? [remark] : []),
      ...missingColumns(this.#documents, flag),
      ...this.#keys.map(({ unreadable }) => unreadable.finding(flag)),
      ...this.#sums.map(({ column, unreadable }) =>
        unreadable.finding(sum.length === 1 ? flag : `${flag} ${column}`),
      ),
      ...this.#documents.profilesWithout(flag, { roles: this.#hasAmounts ? ['currency'] : [], names: sum }),
      ...this.#documents.profilesWithout('--group-by', { roles: [], namesElsewhere: columns }),
    ];
  }
}

/** The column of a result with the currency of its amounts, whatever the records call it. */
const CURRENCY = 'currency';
/** The columns beside a total, so that nothing is left out in silence. */
const [CREDIT_NOTES, CANCELLED, MISSING] = ['.creditNotes', '.cancelled', '.missing'];
const BESIDE_AMOUNT = [CREDIT_NOTES, CANCELLED, MISSING];

function sumFields(
  column: string,
  { total, creditNotes, cancelled, missing, isFound }: Sum,
  { isAny, scale }: { readonly isAny: boolean; readonly scale: number },
): RowField[] {
  return [
    [column, isAny && !isFound ? 'null' : formatDecimal(total, scale)],
    [`${column}${CREDIT_NOTES}`, formatDecimal(creditNotes, scale)],
    [`${column}${CANCELLED}`, formatDecimal(cancelled, scale)],
    [`${column}${MISSING}`, String(missing)],
  ];
}

/** The value by which groups are ordered, and which bars show. */
function sizeOf({ sums, records }: Group): Decimal {
  return sums[0]?.total ?? { coefficient: BigInt(records), scale: 0 };
}

/** The columns of the flags come first to a reader: the first total, whose it is, the other totals; then what is beside them. */
function shownOf({ sum = [], groupBy = [] }: TotalsFlags): ShownColumns {
  const [first = 'records', ...others] = sum;
  const named = [...new Set([first, ...groupBy, CURRENCY, ...others])];
  return Object.fromEntries(named.map((column, at) => [column, { rank: at - named.length }]));
}

/** What a column of the totals has: sums are money, values of groups are text, also where they are numbers. */
function typeOf(column: string, { sum = [], groupBy = [] }: TotalsFlags): DeclaredType {
  if (groupBy.includes(column)) return 'text';
  if (column === 'records' || column.endsWith(MISSING)) return 'count';
  return sum.some((one) => column === one || column.startsWith(`${one}.`)) ? 'money' : 'text';
}

/** All columns that the totals can have. */
export function columnsOfTotals({ sum = [], groupBy = [] }: TotalsFlags): readonly string[] {
  const ofSums = sum.flatMap((column) => ['', ...BESIDE_AMOUNT].map((part) => `${column}${part}`));
  const ofParties = groupBy.length > 0 ? ['fiscalId', 'counterparty'] : [];
  return [
    ...new Set([...groupBy, ...ofParties, ...(sum.length > 0 ? [CURRENCY] : []), 'records', ...ofSums]),
  ];
}

/** What the columns of the totals mean: amounts are money of the currency beside them. */
export function namesOfTotals(flags: TotalsFlags, names: ColumnNames): ColumnNames {
  const currency = flags.groupBy?.find((column) => isCurrency(column, names)) ?? CURRENCY;
  const money = columnsOfTotals(flags).filter((column) => typeOf(column, flags) === 'money');
  const columns = money.map((column) => [column, 'money'] as const);
  return { fields: { usual: fieldsOfColumns([[currency, 'text', 'currency'], ...columns]) } };
}

function filled(cell: Cell | undefined): Cell | undefined {
  return isFilled(cell) ? cell : undefined;
}

function asCurrency(cell: Cell | undefined): Cell | undefined {
  const text = bareCurrency(cell?.text);
  return text === undefined ? undefined : { kind: 'string', text };
}

/** The text with its length, so that texts joined after one another cannot be confused. */
function lengthAndText(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`;
}

function writtenCell(cell: Cell | undefined): string {
  return cell === undefined ? '-' : cell.kind[0] + lengthAndText(cell.text);
}

/** A text that is equal for cells of one group: for 1.0 and 1.00, for nothing and empty text, but not for 1 and "1". */
function identity(cell: Cell | undefined): string {
  if (!isFilled(cell)) return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : cell.kind[0] + JSON.stringify(cell.text);
}
