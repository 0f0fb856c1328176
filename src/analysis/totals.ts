import { UsageError } from '../errors.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { amountOf } from './amount.ts';
import { cellOrder } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import { addDecimals, ZERO, type Decimal } from './decimal.ts';
import { OneCurrency } from './one-currency.ts';

export interface TotalsRequest {
  /** The columns of `--sum`; none to count records only. */
  readonly sums: readonly string[];
  /** The columns of `--group-by`; none for one group of everything. */
  readonly groupBy: readonly string[];
  /** The column that says in what an amount is. */
  readonly currency: string;
}

/** Where in the listing, from 1, the nth record is that is added: for messages. */
export type PlaceOf = (nth: number) => number;

/** The records that agree in the columns of `--group-by` and, where amounts are summed, in their currency. */
export interface Group {
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

/** A group is a few hundred bytes; a column with a value of its own in every record is not what one groups by. */
const MOST_GROUPS = 100_000;

/** Adds up columns, exactly, for each group and each currency. Memory grows with the groups, not with the records. */
export class Totals {
  readonly #request: TotalsRequest;
  readonly #placeOf: PlaceOf;
  readonly #reader: CellReader;
  /** Where the cells of each column are in what the reader gives. */
  readonly #groupAt: readonly number[];
  readonly #sumAt: readonly number[];
  readonly #currencyAt: number;
  readonly #watch: ColumnWatch;
  readonly #currencies: OneCurrency | undefined;
  readonly #groups = new Map<string, Group>();
  #records = 0;

  constructor(request: TotalsRequest, placeOf: PlaceOf = (nth) => nth) {
    this.#placeOf = placeOf;
    const { sums, groupBy, currency } = request;
    this.#request = request;
    const columns = [...new Set([...groupBy, ...sums, currency])];
    this.#reader = new CellReader(columns);
    this.#groupAt = groupBy.map((column) => columns.indexOf(column));
    this.#sumAt = sums.map((column) => columns.indexOf(column));
    this.#currencyAt = columns.indexOf(currency);
    this.#watch = new ColumnWatch([...new Set([...groupBy, ...sums])]);
    this.#currencies =
      sums.length === 0 || groupBy.includes(currency) ? undefined : new OneCurrency(currency);
  }

  /** Throws UsageError, naming the record's place in the listing, for text in a sum and for an amount in no currency. */
  add(batch: RecordBatch): void {
    this.#watch.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      this.#addRecord(cells, this.#placeOf(++this.#records));
    }
  }

  /** The groups in order of first appearance; one of no records where nothing came and all is one group. Throws UsageError when no record has a column that was named. */
  finish(): Group[] {
    const [complaint] = this.#watch.complaints();
    if (complaint !== undefined) {
      throw new UsageError(`nothing to add up: ${complaint}`, {
        hint: '--list-columns shows the columns there are',
      });
    }
    if (this.#records === 0 && this.#request.groupBy.length === 0) this.#groupOf([], undefined);
    return [...this.#groups.values()];
  }

  #addRecord(cells: readonly (Cell | undefined)[], place: number): void {
    const amounts = this.#request.sums.map((column, index) =>
      amountOf(cells[this.#sumAt[index]!], { column, place }),
    );
    const currency = this.#currencies && present(cells[this.#currencyAt]);
    if (amounts.some((amount) => amount !== undefined)) this.#currencies?.check(currency, place);
    const values = this.#groupAt.map((at) => cells[at]);
    const group = this.#groupOf(values, currency);
    group.records++;
    for (const [index, amount] of amounts.entries()) {
      const sum = group.sums[index]!;
      if (amount === undefined) sum.missing++;
      else sum.total = addDecimals(sum.total, amount);
    }
  }

  #groupOf(values: readonly (Cell | undefined)[], currency: Cell | undefined): Group {
    const key = [currency, ...values].map(identity).join('\n');
    const known = this.#groups.get(key);
    if (known) return known;
    if (this.#groups.size === MOST_GROUPS) this.#refuseMoreGroups();
    const group = {
      values,
      currency,
      records: 0,
      sums: this.#request.sums.map(() => ({ total: ZERO, missing: 0 })),
    };
    this.#groups.set(key, group);
    return group;
  }

  #refuseMoreGroups(): never {
    throw new UsageError(
      `--group-by ${this.#request.groupBy.join(' --group-by ')} makes more than ${MOST_GROUPS.toLocaleString('en')} groups`,
      {
        hint: 'Group by a column that fewer records differ in, or export the records and group them elsewhere',
      },
    );
  }
}

/** Empty text names no currency. */
function present(cell: Cell | undefined): Cell | undefined {
  return cell?.text === '' ? undefined : cell;
}

/** Equal for cells that belong in one group: 1.0 and 1.00 do, the number 1 and the text "1" do not. */
function identity(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return cell.kind === 'number' ? `n${cellOrder(cell)}` : cell.kind[0] + JSON.stringify(cell.text);
}
