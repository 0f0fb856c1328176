import { UsageError } from '../errors.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { amountOf } from './amount.ts';
import { foldFiscalId } from './where/cell-test.ts';
import { isCreditNote } from './where/invoice-tests.ts';
import {
  FieldFinder,
  howToMap,
  PROFILE_COLUMN,
  type KnownColumns,
  type KnownField,
} from './known-columns.ts';
import type { Buckets } from './question-syntax.ts';
import type { PlaceOf } from './questions.ts';

/** The buckets without --buckets. */
export const DEFAULT_BUCKETS: Buckets = [30, 60, 90];

/** How open amounts are aged. */
export interface AgingOptions {
  readonly fields: KnownColumns;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted, in days since 1970-01-01. */
  readonly asOf: number;
  /** Today: the service tells the balances of today. Where `asOf` is earlier, invoices issued after it are left out. */
  readonly today: number;
}

/** A counterparty, which owes or is owed; or all whose invoices lack a due date or a currency. */
interface Party {
  /** Undefined for open amounts without a currency. */
  readonly currency: string | undefined;
  /** The profile whose invoices these are, where there are several. */
  readonly profile: string | undefined;
  /** `noDueDate` and `noCurrency` stand for all invoices that lack it, of any counterparty. */
  readonly kind: 'counterparty' | 'noDueDate' | 'noCurrency';
  /** Undefined where the invoices have no name, and always for `noDueDate` and `noCurrency`. */
  name: string | undefined;
  readonly fiscalId: string | undefined;
}

/** The open amounts of a party in one currency. */
export interface AgedBalance extends Party {
  invoices: number;
  /** First what is not due, then a sum for each bucket. */
  readonly amounts: Decimal[];
  /** Open amounts without a due date, which are in no bucket. */
  undated: Decimal;
}

const DOCUMENT_TYPE = 'documentType';
const MAX_BALANCES = 100_000;

/**
 * Sorts open amounts by how long they are overdue, for each counterparty and currency, exactly.
 *
 * Fiscal IDs, in any punctuation, tell counterparties apart, else names do. A record with an open amount of zero is settled
 * and does not count, whatever else it lacks. A credit note reduces what is owed: an amount that is sent as positive counts
 * as negative. It is in the bucket of its own due date.
 */
export class Aging {
  /** How many open invoices were left out because they were issued after `asOf`. */
  issuedLater = 0;
  readonly #options: AgingOptions;
  readonly #placeOf: PlaceOf;
  readonly #finder: FieldFinder;
  readonly #typeAt: number;
  readonly #reader: CellReader;
  readonly #balances = new Map<string, AgedBalance>();
  #records = 0;
  #open = 0;

  /** @param placeOf the place in the listing, from 1, of the nth record that is added: for messages */
  constructor(options: AgingOptions, placeOf: PlaceOf = (nth) => nth) {
    this.#placeOf = placeOf;
    this.#options = options;
    const wanted: KnownField[] = ['amount', 'due', 'currency', 'counterpartyName', 'counterpartyFiscalId'];
    this.#finder = new FieldFinder(options.fields, this.#isPast ? [...wanted, 'date'] : wanted);
    this.#typeAt = this.#finder.columns.length;
    this.#reader = new CellReader([...this.#finder.columns, DOCUMENT_TYPE, PROFILE_COLUMN]);
  }

  /**
   * Adds records. Throws UsageError, with the record's place in the listing, for an amount that is missing or no number, and
   * for a due date that is no date.
   */
  add(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++)
      this.#addRecord(this.#reader.read(batch, index), this.#placeOf(++this.#records));
  }

  /** The balances in order of first appearance. Throws UsageError where no open invoice has one of the fields at all. */
  finish(): AgedBalance[] {
    // A counterparty is known by its name or by its fiscal ID: one of them is enough.
    const isNamed = this.#finder.has('counterpartyName') || this.#finder.has('counterpartyFiscalId');
    const wanted = this.#finder.wanted.filter((field) => !isNamed || !field.startsWith('counterparty'));
    const missing = wanted.find((field) => !this.#finder.has(field));
    if (this.#open > 0 && missing !== undefined) {
      throw new UsageError(`no figures: no open invoice has ${this.#finder.describe(missing)}`, {
        hint: howToMap(missing),
      });
    }
    return [...this.#balances.values()];
  }

  get #isPast(): boolean {
    return this.#options.asOf < this.#options.today;
  }

  #addRecord(cells: readonly (Cell | undefined)[], place: number): void {
    const { buckets, asOf } = this.#options;
    const amountCell = this.#finder.find('amount', cells) ?? this.#refuseAmount(place);
    const amount = amountOf(amountCell, { column: this.#finder.columnOf('amount'), place })!;
    if (amount.coefficient === 0n) return;
    this.#open++;
    const due = this.#dueDay(cells, place);
    const party = this.#partyOf(cells, due !== undefined);
    if (this.#isIssuedLater(cells)) {
      this.issuedLater++;
      return;
    }
    const signed =
      isCreditNote(cells[this.#typeAt]) && amount.coefficient > 0n ? negateDecimal(amount) : amount;
    const balance = this.#balanceOf(party);
    balance.invoices++;
    if (due === undefined) {
      balance.undated = addDecimals(balance.undated, signed);
      return;
    }
    const bucket = bucketOf(buckets, asOf - due);
    balance.amounts[bucket] = addDecimals(balance.amounts[bucket]!, signed);
  }

  #isIssuedLater(cells: readonly (Cell | undefined)[]): boolean {
    const issued = this.#isPast ? this.#finder.find('date', cells) : undefined;
    const day = issued && parseCalendarDay(issued.text);
    return day !== undefined && day > this.#options.asOf;
  }

  #dueDay(cells: readonly (Cell | undefined)[], place: number): number | undefined {
    const cell = this.#finder.find('due', cells);
    if (cell === undefined) return undefined;
    const day = parseCalendarDay(cell.text);
    if (day !== undefined) return day;
    throw new UsageError(
      `no figures: the due date of record ${place} is not a date: ${JSON.stringify(cell.text.slice(0, 40))}`,
      {
        hint: 'Dates begin with year, month and day, such as 2024-10-15. To read another column, add --field due=<column>.',
      },
    );
  }

  /**
   * The party of an invoice, as far as the invoice names it. Reads all fields, also of an invoice that is then left out, so that
   * the finder knows that records have them.
   */
  #partyOf(cells: readonly (Cell | undefined)[], isDated: boolean): Party {
    const name = this.#finder.find('counterpartyName', cells)?.text;
    const fiscalId = this.#finder.find('counterpartyFiscalId', cells)?.text;
    const currency = this.#finder.find('currency', cells)?.text;
    const profile = cells[this.#typeAt + 1]?.text;
    if (currency === undefined)
      return { kind: 'noCurrency', currency, profile, name: undefined, fiscalId: undefined };
    if (!isDated) return { kind: 'noDueDate', currency, profile, name: undefined, fiscalId: undefined };
    return { kind: 'counterparty', currency, profile, name, fiscalId };
  }

  #balanceOf(party: Party): AgedBalance {
    const { kind, currency, profile, name, fiscalId } = party;
    const who = fiscalId === undefined ? ['name', name] : ['id', foldFiscalId(fiscalId)];
    const key = JSON.stringify([kind, currency, profile, ...who]);
    const known = this.#balances.get(key);
    if (known !== undefined) {
      known.name ??= name;
      return known;
    }
    if (this.#balances.size === MAX_BALANCES) this.#refuseMore();
    const amounts = Array.from({ length: this.#options.buckets.length + 2 }, () => DECIMAL_ZERO);
    const balance = { ...party, invoices: 0, amounts, undated: DECIMAL_ZERO };
    this.#balances.set(key, balance);
    return balance;
  }

  #refuseAmount(place: number): never {
    throw new UsageError(`no figures: record ${place} is without ${this.#finder.describe('amount')}`, {
      hint: howToMap('amount'),
    });
  }

  #refuseMore(): never {
    throw new UsageError(`more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`, {
      hint: 'The column of the fiscal ID may be the wrong one. To read another, add --field counterpartyFiscalId=<column>.',
    });
  }
}

/** The names of the buckets' columns: `not due`, `1 to 30`, `31 to 60`, `61 to 90`, `over 90`. */
export function bucketNames(buckets: Buckets): string[] {
  const ranges = buckets.map((last, index) => `${(buckets[index - 1] ?? 0) + 1} to ${last}`);
  return ['not due', ...ranges, `over ${buckets.at(-1)}`];
}

/** The column of an amount that is so many days overdue, from 0. On the day that it is due, it is not overdue. */
export function bucketOf(buckets: Buckets, daysOverdue: number): number {
  if (daysOverdue <= 0) return 0;
  const index = buckets.findIndex((last) => daysOverdue <= last);
  return index === -1 ? buckets.length + 1 : index + 1;
}
