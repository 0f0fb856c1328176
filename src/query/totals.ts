import { UsageError } from '../errors.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { amountOf } from './amount.ts';
import { cellOrder } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import { countOf } from '../output/terminal/number-text.ts';
import type { Note, PlaceOf, Question } from './questions.ts';
import {
  byCurrency,
  chosenColumns,
  resultRows,
  type BarTerminal,
  type MeasuredRow,
  type ResultRows,
  type ResultSite,
} from './result-rows.ts';
import { cellJson, type RowField } from './rows.ts';
import { DOCUMENT_TYPE, isCreditNote } from './where/invoice-tests.ts';

/** What is added up, by which columns. */
export interface TotalsRequest {
  /** The columns of `--sum`; none to count records only. */
  readonly sums: readonly string[];
  /** The columns of `--group-by`; none for one group of everything. */
  readonly groupBy: readonly string[];
  /** The column with the currency of the amounts. */
  readonly currency: string;
}

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
interface TotalsGroup {
  readonly values: readonly (Cell | undefined)[];
  readonly currency: Cell | undefined;
  records: number;
  /** Aligned with the columns of `--sum`. */
  readonly sums: Sum[];
}

interface Sum {
  total: Decimal;
  /** Records of the group that have no value in the column. */
  missing: number;
}

/** The most groups, of a few hundred bytes each. Nobody groups by a column that is different in every record. */
const MAX_GROUPS = 100_000;

/** Adds up columns exactly, for each group and each currency. Its memory grows with the groups, not with the records. */
export class Totals {
  readonly #request: TotalsRequest;
  readonly #placeOf: PlaceOf;
  readonly #reader: CellReader;
  /** The place of each column's cell in what the reader returns. */
  readonly #groupAt: readonly number[];
  readonly #sumAt: readonly number[];
  readonly #currencyAt: number;
  readonly #typeAt: number;
  readonly #watch: ColumnWatch;
  readonly #currencies: CurrencyGuard | undefined;
  readonly #groups = new Map<string, TotalsGroup>();
  #records = 0;
  #creditNotes = 0;

  constructor(request: TotalsRequest, placeOf: PlaceOf = (nth) => nth) {
    this.#placeOf = placeOf;
    const { sums, groupBy, currency } = request;
    this.#request = request;
    const columns = [...new Set([...groupBy, ...sums, currency, DOCUMENT_TYPE])];
    this.#reader = new CellReader(columns);
    this.#groupAt = groupBy.map((column) => columns.indexOf(column));
    this.#sumAt = sums.map((column) => columns.indexOf(column));
    this.#currencyAt = columns.indexOf(currency);
    this.#typeAt = columns.indexOf(DOCUMENT_TYPE);
    this.#watch = new ColumnWatch([...new Set([...groupBy, ...sums])]);
    this.#currencies =
      sums.length === 0 || groupBy.includes(currency) ? undefined : new CurrencyGuard(currency);
  }

  /** Adds records. Throws UsageError, with the record's place in the listing, for a text in a sum and for a missing currency. */
  add(batch: RecordBatch): void {
    this.#watch.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      this.#addRecord(cells, this.#placeOf(++this.#records));
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
        hint: 'To see the columns there are, use --list-columns.',
      });
    }
    if (this.#records === 0 && this.#request.groupBy.length === 0) this.#groupOf([], undefined);
    return [...this.#groups.values()];
  }

  /** Notes on the totals: credit notes whose amounts are positive make them larger, although they give something back. */
  notes(): Note[] {
    if (this.#creditNotes === 0 || this.#request.groupBy.includes(DOCUMENT_TYPE)) return [];
    const one = this.#creditNotes === 1;
    const text =
      `--sum adds the amounts of ${countOf(this.#creditNotes, 'credit note')} as ${one ? 'it was' : 'they were'} sent; ` +
      `--group-by ${DOCUMENT_TYPE} shows ${one ? 'it' : 'them'} apart`;
    return [{ kind: 'remark', text }];
  }

  #addRecord(cells: readonly (Cell | undefined)[], place: number): void {
    const amounts = this.#request.sums.map((column, index) =>
      amountOf(cells[this.#sumAt[index]!], { column, place }),
    );
    const currency = this.#currencies && present(cells[this.#currencyAt]);
    if (amounts.some((amount) => amount !== undefined)) this.#currencies?.check(currency, place);
    if (isCreditNote(cells[this.#typeAt]) && amounts.some((amount) => (amount?.coefficient ?? 0n) > 0n))
      this.#creditNotes++;
    const values = this.#groupAt.map((at) => cells[at]);
    const group = this.#groupOf(values, currency);
    group.records++;
    for (const [index, amount] of amounts.entries()) {
      const sum = group.sums[index]!;
      if (amount === undefined) sum.missing++;
      else sum.total = addDecimals(sum.total, amount);
    }
  }

  #groupOf(values: readonly (Cell | undefined)[], currency: Cell | undefined): TotalsGroup {
    const key = [currency, ...values].map(identity).join('\n');
    const known = this.#groups.get(key);
    if (known) return known;
    if (this.#groups.size === MAX_GROUPS) this.#refuseMoreGroups();
    const group = {
      values,
      currency,
      records: 0,
      sums: this.#request.sums.map(() => ({ total: DECIMAL_ZERO, missing: 0 })),
    };
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

/** Empty text names no currency. */
function present(cell: Cell | undefined): Cell | undefined {
  return cell?.text === '' ? undefined : cell;
}

/** A text that is equal for cells of one group: for 1.0 and 1.00, but not for the number 1 and the text "1". */
function identity(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : cell.kind[0] + JSON.stringify(cell.text);
}

/**
 * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each `--sum`
 * its column and `<column>.missing`, which counts the records without a value in it. The total of a column is null where no
 * record of the group has a value. Currencies come in order of first appearance; within each, the group with the largest
 * first total comes first, or the one with the most records.
 *
 * On a terminal the bars show the first total, or the records. A `.missing` column that is all zeros is left out there.
 */
export function totalsRows(
  groups: readonly TotalsGroup[],
  request: TotalsRequest,
  terminal?: BarTerminal,
): ResultRows {
  const columns = columnsOf(groups, request, terminal !== undefined);
  const currencies = byCurrency(groups, (group) => currencyOf(group, request)).map((ofOneCurrency) => {
    const sorted = ofOneCurrency.toSorted((a, b) => compareDecimals(sizeOf(b), sizeOf(a)));
    const scales = request.sums.map((_, index) => widestScale(sorted.map(({ sums }) => sums[index]!.total)));
    return sorted.map((group): MeasuredRow => ({
      row: fieldsOf(group, request, scales).filter(([name]) => columns.includes(name)),
      value: sizeOf(group),
    }));
  });
  return resultRows(currencies, { columns, spare: [], further: [] }, terminal);
}

/** The currency of a group, also where --group-by names it: each currency has its own scale and order. */
function currencyOf({ currency, values }: TotalsGroup, request: TotalsRequest): string | undefined {
  const at = request.groupBy.indexOf(request.currency);
  return (at === -1 ? currency : values[at])?.text;
}

function columnsOf(groups: readonly TotalsGroup[], request: TotalsRequest, onTerminal: boolean): string[] {
  const columns = [...request.groupBy];
  if (groups.some(({ currency }) => currency !== undefined)) columns.push(request.currency);
  columns.push('records');
  for (const [index, column] of request.sums.entries()) {
    columns.push(column);
    if (!onTerminal || groups.some(({ sums }) => sums[index]!.missing > 0)) columns.push(`${column}.missing`);
  }
  return columns;
}

function fieldsOf(
  group: TotalsGroup,
  { groupBy, currency, sums }: TotalsRequest,
  scales: readonly number[],
): RowField[] {
  const fields: RowField[] = groupBy.map((column, index) => [column, cellJson(group.values[index])]);
  // With --group-by currency, that column is there already.
  if (!groupBy.includes(currency)) fields.push([currency, cellJson(group.currency)]);
  fields.push(['records', String(group.records)]);
  for (const [index, column] of sums.entries()) {
    const { total, missing } = group.sums[index]!;
    fields.push([
      column,
      group.records > 0 && missing === group.records ? 'null' : formatDecimal(total, scales[index]),
    ]);
    fields.push([`${column}.missing`, String(missing)]);
  }
  return fields;
}

/** The value by which groups are ordered, and which bars show. */
function sizeOf(group: TotalsGroup): Decimal {
  return group.sums[0]?.total ?? { coefficient: BigInt(group.records), scale: 0 };
}

/** The column with the currency: the service uses this name in all records with amounts. */
const CURRENCY = 'currency';

interface TotalsFlags {
  readonly sum?: readonly string[] | undefined;
  readonly groupBy?: readonly string[] | undefined;
}

/** All columns that the totals can have. */
export function columnsOfTotals({ sum = [], groupBy = [] }: TotalsFlags): readonly string[] {
  const ofSums = sum.flatMap((column) => [column, `${column}.missing`]);
  return [...new Set([...groupBy, ...(sum.length > 0 ? [CURRENCY] : []), 'records', ...ofSums])];
}

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(
  { sum = [], groupBy = [] }: TotalsFlags,
  { terminal, placeOf }: ResultSite,
): Question {
  const request: TotalsRequest = { sums: sum, groupBy, currency: CURRENCY };
  const totals = new Totals(request, placeOf);
  let columns: readonly string[] = [];
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) totals.add(batch);
      const result = totalsRows(totals.finish(), request, terminal);
      columns = result.columns;
      yield result.batch;
    },
    result: {
      columns: (asked) =>
        asked === undefined ? columns : chosenColumns(columns, { asked, flag: '--columns' }),
    },
    notes: () => totals.notes(),
  };
}

/**
 * Refuses an amount without a currency where other amounts have one: it belongs in none of their totals, and a total of its
 * own would be in an unknown currency.
 */
class CurrencyGuard {
  readonly #column: string;
  #with: { readonly place: number; readonly currency: string } | undefined;
  #without: number | undefined;

  constructor(column: string) {
    this.#column = column;
  }

  /** Call it for every record with an amount, with the record's place in the listing from 1. Throws UsageError. */
  check(currency: Cell | undefined, place: number): void {
    if (currency === undefined) this.#without ??= place;
    else this.#with ??= { place, currency: currency.text };
    if (this.#with === undefined || this.#without === undefined) return;
    throw new UsageError(
      `different currencies in one sum: record ${this.#with.place} is in ${this.#with.currency}, record ${this.#without} has no ${this.#column}`,
      { hint: `Add --where '${this.#column}!=' to sum those that have one.` },
    );
  }
}
