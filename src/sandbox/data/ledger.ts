import { daysOfData, firstDay, referenceDay } from './calendar.ts';
import { hash32 } from './hash.ts';
import type { Currency } from './money.ts';

export const statuses = [
  'PAID',
  'MANUALLY_MARKED_AS_PAID',
  'OVERDUE',
  'PENDING',
  'PARTIALLY_PAID',
  'NULLIFIED',
] as const;
export type Status = (typeof statuses)[number];
export const documentTypes = ['INVOICE', 'CREDIT_NOTE'] as const;
export type DocumentType = (typeof documentTypes)[number];

export interface LedgerOptions {
  readonly seed: number;
  readonly count: number;
  /** How many customers or issuers the invoices are spread over, at least 1. */
  readonly parties: number;
  /** True when record follows record by date; otherwise they come as they arrived, up to 45 days late. */
  readonly dated: boolean;
}

/**
 * What the invoices of one kind are sorted and filtered by. Each trait is computed from the index of the record
 * alone, in nanoseconds, so that a listing of a million can be sorted and filtered without making its records.
 */
export class Ledger {
  readonly seed: number;
  readonly count: number;
  readonly dated: boolean;
  readonly #parties: number;

  constructor(options: LedgerOptions) {
    this.seed = options.seed;
    this.count = options.count;
    this.#parties = options.parties;
    this.dated = options.dated;
  }

  /** The index of the customer or issuer. */
  partyOf(index: number): number {
    return hash32(this.seed, index, 10) % this.#parties;
  }

  /** The day on which the record came in, in days since 1970-01-01; never before that of the record before it. */
  arrivalDayOf(index: number): number {
    return firstDay + Math.floor((index * daysOfData) / this.count);
  }

  /** The date of the invoice, in days since 1970-01-01. */
  dayOf(index: number): number {
    return this.arrivalDayOf(index) - (this.dated ? 0 : hash32(this.seed, index, 11) % 46);
  }

  /** The day by which the invoice is to be paid. */
  dueDayOf(index: number): number {
    return this.dayOf(index) + 15 * (hash32(this.seed, index, 12) % 7);
  }

  typeOf(index: number): DocumentType {
    return hash32(this.seed, index, 13) % 23 === 22 ? 'CREDIT_NOTE' : 'INVOICE';
  }

  /** Credit notes have a series of their own. */
  numberOf(index: number): number {
    return index + (this.typeOf(index) === 'INVOICE' ? 10_001 : 501);
  }

  currencyOf(index: number): Currency {
    const share = hash32(this.seed, index, 14) % 100;
    return share < 75 ? 'CLP' : share < 92 ? 'USD' : 'EUR';
  }

  /** True for the few amounts that are spelled with an exponent or superfluous decimals. */
  isOddlySpelled(index: number): boolean {
    return this.currencyOf(index) === 'CLP' && hash32(this.seed, index, 15) % 29 === 0;
  }

  /** The total in hundredths, negative for credit notes; under 10^9 in size. */
  amountOf(index: number): number {
    const random = hash32(this.seed, index, 16);
    const magnitude = 10 ** (3 + (random % 4));
    const whole = this.isOddlySpelled(index)
      ? magnitude * (1 + ((random >>> 8) % 9))
      : Math.floor((magnitude * (1000 + ((random >>> 8) % 8999))) / 1000);
    const hundredths = this.currencyOf(index) === 'CLP' ? whole * 100 : whole;
    return this.typeOf(index) === 'CREDIT_NOTE' ? -hundredths : hundredths;
  }

  statusOf(index: number): Status {
    const share = hash32(this.seed, index, 17) % 100;
    if (share < 3) return 'NULLIFIED';
    if (this.dueDayOf(index) >= referenceDay) {
      return share < 60 ? 'PENDING' : share < 90 ? 'PAID' : 'PARTIALLY_PAID';
    }
    return share < 15
      ? 'OVERDUE'
      : share < 22
        ? 'PARTIALLY_PAID'
        : share < 29
          ? 'MANUALLY_MARKED_AS_PAID'
          : 'PAID';
  }
}
