import type { RecordIds } from './ids.ts';
import type { Parties } from './parties.ts';
import { DAYS_OF_DATA, hash32, netOf, roundMoney, taxOn, type Currency } from './values.ts';

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

/** All in hundredths; `total` is the sum of the others. No tax is due on `exempt`. */
interface Amounts {
  readonly net: number;
  readonly exempt: number;
  readonly tax: number;
  readonly total: number;
}

/** A credit note and the invoice that it corrects, by their indices. */
interface Correction {
  readonly note: number;
  readonly invoice: number;
  /** Whether nothing of the invoice is left; else the note gives back a part. */
  readonly annuls: boolean;
  readonly block: number;
}

/** In each block of so many records, one of the second half is a credit note for an invoice of the first. */
const BLOCK = 20;

/** Days after which a credit note has been set off against what the customer owed. */
const SET_OFF_AFTER = 40;

/** Amounts of invoices before tax, in hundredths: each is up to twice as large. */
const STEPS: Readonly<Record<Currency, readonly number[]>> = {
  CLP: [4_500_000, 9_000_000, 16_000_000, 16_000_000, 28_000_000, 28_000_000, 60_000_000, 120_000_000],
  USD: [18_000, 42_000, 90_000, 90_000, 160_000, 380_000],
  EUR: [15_000, 38_000, 80_000, 150_000, 300_000],
};

/**
 * The invoices of one kind, issued or received. Each trait is computed from the index of the record alone, in nanoseconds, so
 * that a listing of a million can be sorted and filtered without making its records. Days count from 1970-01-01, amounts are in
 * hundredths.
 */
export class Ledger {
  readonly ids: RecordIds;
  readonly seed: number;
  /** The customers or issuers that the invoices are spread over. */
  readonly parties: Parties;
  /** The fiscal ID of the organization itself, which is the other party of each. */
  readonly owner: string;
  readonly count: number;
  /** True when record follows record by date; otherwise they come as they arrived, some of them weeks late. */
  readonly dated: boolean;
  /** The last day of the data. */
  readonly today: number;
  /** Whether amounts are spelled oddly, members missing and credit notes negative in a few records. */
  readonly awkward: boolean;
  /** Sixteen bytes a party. */
  #balances: [open: Float64Array, overdue: Float64Array] | undefined;

  constructor(of: Pick<Ledger, 'ids' | 'parties' | 'owner' | 'count' | 'dated' | 'today' | 'awkward'>) {
    this.ids = of.ids;
    this.seed = of.ids.seed;
    this.parties = of.parties;
    this.owner = of.owner;
    this.count = of.count;
    this.dated = of.dated;
    this.today = of.today;
    this.awkward = of.awkward;
  }

  /** The credit note and its invoice, where the record is one of the two. */
  correctionOf(index: number): Correction | undefined {
    const correction = this.#correctionIn(Math.floor(index / BLOCK));
    return correction?.note === index || correction?.invoice === index ? correction : undefined;
  }

  #correctionIn(block: number): Correction | undefined {
    const random = hash32(this.seed, block, 13);
    const note = block * BLOCK + BLOCK / 2 + (random % (BLOCK / 2 - 1));
    const invoice = block * BLOCK + ((random >>> 8) % (BLOCK / 2));
    return note < this.count ? { note, invoice, annuls: block % 3 === 1, block } : undefined;
  }

  /** The index of the invoice that a credit note corrects. */
  correctedBy(index: number): number | undefined {
    const correction = this.correctionOf(index);
    return correction?.note === index ? correction.invoice : undefined;
  }

  typeOf(index: number): DocumentType {
    return this.correctedBy(index) === undefined ? 'INVOICE' : 'CREDIT_NOTE';
  }

  /** The index of the customer or issuer. A few have much of the business, as it is in life. */
  partyOf(index: number): number {
    const share = hash32(this.seed, this.correctedBy(index) ?? index, 103) / 2 ** 32;
    // Records refer to a party even where there are none.
    return Math.floor(share * Math.sqrt(share) * Math.max(1, this.parties.count));
  }

  currencyOf(index: number): Currency {
    return this.parties.currencyOf(this.partyOf(index));
  }

  /**
   * Issued invoices and credit notes have a series each, without a gap. Those received are numbered by their issuers, each of whom
   * has got to another number.
   */
  numberOf(index: number): number {
    const block = Math.floor(index / BLOCK);
    const note = this.#correctionIn(block)?.note ?? Infinity;
    const start = this.dated ? 0 : 37 * (hash32(this.seed, this.partyOf(index), 22) % 900);
    if (note === index) return 501 + start + block;
    return 10_001 + start + index - block - (note < index ? 1 : 0);
  }

  /** The day on which the record came in; never before that of the record before it. */
  arrivalDayOf(index: number): number {
    return this.today - DAYS_OF_DATA + Math.floor(((index + 1) * DAYS_OF_DATA) / this.count);
  }

  /** The date of the invoice. */
  dayOf(index: number): number {
    const arrival = this.arrivalDayOf(index);
    if (this.dated) return arrival;
    const random = hash32(this.seed, index, 11);
    const invoice = this.correctedBy(index);
    // A credit note is not older than its invoice.
    if (invoice !== undefined) return Math.max(this.dayOf(invoice), arrival - (random % 6));
    return arrival - (random % 5 === 0 ? (random >>> 4) % 46 : (random >>> 4) % 7);
  }

  /** The day by which the invoice is to be paid. */
  dueDayOf(index: number): number {
    const term = this.typeOf(index) === 'INVOICE' ? this.parties.termOf(this.partyOf(index)) : 0;
    return this.dayOf(index) + term;
  }

  /** Whether a record has a member: a few awkward ones have null there, and a few do not have the member. */
  presenceOf(member: 'dueBy' | 'customer', index: number): 'there' | 'null' | 'missing' {
    const share = this.awkward ? hash32(this.seed, index, member === 'dueBy' ? 18 : 19) % 60 : 2;
    return share === 0 ? 'null' : share === 1 ? 'missing' : 'there';
  }

  /** True for the few amounts that are spelled with an exponent or superfluous decimals. */
  isOddlySpelled(index: number): boolean {
    if (!this.awkward || this.typeOf(index) !== 'INVOICE') return false;
    return this.currencyOf(index) === 'CLP' && hash32(this.seed, index, 15) % 29 === 0;
  }

  /** A credit note's are negative in every other awkward one; else the type tells alone. No total reaches 10^9. */
  amountsOf(index: number): Amounts {
    const correction = this.correctionOf(index);
    if (correction?.note !== index) return this.#amountsOfInvoice(index);
    const whole = this.#amountsOfInvoice(correction.invoice);
    const percent = correction.annuls ? 100 : 10 + 5 * (hash32(this.seed, index, 16) % 5);
    const currency = this.currencyOf(index);
    const part = (amount: number): number => roundMoney((amount * percent) / 100, currency);
    const [net, exempt] = [part(whole.net), part(whole.exempt)];
    const tax = correction.annuls ? whole.tax : taxOn(net, currency);
    const sign = this.awkward && correction.block % 2 === 0 ? -1 : 1;
    return { net: sign * net, exempt: sign * exempt, tax: sign * tax, total: sign * (net + exempt + tax) };
  }

  #amountsOfInvoice(index: number): Amounts {
    const random = hash32(this.seed, index, 16);
    const currency = this.currencyOf(index);
    if (this.isOddlySpelled(index)) {
      const total = 100 * 10 ** (3 + (random % 4)) * (1 + ((random >>> 8) % 9));
      const net = netOf(total, currency);
      return { net, exempt: 0, tax: total - net, total };
    }
    const steps = STEPS[currency];
    // What is bought is smaller than what is sold.
    const share = (this.dated ? 1 : 0.6) * (1 + ((random >>> 8) % 1000) / 1000);
    const base = roundMoney(steps[random % steps.length]! * share, currency);
    // No value added tax is due on what goes abroad, or comes from there.
    if (currency !== 'CLP' || this.parties.isExempt(this.partyOf(index))) {
      return { net: 0, exempt: base, tax: 0, total: base };
    }
    const exempt = (random >>> 20) % 12 === 0 ? roundMoney(base / 5, currency) : 0;
    const tax = taxOn(base - exempt, currency);
    return { net: base - exempt, exempt, tax, total: base + tax };
  }

  totalOf(index: number): number {
    return this.amountsOf(index).total;
  }

  statusOf(index: number): Status {
    const correction = this.correctionOf(index);
    if (correction?.annuls === true) {
      if (correction.invoice === index) return 'NULLIFIED';
      return this.#isLeftOpen(correction) ? 'PENDING' : 'PAID';
    }
    if (correction !== undefined && this.dayOf(correction.note) < this.today - SET_OFF_AFTER) return 'PAID';
    return correction?.note === index ? 'PENDING' : this.#statusByAge(index);
  }

  /** Most invoices are paid when they are due, and the later it is, the fewer are left. Large amounts are collected first. */
  #statusByAge(index: number): Status {
    // 61 spreads neighbours evenly, so that also a small company has its share of each.
    const share = ((hash32(this.seed, 3, 17) % 100) + index * 61) % 100;
    const daysLate = this.today - this.dueDayOf(index);
    if (daysLate <= 0) {
      if (share < 10 && this.dayOf(index) < this.today) return 'PAID';
      return share < 16 ? 'PARTIALLY_PAID' : 'PENDING';
    }
    const unpaid = daysLate <= 30 ? 36 : daysLate <= 60 ? 32 : daysLate <= 90 ? 18 : 4;
    const isLarge = hash32(this.seed, index, 16) % STEPS[this.currencyOf(index)].length > 3;
    if (share >= unpaid || (isLarge && daysLate > 30)) {
      return share >= 94 ? 'MANUALLY_MARKED_AS_PAID' : 'PAID';
    }
    return share % 5 === 0 ? 'PARTIALLY_PAID' : 'OVERDUE';
  }

  /** As awkward services do, an annulled invoice and its credit note may both stay open. */
  #isLeftOpen({ block }: Correction): boolean {
    return this.awkward && block % 2 === 1;
  }

  /** What is paid or set off. */
  paidOf(index: number): number {
    const status = this.statusOf(index);
    if (status === 'PAID' || status === 'MANUALLY_MARKED_AS_PAID') return this.totalOf(index);
    return status === 'PARTIALLY_PAID' ? roundMoney(this.totalOf(index) * 0.4, this.currencyOf(index)) : 0;
  }

  /** What is still to be paid. */
  openOf(index: number): number {
    if (this.statusOf(index) !== 'NULLIFIED') return this.totalOf(index) - this.paidOf(index);
    return this.#isLeftOpen(this.correctionOf(index)!) ? this.totalOf(index) : 0;
  }

  /** The open amounts of a party's invoices less those of its credit notes, and how much of the invoices was due before today. */
  balanceOf(party: number): { readonly open: number; readonly overdue: number } {
    const [open, overdue] = (this.#balances ??= this.#addBalances());
    return { open: open[party] ?? 0, overdue: overdue[party] ?? 0 };
  }

  #addBalances(): [open: Float64Array, overdue: Float64Array] {
    const [open, overdue] = [new Float64Array(this.parties.count), new Float64Array(this.parties.count)];
    for (let index = 0; index < this.count; index++) {
      // What was annulled is not owed, and its credit note gives nothing back.
      if (this.correctionOf(index)?.annuls === true) continue;
      const amount = this.openOf(index);
      const party = this.partyOf(index);
      if (this.typeOf(index) === 'CREDIT_NOTE') open[party]! -= Math.abs(amount);
      else open[party]! += amount;
      if (this.typeOf(index) === 'INVOICE' && this.dueDayOf(index) < this.today) overdue[party]! += amount;
    }
    return [open, overdue];
  }
}
