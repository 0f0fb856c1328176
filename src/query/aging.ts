import { UsageError } from '../errors.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import {
  KNOWN_FIELDS,
  missingFieldError,
  fixedValue,
  type KnownField,
  type KnownColumns,
} from './known-columns.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { addDecimals, negateDecimal, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { amountOf } from './amount.ts';
import type { PlaceOf } from './questions.ts';

/** Up to how many days overdue each bucket goes: 30, 60, 90. */
export type Buckets = readonly number[];

export const DEFAULT_BUCKETS: Buckets = [30, 60, 90];

export interface AgingOptions {
  readonly fields: KnownColumns;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted, in days since 1970-01-01. */
  readonly asOf: number;
}

/** What one counterparty owes, or is owed, in one currency. */
export interface AgedBalance {
  readonly currency: string;
  name: string | undefined;
  fiscalId: string | undefined;
  invoices: number;
  /** Not due first, then as the buckets. */
  readonly amounts: Decimal[];
}

const DOCUMENT_TYPE = 'documentType';
const CREDIT_NOTE = 'CREDIT_NOTE';
const MAX_BALANCES = 100_000;

/**
 * Sorts open amounts by how long they are overdue, for each counterparty and currency, exactly.
 *
 * Counterparties are told apart by fiscal ID, however it is punctuated, else by name. A record whose open amount is
 * zero is settled and counts for nothing, whatever else it lacks. A credit note takes away from what is owed: where
 * its amount is sent as positive, it is taken as negative. It is in the bucket of its own date.
 */
export class Aging {
  readonly #options: AgingOptions;
  readonly #placeOf: PlaceOf;
  readonly #columns: readonly string[];
  readonly #reader: CellReader;
  readonly #balances = new Map<string, AgedBalance>();
  readonly #found = new Set<KnownField>();
  #records = 0;

  /** @param placeOf Where in the listing, from 1, the nth record is that is added: for messages. */
  constructor(options: AgingOptions, placeOf: PlaceOf = (nth) => nth) {
    this.#placeOf = placeOf;
    this.#options = options;
    this.#columns = [...new Set([...Object.values(options.fields).flat(), DOCUMENT_TYPE])];
    this.#reader = new CellReader(this.#columns);
  }

  /** Throws UsageError, naming the record's place in the listing, for an amount, a date or a currency that is not there. */
  add(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++)
      this.#addRecord(this.#reader.read(batch, index), this.#placeOf(++this.#records));
  }

  /** The balances by first appearance. Throws UsageError where no open invoice has one of the fields at all. */
  finish(): AgedBalance[] {
    const missing = KNOWN_FIELDS.find((field) => !this.#found.has(field));
    if (this.#balances.size > 0 && missing)
      throw missingFieldError(missing, this.#options.fields, 'no open invoice');
    return [...this.#balances.values()];
  }

  #addRecord(cells: readonly (Cell | undefined)[], place: number): void {
    const { fields, buckets, asOf } = this.#options;
    const amountCell = this.#cellOf('amount', cells) ?? this.#refuse('amount', place);
    const amount = amountOf(amountCell, { column: fields.amount.join(' or '), place })!;
    if (amount.coefficient === 0n) return;
    const due = this.#dueDay(cells, place);
    const currency = (this.#cellOf('currency', cells) ?? this.#refuse('currency', place)).text;
    const balance = this.#balanceOf(cells, currency, place);
    balance.invoices++;
    const bucket = bucketOf(buckets, asOf - due);
    balance.amounts[bucket] = addDecimals(balance.amounts[bucket]!, this.#signed(amount, cells));
  }

  #dueDay(cells: readonly (Cell | undefined)[], place: number): number {
    const cell = this.#cellOf('due', cells) ?? this.#refuse('due', place);
    const day = parseCalendarDay(cell.text);
    if (day !== undefined) return day;
    throw new UsageError(
      `no figures: the due date of record ${place} is not a date: ${JSON.stringify(cell.text.slice(0, 40))}`,
      {
        hint: 'Dates begin with year, month and day, such as 2024-10-15. To read another column, add --field due=<column>.',
      },
    );
  }

  #signed(amount: Decimal, cells: readonly (Cell | undefined)[]): Decimal {
    const isCredit = cells[this.#columns.indexOf(DOCUMENT_TYPE)]?.text === CREDIT_NOTE;
    return isCredit && amount.coefficient > 0n ? negateDecimal(amount) : amount;
  }

  #balanceOf(cells: readonly (Cell | undefined)[], currency: string, place: number): AgedBalance {
    const name = this.#cellOf('counterpartyName', cells)?.text;
    const fiscalId = this.#cellOf('counterpartyFiscalId', cells)?.text;
    const party =
      fiscalId?.replaceAll(/[.\s-]/g, '').toUpperCase() ??
      name ??
      this.#refuse('counterpartyFiscalId', place);
    const key = JSON.stringify([currency, fiscalId === undefined, party]);
    let balance = this.#balances.get(key);
    if (!balance) {
      if (this.#balances.size === MAX_BALANCES) this.#refuseMore();
      const amounts = Array.from({ length: this.#options.buckets.length + 2 }, () => DECIMAL_ZERO);
      balance = { currency, name, fiscalId, invoices: 0, amounts };
      this.#balances.set(key, balance);
    }
    balance.name ??= name;
    return balance;
  }

  /** The first of the field's columns that has a value. */
  #cellOf(field: KnownField, cells: readonly (Cell | undefined)[]): Cell | undefined {
    for (const column of this.#options.fields[field]) {
      const cell = fixedValue(column) ?? cells[this.#columns.indexOf(column)];
      if (cell === undefined || cell.text === '') continue;
      this.#found.add(field);
      return cell;
    }
    return undefined;
  }

  #refuse(field: KnownField, place: number): never {
    throw missingFieldError(field, this.#options.fields, `record ${place}`);
  }

  #refuseMore(): never {
    throw new UsageError(`more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`, {
      hint: 'Is the column of the fiscal ID the right one? To read another, add --field counterpartyFiscalId=<column>.',
    });
  }
}

/** The columns: `not due`, `1 to 30`, `31 to 60`, `61 to 90`, `over 90`. */
export function bucketNames(buckets: Buckets): string[] {
  const ranges = buckets.map((last, index) => `${(buckets[index - 1] ?? 0) + 1} to ${last}`);
  return ['not due', ...ranges, `over ${buckets.at(-1)}`];
}

/** Which of the columns an amount is in that is `daysOverdue`: on the day it is due, it is not overdue. */
export function bucketOf(buckets: Buckets, daysOverdue: number): number {
  if (daysOverdue <= 0) return 0;
  const index = buckets.findIndex((last) => daysOverdue <= last);
  return index === -1 ? buckets.length + 1 : index + 1;
}
