import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { nameOfCell, readAmount, worthOfCell } from '../invoices/amounts.ts';
import { isMoney, isUndeclared, roleNamed, type ColumnNames } from '../invoices/column-names.ts';
import { Counted } from '../invoices/counted.ts';
import { bareCurrency, KIND_ROLES, type Document } from '../invoices/document.ts';
import { DocumentReader, type PlaceOf } from '../invoices/document-reader.ts';
import { howToMap, isAmountRole, type AmountRole, type Role } from '../invoices/fields.ts';
import { Counterparties, COUNTERPARTY_ROLES } from '../invoices/counterparties.ts';
import { calendarName } from '../invoices/periods.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { cellOrder } from './cell-order.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import { groupColumn, type GroupColumn } from './question-syntax.ts';

/** The flags of totals. Without `sum` records are counted; without `groupBy` there is one group of everything. */
export interface TotalsFlags {
  readonly sum?: readonly string[] | undefined;
  /** Columns, perhaps with a unit of the calendar: `date:month`. */
  readonly groupBy?: readonly string[] | undefined;
  /** Whether cells are added as they stand, whatever the documents are worth. */
  readonly asSent?: boolean | undefined;
  /** The list whose objects are the rows. */
  readonly expand?: string | undefined;
  /** The most groups that come out. */
  readonly limit?: number | undefined;
}

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
export interface TotalsGroup {
  /** Aligned with `--group-by`. */
  readonly values: readonly (Cell | undefined)[];
  readonly currency: string | undefined;
  /** The counterparty's fiscal ID or name, where the group is a counterparty and `--group-by` names the other one alone. */
  readonly other: Cell | undefined;
  /** The key of its counterparty. */
  readonly party: string | undefined;
  records: number;
  /** Aligned with `--sum`. */
  readonly sums: Sum[];
}

export interface Sum {
  total: Decimal;
  /** The part of the total that is credit notes, with its sign. */
  creditNotes: Decimal;
  /** The part of the total that is cancelled documents; of open amounts, what was left out of the total. */
  cancelled: Decimal;
  /** Records of the group that have no value in the column, of those that are in sums. */
  missing: number;
  /** Whether any record has one. */
  isFound: boolean;
}

/** What the records hold in a column that needs dates or numbers. */
interface HeldValues {
  /** The first cell of another kind: `in record 7 it is the text "x"`. */
  wrong: string | undefined;
  isFound: boolean;
}

interface KeyColumn extends GroupColumn, HeldValues {
  /** Its role, unless a profile's settings give it another. */
  readonly role: Role | undefined;
}

interface SumColumn extends HeldValues {
  readonly column: string;
  readonly role: Role | undefined;
  readonly isMoney: boolean;
  readonly needsCurrency: boolean;
  /** Records that are left out of its total. */
  readonly unreadable: Unreadable;
}

interface CellWorth {
  readonly amount: Decimal;
  readonly cancelled: Decimal;
}

/** The most groups, of a few hundred bytes each. Nobody groups by a column that is different in every record. */
const MAX_GROUPS = 100_000;

/** The most combinations of cells whose group is remembered. */
const MAX_REMEMBERED = 20_000;

const READ = [...KIND_ROLES, 'currency', ...COUNTERPARTY_ROLES] as const;

const PARTY_ROLES: readonly (Role | undefined)[] = ['counterpartyName', 'counterpartyFiscalId'];

/** Totals by group and currency, exact. Its memory grows with the groups, not with the records. */
export type Totals = ReturnType<typeof foldTotals>;

/** Adds up columns of the records, by groups. */
export function foldTotals(flags: TotalsFlags, names: ColumnNames) {
  const { sum = [], groupBy = [], expand } = flags;
  // A payment of a credit note is what was paid, whatever the document is worth.
  const asSent = flags.asSent ?? expand !== undefined;
  const flag = sum.length > 0 ? '--sum' : '--group-by';
  const roleOf = (column: string): Role | undefined => roleNamed(column, names, names.fields.usual);
  const keys = groupBy.map((text): KeyColumn => {
    const { column, unit } = groupColumn(text);
    return { column, unit, role: roleOf(column), wrong: undefined, isFound: false };
  });
  const sums = sum.map((column): SumColumn => {
    const isOfMoney = isMoney(column, names);
    // A column that nothing declares may be money, unless --as-sent is there.
    const needsCurrency = isOfMoney || (flags.asSent !== true && isUndeclared(column, names));
    // Made in one go: an object of spreads is slow to read.
    return {
      column,
      role: roleOf(column),
      isMoney: isOfMoney,
      needsCurrency,
      unreadable: new Unreadable(),
      wrong: undefined,
      isFound: false,
    };
  });
  const columns = keys.map(({ column }) => column);
  const documents = new DocumentReader(names, { roles: READ, names: [...columns, ...sum] });
  /** The name or the fiscal ID of the counterparty, from the column of `--group-by`, else from that of the role. */
  const partyCell = (document: Document, role: 'counterpartyName' | 'counterpartyFiscalId') => {
    const at = keys.findIndex((_, index) => document.roleOfName(index) === role);
    return at === -1 ? document.cell(role) : filled(document.named(at));
  };
  const parties = new Counterparties(names, columns, partyCell);
  const groups = new Map<string, TotalsGroup>();
  /** Groups by the cells of their records as written: most records are like an earlier one. */
  const remembered = new Map<string, TotalsGroup>();
  /** Records without a group, since a date of theirs cannot be read. */
  const ungrouped = new Unreadable();
  const counted = new Counted();
  /** Whether the totals have any amount of money other than zero: then each has a currency, be it unknown. */
  let hasAmounts = false;

  const noteWrong = (held: HeldValues, cell: Cell): void => {
    held.wrong ??= `in record ${documents.place} it is ${nameOfCell(cell)}`;
  };

  /** The cells by which a record is grouped. Undefined where one has to be a date and is none. */
  const groupValues = (cells: readonly (Cell | undefined)[], roles: readonly (Role | undefined)[]) => {
    const values = [...cells];
    for (const [at, key] of keys.entries()) {
      if (roles[at] === 'currency') values[at] = asCurrency(cells[at]);
      const cell = filled(values[at]);
      if (key.unit === undefined || cell === undefined) continue;
      const day = cell.kind === 'string' ? parseCalendarDay(cell.text) : undefined;
      if (day === undefined) {
        noteWrong(key, cell);
        ungrouped.noteCell(documents, key.column, cell);
        return undefined;
      }
      key.isFound = true;
      values[at] = { kind: 'string', text: calendarName(day, key.unit) };
    }
    return values;
  };

  const newGroup = (
    key: string,
    { values, currency, party }: Pick<TotalsGroup, 'values' | 'currency' | 'party'>,
  ): TotalsGroup => {
    if (groups.size === MAX_GROUPS) {
      const typed = groupBy.map((column) => `--group-by ${column}`).join(' ');
      throw new UsageError(`${typed} makes more than ${MAX_GROUPS.toLocaleString('en')} groups`, {
        hint: 'Group by a column that has fewer different values, or export the records and group them elsewhere.',
      });
    }
    const empty = sum.map((): Sum => ({
      total: DECIMAL_ZERO,
      creditNotes: DECIMAL_ZERO,
      cancelled: DECIMAL_ZERO,
      missing: 0,
      isFound: false,
    }));
    const made: TotalsGroup = { values, currency, party, other: undefined, records: 0, sums: empty };
    groups.set(key, made);
    return made;
  };

  /** The group of the current record; undefined where it has none. */
  const groupOf = (): TotalsGroup | undefined => {
    const cells = documents.namedCells(0, keys.length);
    const roles = cells.map((_, at) => documents.roleOfName(at));
    const party = roles.some((role) => PARTY_ROLES.includes(role)) ? parties.of(documents).key : undefined;
    const written = sum.length > 0 && !roles.includes('currency') ? documents.text('currency') : undefined;
    const text =
      [documents.profile, party, written].map(lengthAndText).join('') + cells.map(writtenCell).join('');
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const values = groupValues(cells, roles);
    if (values === undefined) return undefined;
    const currency = bareCurrency(written);
    const others = values.filter((_, at) => !PARTY_ROLES.includes(roles[at]));
    const key = [currency ?? '', ...others.map(identity), party ?? ''].join('\n');
    const group = groups.get(key) ?? newGroup(key, { values, currency, party });
    if (remembered.size === MAX_REMEMBERED) remembered.clear();
    remembered.set(text, group);
    return group;
  };

  /** What a cell adds to a sum. A column without a role is added as it stands, and so are all with --as-sent. */
  const worthOf = (role: AmountRole | undefined, cell: Cell | undefined): string | CellWorth => {
    const isCancelled = documents.validity === 'cancelled';
    if (role === undefined || asSent) {
      const amount = readAmount(cell);
      return typeof amount === 'string' ? amount : { amount, cancelled: isCancelled ? amount : DECIMAL_ZERO };
    }
    const worth = worthOfCell(documents, role, cell);
    if (typeof worth === 'string') return worth;
    const { amount, leftOut } = worth;
    return { amount, cancelled: role === 'open' ? leftOut : isCancelled ? amount : DECIMAL_ZERO };
  };

  /** Adds the cell of a column to a sum, and returns what it is worth, where that is an amount of documents. */
  const addCell = (total: Sum, index: number): CellWorth | 'unreadable' | undefined => {
    const held = sums[index]!;
    const at = keys.length + index;
    const own = documents.roleOfName(at);
    const role = isAmountRole(own) ? own : undefined;
    const cell = documents.named(at);
    const worth = worthOf(role, cell);
    // A column of amounts may be added up, whatever is in it.
    if (role !== undefined) held.isFound = true;
    if (worth === 'absent') total.missing++;
    else if (worth === 'unreadable') {
      noteWrong(held, cell!);
      held.unreadable.noteCell(documents, held.column, cell!);
      return worth;
    }
    if (typeof worth === 'string') return undefined;
    const { amount, cancelled } = worth;
    total.isFound = held.isFound = true;
    if (held.needsCurrency && amount.coefficient !== 0n) hasAmounts = true;
    total.total = addDecimals(total.total, amount);
    if (documents.family === 'credit note') total.creditNotes = addDecimals(total.creditNotes, amount);
    total.cancelled = addDecimals(total.cancelled, cancelled);
    return role === undefined ? undefined : worth;
  };

  const addDocument = (): void => {
    const group = groupOf();
    if (group === undefined) return;
    let unreadable = 0;
    const changes = { sum: false, cancelled: false };
    for (const [index, total] of group.sums.entries()) {
      const worth = addCell(total, index);
      if (worth === 'unreadable') unreadable++;
      else if (worth !== undefined) {
        changes.sum ||= worth.amount.coefficient !== 0n;
        changes.cancelled ||= worth.cancelled.coefficient !== 0n;
      }
    }
    // A record counts if any of its amounts is in a total.
    if (unreadable === 0 || unreadable < sum.length) group.records++;
    if (sum.length > 0) counted.add(documents, changes);
  };

  const refuseWithoutCurrency = (): void => {
    if (sums.some((column) => column.isMoney) || documents.hasColumnOf('currency'))
      return documents.refuseWithout(['currency'], 'no figures');
    const currencyHint = howToMap('currency');
    throw new UsageError(`no figures: no record has ${documents.describe('currency')}`, {
      hint: `If ${sum.join(', ')} is no money, add --as-sent. ${currencyHint}`,
    });
  };

  /** The group with the name and the fiscal ID that its counterparty has in all groups. */
  const withParty = (group: TotalsGroup): TotalsGroup => {
    const party = group.party === undefined ? undefined : parties.named(group.party);
    if (party === undefined) return group;
    const { name, fiscalId } = party;
    const roles = keys.map(({ role }) => role);
    const [hasName, hasId] = PARTY_ROLES.map((role) => roles.includes(role));
    const values = group.values.map((cell, at) =>
      roles[at] === 'counterpartyName' ? name : roles[at] === 'counterpartyFiscalId' ? fiscalId : cell,
    );
    return { ...group, values, other: hasName ? (hasId ? undefined : fiscalId) : name };
  };

  return {
    documents,
    keys: keys as readonly Pick<KeyColumn, 'unit' | 'role'>[],
    sums: sums as readonly Pick<SumColumn, 'role'>[],
    hasAmounts: () => hasAmounts,

    /** Learns from records before a filter keeps some of them. */
    sample(batch: RecordBatch): void {
      documents.sample(batch);
      if (keys.some(({ role }) => PARTY_ROLES.includes(role))) parties.sample(batch);
    },

    /** @param placeOf the place in the listing, from 1, of the nth record that is added */
    add(batch: RecordBatch, placeOf?: PlaceOf): void {
      documents.fold(batch, addDocument, placeOf);
    },

    /** The groups in order of first appearance, one without --group-by. Throws UsageError for a column that no record has. */
    finish(): TotalsGroup[] {
      refuseLists(documents, 'nothing to add up');
      refuseMissing(documents, 'nothing to add up');
      for (const { column, unit, role, wrong, isFound } of keys) {
        if (wrong === undefined || isFound || role === 'date' || role === 'due') continue;
        throw new UsageError(`${column} cannot be grouped by ${unit}: ${wrong}, not a date`, {
          hint: 'Name a column of dates: they begin with year, month and day, as in 2024-10-15.',
        });
      }
      if (hasAmounts) refuseWithoutCurrency();
      for (const { column, wrong, isFound } of sums) {
        if (wrong === undefined || isFound) continue;
        throw new UsageError(`${column} cannot be added up: ${wrong}, not a number`, {
          hint: 'Sum a column of amounts; --list-columns names the columns.',
        });
      }
      if (documents.records === 0 && keys.length === 0)
        newGroup('', { values: [], currency: undefined, party: undefined });
      return [...groups.values()].map(withParty);
    },

    /** What was left out, or added in a way of its own. */
    findings(): Finding[] {
      const unreadable = sums.map((column) =>
        column.unreadable.finding(sum.length === 1 ? flag : `${flag} ${column.column}`),
      );
      const { limit = Infinity } = flags;
      const cut = groups.size > limit ? [`${limit} of ${countOf(groups.size, 'group')}`] : [];
      const found = [
        ...cut.map((text): Finding => ({ level: 'remark', text })),
        ...missingColumns(documents, flag),
        ungrouped.finding(flag),
        ...unreadable,
        ...documents.profilesWithout(flag, { roles: [], names: sum }),
      ];
      const roles = sums.map(({ role }) => role).filter(isAmountRole);
      if (roles.length === 0 || asSent) return found;
      const [isOpen, isOther] = [roles.includes('open'), roles.some((role) => role !== 'open')];
      const clauses = counted.clauses(isOpen ? (isOther ? 'both' : 'open') : 'other');
      if (clauses.length === 0) return found;
      return [{ level: 'remark', text: `--sum: ${clauses.join('; ')}` }, ...found];
    },
  };
}

/** The cell, if it has a value: empty text is none. */
export function filled(cell: Cell | undefined): Cell | undefined {
  return cell?.text === '' ? undefined : cell;
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
  if (cell === undefined || cell.text === '') return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : cell.kind[0] + JSON.stringify(cell.text);
}
