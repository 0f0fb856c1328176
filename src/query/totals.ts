import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { Cell } from '../json/cells.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { nameOfCell, readAmount, worthOf } from '../invoices/amounts.ts';
import { Counted } from '../invoices/counted.ts';
import { isAmountRole, type AmountRole, type Fields, type Role } from '../invoices/fields.ts';
import { counterpartyKey, isFiscalId } from '../invoices/fiscal-ids.ts';
import { bareCurrency, InvoiceReader, type Invoice } from '../invoices/invoice.ts';
import { CALENDAR_UNITS, calendarName } from '../invoices/periods.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { cellOrder } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import { NamedCells, roleNamed, type ColumnNames } from './named-cells.ts';
import { groupColumn, type GroupColumn } from './question-syntax.ts';
import type { PlaceOf } from './questions.ts';

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
}

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
export interface TotalsGroup {
  readonly values: (Cell | undefined)[];
  readonly currency: string | undefined;
  /** The counterparty's fiscal ID or name, where the group is a counterparty and `--group-by` names the other one alone. */
  other: Cell | undefined;
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

const READ: readonly Role[] = [
  'documentType',
  'status',
  'cancelled',
  'number',
  'currency',
  'counterpartyName',
  'counterpartyFiscalId',
];

/** What each record is added by: the roles of the columns of `--group-by` and `--sum`. */
export interface RequestRoles {
  readonly groupBy: readonly (Role | undefined)[];
  readonly sums: readonly (Role | undefined)[];
}

/** Adds up columns exactly, for each group and each currency. Its memory grows with the groups, not with the records. */
export class Totals {
  readonly #request: TotalsRequest;
  readonly #groupBy: readonly GroupColumn[];
  readonly #invoices: InvoiceReader;
  readonly #reader: NamedCells;
  readonly #roles = new Map<Fields, RequestRoles>();
  readonly #watch: ColumnWatch;
  /** The columns that there are, also in records that a filter left out. */
  readonly #all = new ColumnWatch([]);
  readonly #groups = new Map<string, TotalsGroup>();
  readonly #unreadable = new Unreadable();
  readonly #counted = new Counted();
  /** For each column of `--sum`, the first text in it, and whether any record had a number. */
  readonly #columns: { text: string | undefined; hasNumber: boolean; isRole: boolean }[];
  /** For each column of `--group-by` with a unit, the first cell that is no date, and whether any record had a date. */
  readonly #dates: { text: string | undefined; hasDate: boolean }[];
  /** Whether any record had an amount of money that is not zero. */
  #hasAmounts = false;
  #records = 0;

  constructor(request: TotalsRequest) {
    const { sums, groupBy, names } = request;
    this.#request = request;
    this.#invoices = new InvoiceReader(names.fields, READ);
    this.#groupBy = groupBy.map(groupColumn);
    const read = [...this.#groupBy.map(({ column }) => column), ...sums];
    this.#reader = new NamedCells(read, names, this.#invoices.columns);
    this.#watch = new ColumnWatch(read, { names });
    this.#dates = groupBy.map(() => ({ text: undefined, hasDate: false }));
    this.#columns = sums.map(() => ({ text: undefined, hasNumber: false, isRole: false }));
  }

  /** Learns which columns there are, also from records that are not added. */
  sample(batch: RecordBatch): void {
    this.#all.sample(batch);
  }

  /**
   * Adds records.
   *
   * @param placeOf the place in the listing, from 1, of the nth record that is added
   */
  add(batch: RecordBatch, placeOf: PlaceOf = (nth) => nth): void {
    this.#watch.sample(batch);
    this.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      this.#addRecord(cells, placeOf(++this.#records));
    }
  }

  /**
   * The groups in order of first appearance. Without --group-by there is always one, also where no records came. Throws
   * UsageError where no record has one of the columns.
   */
  finish(): TotalsGroup[] {
    const [complaint] = this.#watch.complaints();
    if (complaint !== undefined) {
      throw new UsageError(`nothing to add up: ${complaint}`, {
        hint: this.#request.groupBy.some((asked) => asked.includes(':'))
          ? `Behind the column and a colon stands ${CALENDAR_UNITS.join(', ')}. To see the columns there are, use --list-columns.`
          : 'To see the columns there are, use --list-columns.',
      });
    }
    this.#refuseNoDates();
    if (this.#hasAmounts)
      this.#invoices.refuseWithout(['currency'], 'no figures', (name) => this.#all.has(name));
    const wrong = this.#columns.findIndex(
      ({ text, hasNumber, isRole }) => text !== undefined && !hasNumber && !isRole,
    );
    if (wrong !== -1) {
      throw new UsageError(
        `${this.#request.sums[wrong]} cannot be added up: ${this.#columns[wrong]!.text}, not a number`,
        {
          hint: 'Sum a column of amounts; --list-columns names the columns.',
        },
      );
    }
    if (this.#records === 0 && this.#request.groupBy.length === 0)
      this.#newGroup('', [], undefined, undefined);
    return [...this.#groups.values()];
  }

  /** Whether any amount of money is in the totals: then each is of a currency, be it unknown. */
  get hasAmounts(): boolean {
    return this.#hasAmounts;
  }

  /** Whether the counterparties of the groups have fiscal IDs. */
  get hasFiscalIds(): boolean {
    return this.#invoices.has('counterpartyFiscalId');
  }

  /** Throws UsageError where a column that is to be grouped by its dates holds none. */
  #refuseNoDates(): void {
    for (const [index, { text, hasDate }] of this.#dates.entries()) {
      const { column, unit } = this.#groupBy[index]!;
      const role = roleNamed(column, this.#request.names, this.#request.names.fields.usual);
      if (text === undefined || hasDate || role === 'date' || role === 'due') continue;
      throw new UsageError(`${column} cannot be grouped by ${unit}: ${text}, not a date`, {
        hint: 'Name a column of dates: they begin with year, month and day, as in 2024-10-15.',
      });
    }
  }

  /** What was left out, or added in a way of its own. */
  findings(): Finding[] {
    const unreadable = this.#unreadable.finding(this.#request.sums.length > 0 ? '--sum' : '--group-by');
    return [...this.#counts(), unreadable];
  }

  #counts(): Finding[] {
    const { sums, names, asSent } = this.#request;
    const roles = sums.map((column) => roleNamed(column, names, names.fields.usual)).filter(isAmountRole);
    if (roles.length === 0 || asSent) return [];
    const isOpen = roles.includes('open');
    const of = isOpen ? (roles.every((role) => role === 'open') ? 'open' : 'both') : 'other';
    const clauses = this.#counted.clauses(of);
    return clauses.length === 0 ? [] : [{ level: 'remark', text: `--sum: ${clauses.join('; ')}` }];
  }

  #addRecord(cells: readonly (Cell | undefined)[], place: number): void {
    const { groupBy, sums } = this.#request;
    const invoice = this.#invoices.read(cells.slice(groupBy.length + sums.length));
    const roles = this.#rolesIn(invoice.fields);
    const values = this.#valuesOf(cells, invoice, place);
    if (values === undefined) return;
    const group = this.#groupOf(values, invoice, roles.groupBy);
    group.records++;
    const changes = { sum: false, cancelled: false };
    for (const [index, sum] of group.sums.entries()) {
      const role = roles.sums[index];
      const cell = cells[groupBy.length + index];
      const added: Added = { invoice, cell, role: isAmountRole(role) ? role : undefined };
      const worth = this.#addCell(sum, added, { index, place });
      if (typeof worth === 'string' || added.role === undefined) continue;
      changes.sum ||= worth.amount.coefficient !== 0n;
      changes.cancelled ||= worth.cancelled.coefficient !== 0n;
    }
    if (sums.length > 0) this.#counted.add(invoice, changes);
  }

  /** The values that the record is grouped by. Undefined where one is no date and should be: then it is in no group. */
  #valuesOf(
    cells: readonly (Cell | undefined)[],
    invoice: Invoice,
    place: number,
  ): (Cell | undefined)[] | undefined {
    const values = cells.slice(0, this.#groupBy.length);
    for (const [index, { column, unit }] of this.#groupBy.entries()) {
      const cell = filled(values[index]);
      if (unit === undefined || cell === undefined) continue;
      const day = cell.kind === 'string' ? parseCalendarDay(cell.text) : undefined;
      const dates = this.#dates[index]!;
      if (day === undefined) {
        const what = nameOfCell(cell);
        dates.text ??= `in record ${place} it is ${what}`;
        this.#unreadable.note(place, `${column} of ${this.#who(invoice, place)} is ${what}`);
        return undefined;
      }
      dates.hasDate = true;
      values[index] = { kind: 'string', text: calendarName(day, unit) };
    }
    return values;
  }

  /** `record 7 (number 1520)`. */
  #who(invoice: Invoice, place: number): string {
    const number = invoice.cell('number')?.text;
    return number === undefined ? `record ${place}` : `record ${place} (number ${number})`;
  }

  /** Adds a cell to a sum, and returns what it is worth. */
  #addCell(
    sum: Sum,
    added: Added,
    { index, place }: { readonly index: number; readonly place: number },
  ): CellWorth {
    const { invoice, cell, role } = added;
    const column = this.#columns[index]!;
    if (role !== undefined) column.isRole = true;
    const worth = this.#worth(added);
    if (worth === 'absent') sum.missing++;
    else if (worth === 'unreadable') {
      const what = nameOfCell(cell!);
      column.text ??= `in record ${place} it is ${what}`;
      this.#unreadable.note(place, `${this.#request.sums[index]} of ${this.#who(invoice, place)} is ${what}`);
    } else if (worth !== 'in no sum') {
      sum.isFound = true;
      column.hasNumber = true;
      if (role !== undefined && worth.amount.coefficient !== 0n) this.#hasAmounts = true;
      sum.total = addDecimals(sum.total, worth.amount);
      if (invoice.family === 'credit note') sum.creditNotes = addDecimals(sum.creditNotes, worth.amount);
      sum.cancelled = addDecimals(sum.cancelled, worth.cancelled);
    }
    return worth;
  }

  /** What a cell adds to a sum. A column without a meaning is added as it stands, and so are all with --as-sent. */
  #worth({ invoice, cell, role }: Added): CellWorth {
    const isCancelled = invoice.validity === 'cancelled';
    if (role === undefined || this.#request.asSent) {
      const amount = readAmount(cell);
      return typeof amount === 'string' ? amount : { amount, cancelled: isCancelled ? amount : DECIMAL_ZERO };
    }
    const worth = worthOf(invoice, { role, cell });
    if (worth.kind !== 'amount') return worth.kind;
    const { amount, leftOut } = worth;
    return { amount, cancelled: role === 'open' ? leftOut : isCancelled ? amount : DECIMAL_ZERO };
  }

  #rolesIn(fields: Fields): RequestRoles {
    const known = this.#roles.get(fields);
    if (known !== undefined) return known;
    const { groupBy, sums, names } = this.#request;
    const rolesOf = (columns: readonly string[]): (Role | undefined)[] =>
      columns.map((column) => roleNamed(column, names, fields));
    const roles = { groupBy: rolesOf(groupBy), sums: rolesOf(sums) };
    this.#roles.set(fields, roles);
    return roles;
  }

  #groupOf(
    cells: readonly (Cell | undefined)[],
    invoice: Invoice,
    roles: RequestRoles['groupBy'],
  ): TotalsGroup {
    const splits = this.#request.sums.length > 0 && !roles.includes('currency');
    const currency = splits ? invoice.currency : undefined;
    const values = cells.map((cell, at) => (roles[at] === 'currency' ? asCurrency(cell) : cell));
    const [nameAt, idAt] = [roles.indexOf('counterpartyName'), roles.indexOf('counterpartyFiscalId')];
    const isByParty = nameAt !== -1 || idAt !== -1;
    const name = nameAt === -1 ? invoice.cell('counterpartyName') : filled(values[nameAt]);
    const id = idAt === -1 ? invoice.cell('counterpartyFiscalId') : filled(values[idAt]);
    const fiscalId = isFiscalId(id?.text) ? id : undefined;
    const plain = values.filter((_, at) => at !== nameAt && at !== idAt);
    const party = { name: name?.text, fiscalId: fiscalId?.text };
    const who = isByParty ? [counterpartyKey(party, invoice.fields.sharedIds)] : [];
    const key = [currency ?? '', ...plain.map(identity), ...who].join('\n');
    const known = this.#groups.get(key);
    if (known) {
      // The first name that a record has, as in aging: not each has one beside its fiscal ID.
      if (nameAt !== -1) known.values[nameAt] = filled(known.values[nameAt]) ?? name;
      else if (isByParty) known.other ??= filled(name);
      return known;
    }
    const other = nameAt === -1 ? filled(name) : idAt === -1 ? fiscalId : undefined;
    const shown = values.map((cell, at) => (at === idAt ? fiscalId : cell));
    return this.#newGroup(key, shown, currency, isByParty ? other : undefined);
  }

  #newGroup(
    key: string,
    values: (Cell | undefined)[],
    currency: string | undefined,
    other: Cell | undefined,
  ): TotalsGroup {
    if (this.#groups.size === MAX_GROUPS) this.#refuseMoreGroups();
    const sums = this.#request.sums.map((): Sum => ({
      total: DECIMAL_ZERO,
      creditNotes: DECIMAL_ZERO,
      cancelled: DECIMAL_ZERO,
      missing: 0,
      isFound: false,
    }));
    const group = { values, currency, other, records: 0, sums };
    this.#groups.set(key, group);
    return group;
  }

  #refuseMoreGroups(): never {
    throw new UsageError(
      `--group-by ${this.#request.groupBy.join(' --group-by ')} makes more than ${MAX_GROUPS.toLocaleString('en')} groups`,
      {
        hint: 'Group by a column that has fewer different values, or export the records and group them elsewhere.',
      },
    );
  }
}

/** A cell of a record, and what decides what it adds. */
interface Added {
  readonly invoice: Invoice;
  readonly cell: Cell | undefined;
  readonly role: AmountRole | undefined;
}

interface Worth {
  readonly amount: Decimal;
  readonly cancelled: Decimal;
}

type CellWorth = 'absent' | 'unreadable' | 'in no sum' | Worth;

/** The cell, if it has a value: empty text is none. */
export function filled(cell: Cell | undefined): Cell | undefined {
  return cell?.text === '' ? undefined : cell;
}

function asCurrency(cell: Cell | undefined): Cell | undefined {
  const text = bareCurrency(cell?.text);
  return text === undefined ? undefined : { kind: 'string', text };
}

/** A text that is equal for cells of one group: for 1.0 and 1.00, for nothing and empty text, but not for 1 and "1". */
function identity(cell: Cell | undefined): string {
  if (cell === undefined || cell.text === '') return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : cell.kind[0] + JSON.stringify(cell.text);
}
