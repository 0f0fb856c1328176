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
import { cellOrder } from './cell-order.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import { groupColumn, type GroupColumn } from './question-syntax.ts';

/** What is added up, by which columns. */
export interface TotalsRequest {
  /** The columns of `--sum`; none to count records only. */
  readonly sums: readonly string[];
  /** The columns of `--group-by`, perhaps with a unit of the calendar, as in `date:month`; none for one group of everything. */
  readonly groupBy: readonly string[];
  /** What the columns mean. */
  readonly names: ColumnNames;
  /** Whether cells are added as they stand, whatever the documents are worth. */
  readonly asSent?: boolean | undefined;
  /** Whether a column that nothing declares is no money, so that its sum needs no currency. */
  readonly takesUndeclared?: boolean;
}

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
export interface TotalsGroup {
  readonly values: readonly (Cell | undefined)[];
  readonly currency: string | undefined;
  /** The counterparty's fiscal ID or name, where the group is a counterparty and `--group-by` names the other one alone. */
  readonly other: Cell | undefined;
  /** Whose it is, where it is of a counterparty, and which of its values are the name and the fiscal ID; -1 for none. */
  readonly party: { readonly key: string; readonly nameAt: number; readonly idAt: number } | undefined;
  records: number;
  /** Aligned with the columns of `--sum`. */
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

/** The most groups, of a few hundred bytes each. Nobody groups by a column that is different in every record. */
const MAX_GROUPS = 100_000;

/** Ways in which records write their groups that are remembered. */
const MAX_WRITTEN = 20_000;

const READ = [...KIND_ROLES, 'currency', ...COUNTERPARTY_ROLES] as const;

const PARTY_ROLES = ['counterpartyName', 'counterpartyFiscalId'] as const;
type PartyRole = (typeof PARTY_ROLES)[number];

function isOfParty(role: Role | undefined): boolean {
  return PARTY_ROLES.some((one) => one === role);
}

/** What a column was found to hold. */
interface Held {
  /** What the first cell is that is none of the kind that is wanted: `in record 7 it is the text "x"`. */
  wrong: string | undefined;
  /** Whether any record had a value of that kind. */
  isAny: boolean;
}

/** Adds up columns exactly, for each group and each currency. Its memory grows with the groups, not with the records. */
export class Totals {
  readonly documents: DocumentReader;
  /** The roles of the columns of `--group-by` and `--sum`, where the settings of a profile do not say another one. */
  readonly roles: {
    readonly groupBy: readonly (Role | undefined)[];
    readonly sums: readonly (Role | undefined)[];
  };
  readonly #request: TotalsRequest;
  readonly #groupBy: readonly GroupColumn[];
  readonly #groups = new Map<string, TotalsGroup>();
  /** The groups of records by what these have as it is written: most have what an earlier one has. */
  readonly #written = new Map<string, TotalsGroup>();
  readonly #parties: Counterparties;
  /** Records that are in no group, since a date of theirs cannot be read. */
  readonly #ungrouped = new Unreadable();
  /** Of each column of `--sum`, records that are left out of its total. */
  readonly #unreadable: readonly Unreadable[];
  readonly #counted = new Counted();
  /** Of each column of `--group-by`, dates; of each of `--sum`, numbers. */
  readonly #dates: readonly Held[];
  readonly #numbers: readonly Held[];
  /** Of each column of `--sum`, whether it is said to hold money. */
  readonly #areMoney: readonly boolean[];
  /** Whether any amount of money that is not zero is in the totals: then each is of a currency, be it unknown. */
  hasAmounts = false;

  constructor(request: TotalsRequest) {
    const { sums, groupBy, names, takesUndeclared = false } = request;
    this.#request = request;
    this.#groupBy = groupBy.map(groupColumn);
    const columns = this.#groupBy.map(({ column }) => column);
    this.documents = new DocumentReader(names, { roles: READ, names: [...columns, ...sums] });
    this.#parties = new Counterparties(names, columns, (document, role) => this.#partyCell(document, role));
    const roleOf = (column: string): Role | undefined => roleNamed(column, names, names.fields.usual);
    this.roles = { groupBy: columns.map(roleOf), sums: sums.map(roleOf) };
    this.#dates = groupBy.map(() => ({ wrong: undefined, isAny: false }));
    this.#numbers = sums.map(() => ({ wrong: undefined, isAny: false }));
    this.#unreadable = sums.map(() => new Unreadable());
    this.#areMoney = sums.map(
      (column) => isMoney(column, names) || (!takesUndeclared && isUndeclared(column, names)),
    );
  }

  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void {
    this.documents.sample(batch);
    if (this.roles.groupBy.some(isOfParty)) this.#parties.sample(batch);
  }

  /**
   * Adds records.
   *
   * @param placeOf the place in the listing, from 1, of the nth record that is added
   */
  add(batch: RecordBatch, placeOf?: PlaceOf): void {
    this.documents.fold(batch, () => this.#addDocument(), placeOf);
  }

  /**
   * The groups in order of first appearance. Without --group-by there is always one, also where no records came. Throws
   * UsageError where no record has one of the columns.
   */
  finish(): TotalsGroup[] {
    const { groupBy, sums } = this.#request;
    refuseLists(this.documents, 'nothing to add up');
    refuseMissing(this.documents, 'nothing to add up');
    for (const [index, { wrong, isAny }] of this.#dates.entries()) {
      const role = this.roles.groupBy[index];
      if (wrong === undefined || isAny || role === 'date' || role === 'due') continue;
      const { column, unit } = this.#groupBy[index]!;
      throw new UsageError(`${column} cannot be grouped by ${unit}: ${wrong}, not a date`, {
        hint: 'Name a column of dates: they begin with year, month and day, as in 2024-10-15.',
      });
    }
    if (this.hasAmounts) this.#refuseWithoutCurrency();
    for (const [index, { wrong, isAny }] of this.#numbers.entries()) {
      if (wrong === undefined || isAny) continue;
      throw new UsageError(`${sums[index]} cannot be added up: ${wrong}, not a number`, {
        hint: 'Sum a column of amounts; --list-columns names the columns.',
      });
    }
    if (this.documents.records === 0 && groupBy.length === 0) this.#newGroup('', [], undefined, undefined);
    return [...this.#groups.values()].map((group) => this.#withParty(group));
  }

  #refuseWithoutCurrency(): void {
    const { sums, names } = this.#request;
    const isKnown = sums.some((column) => isMoney(column, names));
    if (isKnown || this.documents.hasColumnOf('currency'))
      return this.documents.refuseWithout(['currency'], 'no figures');
    const currencyHint = howToMap('currency');
    throw new UsageError(`no figures: no record has ${this.documents.describe('currency')}`, {
      hint: `If ${sums.join(', ')} is no money, add --as-sent. ${currencyHint}`,
    });
  }

  /** The group of a counterparty with the name and the fiscal ID that this has in all groups. */
  #withParty(group: TotalsGroup): TotalsGroup {
    const party = group.party === undefined ? undefined : this.#parties.named(group.party.key);
    if (group.party === undefined || party === undefined) return group;
    const { nameAt, idAt } = group.party;
    const { name, fiscalId } = party;
    const values = group.values.map((cell, at) => (at === nameAt ? name : at === idAt ? fiscalId : cell));
    return { ...group, values, other: nameAt === -1 ? name : idAt === -1 ? fiscalId : undefined };
  }

  /** The cell of the counterparty's name or fiscal ID: the one that `--group-by` names, else that of the role. */
  #partyCell(document: Document, role: PartyRole): Cell | undefined {
    const at = this.#groupBy.findIndex((_, index) => document.roleOfName(index) === role);
    return at === -1 ? document.cell(role) : filled(document.named(at));
  }

  /** What was left out, or added in a way of its own. */
  findings(): Finding[] {
    const { asSent } = this.#request;
    const lacking = missingColumns(this.documents).map((text): Finding => ({
      level: 'warning',
      text: `${this.#flag}: ${text}`,
    }));
    const unreadable = this.#unreadable.map((one, at) =>
      one.finding(this.#unreadable.length === 1 ? '--sum' : `--sum ${this.#request.sums[at]}`),
    );
    const found = [...lacking, this.#ungrouped.finding(this.#flag), ...unreadable];
    const roles = this.roles.sums.filter(isAmountRole);
    if (roles.length === 0 || asSent) return found;
    const [isOpen, isOther] = [roles.includes('open'), roles.some((role) => role !== 'open')];
    const clauses = this.#counted.clauses(isOpen ? (isOther ? 'both' : 'open') : 'other');
    if (clauses.length === 0) return found;
    return [{ level: 'remark', text: `--sum: ${clauses.join('; ')}` }, ...found];
  }

  get #flag(): string {
    return this.#request.sums.length > 0 ? '--sum' : '--group-by';
  }

  #addDocument(): void {
    const group = this.#groupOf(this.documents.namedCells(0, this.#groupBy.length));
    if (group === undefined) return;
    let leftOut = 0;
    const changes = { sum: false, cancelled: false };
    for (const [index, sum] of group.sums.entries()) {
      const worth = this.#addCell(sum, index);
      if (worth === 'unreadable') leftOut++;
      if (worth === undefined || worth === 'unreadable') continue;
      changes.sum ||= worth.amount.coefficient !== 0n;
      changes.cancelled ||= worth.cancelled.coefficient !== 0n;
    }
    // One of whose amounts some can be read is in the totals of these.
    if (leftOut === 0 || leftOut < group.sums.length) group.records++;
    if (group.sums.length > 0) this.#counted.add(this.documents, changes);
  }

  /** The values that a record with these cells is grouped by. Undefined where one is no date and should be. */
  #valuesOf(cells: readonly (Cell | undefined)[]): (Cell | undefined)[] | undefined {
    const values = [...cells];
    for (const [index, { column, unit }] of this.#groupBy.entries()) {
      const cell = filled(values[index]);
      if (unit === undefined || cell === undefined) continue;
      const day = cell.kind === 'string' ? parseCalendarDay(cell.text) : undefined;
      if (day === undefined) {
        this.#noteWrong(this.#dates[index]!, cell);
        this.#ungrouped.noteCell(this.documents, column, cell);
        return undefined;
      }
      this.#dates[index]!.isAny = true;
      values[index] = { kind: 'string', text: calendarName(day, unit) };
    }
    return values;
  }

  #noteWrong(held: Held, cell: Cell): void {
    held.wrong ??= `in record ${this.documents.place} it is ${nameOfCell(cell)}`;
  }

  /** Adds the cell of a column to a sum, and returns what it is worth, where that is an amount of documents. */
  #addCell(sum: Sum, index: number): CellWorth | 'unreadable' | undefined {
    const { documents } = this;
    const at = this.#groupBy.length + index;
    const meant = documents.roleOfName(at);
    const role = isAmountRole(meant) ? meant : undefined;
    const numbers = this.#numbers[index]!;
    const cell = documents.named(at);
    const worth = this.#worth(role, cell);
    // A column of amounts may be added up, whatever is in it.
    if (role !== undefined) numbers.isAny = true;
    if (worth === 'absent') sum.missing++;
    else if (worth === 'unreadable') {
      this.#noteWrong(numbers, cell!);
      this.#unreadable[index]!.noteCell(documents, this.#request.sums[index]!, cell!);
    }
    if (typeof worth === 'string') return worth === 'unreadable' ? worth : undefined;
    sum.isFound = true;
    numbers.isAny = true;
    if (this.#areMoney[index] && worth.amount.coefficient !== 0n) this.hasAmounts = true;
    sum.total = addDecimals(sum.total, worth.amount);
    if (documents.family === 'credit note') sum.creditNotes = addDecimals(sum.creditNotes, worth.amount);
    sum.cancelled = addDecimals(sum.cancelled, worth.cancelled);
    return role === undefined ? undefined : worth;
  }

  /** What a cell adds to a sum. A column without a meaning is added as it stands, and so are all with --as-sent. */
  #worth(role: AmountRole | undefined, cell: Cell | undefined): string | CellWorth {
    const isCancelled = this.documents.validity === 'cancelled';
    if (role === undefined || this.#request.asSent) {
      const amount = readAmount(cell);
      return typeof amount === 'string' ? amount : { amount, cancelled: isCancelled ? amount : DECIMAL_ZERO };
    }
    const worth = worthOfCell(this.documents, role, cell);
    if (typeof worth === 'string') return worth;
    const { amount, leftOut } = worth;
    return { amount, cancelled: role === 'open' ? leftOut : isCancelled ? amount : DECIMAL_ZERO };
  }

  /** The group of the record with these cells; undefined where it is in none. */
  #groupOf(cells: readonly (Cell | undefined)[]): TotalsGroup | undefined {
    const { documents } = this;
    const roles = cells.map((_, at) => documents.roleOfName(at));
    const splits = this.#request.sums.length > 0 && !roles.includes('currency');
    const party = roles.some(isOfParty) ? this.#parties.of(documents).key : undefined;
    const currency = splits ? documents.text('currency') : undefined;
    const written =
      [documents.profile, party, currency].map(lengthAndText).join('') + cells.map(writtenCell).join('');
    const known = this.#written.get(written);
    if (known !== undefined) return known;
    const group = this.#findGroup(cells, roles, { party, currency: bareCurrency(currency) });
    if (this.#written.size === MAX_WRITTEN) this.#written.clear();
    if (group !== undefined) this.#written.set(written, group);
    return group;
  }

  #findGroup(
    cells: readonly (Cell | undefined)[],
    roles: readonly (Role | undefined)[],
    { party, currency }: { readonly party: string | undefined; readonly currency: string | undefined },
  ): TotalsGroup | undefined {
    const values = this.#valuesOf(cells)?.map((cell, at) =>
      roles[at] === 'currency' ? asCurrency(cell) : cell,
    );
    if (values === undefined) return undefined;
    const [nameAt, idAt] = [roles.indexOf('counterpartyName'), roles.indexOf('counterpartyFiscalId')];
    const key = [currency ?? '', ...values.filter((_, at) => at !== nameAt && at !== idAt).map(identity)];
    const text = [...key, party ?? ''].join('\n');
    return (
      this.#groups.get(text) ??
      this.#newGroup(text, values, currency, party === undefined ? undefined : { key: party, nameAt, idAt })
    );
  }

  #newGroup(
    key: string,
    values: (Cell | undefined)[],
    currency: string | undefined,
    party: TotalsGroup['party'],
  ): TotalsGroup {
    const { groupBy, sums } = this.#request;
    if (this.#groups.size === MAX_GROUPS) {
      const asked = groupBy.map((column) => `--group-by ${column}`).join(' ');
      throw new UsageError(`${asked} makes more than ${MAX_GROUPS.toLocaleString('en')} groups`, {
        hint: 'Group by a column that has fewer different values, or export the records and group them elsewhere.',
      });
    }
    const nothing = { total: DECIMAL_ZERO, creditNotes: DECIMAL_ZERO, cancelled: DECIMAL_ZERO };
    const empty = sums.map((): Sum => ({ ...nothing, missing: 0, isFound: false }));
    const group = { values, currency, party, other: undefined, records: 0, sums: empty };
    this.#groups.set(key, group);
    return group;
  }
}

interface CellWorth {
  readonly amount: Decimal;
  readonly cancelled: Decimal;
}

/** The cell, if it has a value: empty text is none. */
export function filled(cell: Cell | undefined): Cell | undefined {
  return cell?.text === '' ? undefined : cell;
}

function asCurrency(cell: Cell | undefined): Cell | undefined {
  const text = bareCurrency(cell?.text);
  return text === undefined ? undefined : { kind: 'string', text };
}

/** A text from which the text can be told apart from what follows it. */
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
