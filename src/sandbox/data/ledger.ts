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
export const documentTypes = ['INVOICE', 'CREDIT_NOTE'] as const;

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
}

/** An invoice or a credit note. Days count from 1970-01-01, amounts are in hundredths. */
export interface LedgerDocument extends Amounts {
  readonly index: number;
  readonly number: number;
  readonly type: (typeof documentTypes)[number];
  readonly status: (typeof statuses)[number];
  /** That of which it is the credit note or the invoice. */
  readonly correction: Correction | undefined;
  /** The index of the customer or issuer. */
  readonly party: number;
  readonly currency: Currency;
  /** The day on which the record came in; never before that of the record before it. */
  readonly arrival: number;
  readonly day: number;
  /** The day by which it is to be paid. */
  readonly due: number;
  /** What is paid or set off, and what is still to be paid. */
  readonly paid: number;
  readonly open: number;
  /** Whether the total is spelled with an exponent or superfluous decimals. */
  readonly isOdd: boolean;
}

interface LedgerOptions {
  readonly ids: RecordIds;
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

export type Ledger = ReturnType<typeof openLedger>;

/**
 * The invoices of one kind, issued or received. Each is computed from its index alone, so that a listing of a million can be
 * sorted and filtered without being kept.
 */
export function openLedger(options: LedgerOptions) {
  const { ids, parties, count, dated, today, awkward } = options;
  const { seed } = ids;

  const correctionIn = (block: number): Correction | undefined => {
    const random = hash32(seed, block, 13);
    const note = block * BLOCK + BLOCK / 2 + (random % (BLOCK / 2 - 1));
    const invoice = block * BLOCK + ((random >>> 8) % (BLOCK / 2));
    return note < count ? { note, invoice, annuls: block % 3 === 1 } : undefined;
  };

  /** The party of an invoice. A few parties have most of the business. */
  const partyOf = (index: number): number => {
    const share = hash32(seed, index, 103) / 2 ** 32;
    // Records refer to a party even if the count of parties is 0.
    return Math.floor(share * Math.sqrt(share) * Math.max(1, parties.count));
  };

  const arrivalOf = (index: number): number =>
    today - DAYS_OF_DATA + Math.floor(((index + 1) * DAYS_OF_DATA) / count);

  /** @param invoice the one that a credit note corrects: the note is not older */
  const dayOf = (index: number, invoice?: number): number => {
    const arrival = arrivalOf(index);
    if (dated) return arrival;
    const random = hash32(seed, index, 11);
    if (invoice !== undefined) return Math.max(dayOf(invoice), arrival - (random % 6));
    return arrival - (random % 5 === 0 ? (random >>> 4) % 46 : (random >>> 4) % 7);
  };

  const isOdd = (index: number, currency: Currency): boolean =>
    awkward && currency === 'CLP' && hash32(seed, index, 15) % 29 === 0;

  const amountsOfInvoice = (index: number, party: number): Amounts => {
    const random = hash32(seed, index, 16);
    const currency = parties.currencyOf(party);
    if (isOdd(index, currency)) {
      const total = 100 * 10 ** (3 + (random % 4)) * (1 + ((random >>> 8) % 9));
      const net = netOf(total, currency);
      return { net, exempt: 0, tax: total - net, total };
    }
    const steps = STEPS[currency];
    // Received invoices are smaller than issued ones.
    const share = (dated ? 1 : 0.6) * (1 + ((random >>> 8) % 1000) / 1000);
    const base = roundMoney(steps[random % steps.length]! * share, currency);
    // No value added tax is due on what goes abroad, or comes from there.
    if (currency !== 'CLP' || parties.isExempt(party)) return { net: 0, exempt: base, tax: 0, total: base };
    const exempt = (random >>> 20) % 12 === 0 ? roundMoney(base / 5, currency) : 0;
    const tax = taxOn(base - exempt, currency);
    return { net: base - exempt, exempt, tax, total: base + tax };
  };

  /** With awkward data, every other credit note has negative amounts; else only its type shows it. */
  const amountsOfNote = ({ note, invoice, annuls }: Correction, party: number): Amounts => {
    const whole = amountsOfInvoice(invoice, party);
    const percent = annuls ? 100 : 10 + 5 * (hash32(seed, note, 16) % 5);
    const currency = parties.currencyOf(party);
    const part = (amount: number): number => roundMoney((amount * percent) / 100, currency);
    const [net, exempt] = [part(whole.net), part(whole.exempt)];
    const tax = annuls ? whole.tax : taxOn(net, currency);
    const sign = awkward && Math.floor(note / BLOCK) % 2 === 0 ? -1 : 1;
    return { net: sign * net, exempt: sign * exempt, tax: sign * tax, total: sign * (net + exempt + tax) };
  };

  /** Most invoices are paid when due, and fewer are left the later it is. Large amounts are collected first. */
  const statusByAge = ({
    index,
    currency,
    day,
    due,
  }: Pick<LedgerDocument, 'index' | 'currency' | 'day' | 'due'>) => {
    // 61 spreads neighbours evenly, so that also a small company has its share of each.
    const share = ((hash32(seed, 3, 17) % 100) + index * 61) % 100;
    const daysLate = today - due;
    if (daysLate <= 0) {
      if (share < 10 && day < today) return 'PAID';
      return share < 16 ? 'PARTIALLY_PAID' : 'PENDING';
    }
    const unpaid = daysLate <= 30 ? 36 : daysLate <= 60 ? 32 : daysLate <= 90 ? 18 : 4;
    const isLarge = hash32(seed, index, 16) % STEPS[currency].length > 3;
    if (share >= unpaid || (isLarge && daysLate > 30))
      return share >= 94 ? 'MANUALLY_MARKED_AS_PAID' : 'PAID';
    return share % 5 === 0 ? 'PARTIALLY_PAID' : 'OVERDUE';
  };

  const at = (index: number): LedgerDocument => {
    const block = Math.floor(index / BLOCK);
    const found = correctionIn(block);
    const isNote = found?.note === index;
    const correction = isNote || found?.invoice === index ? found : undefined;
    const invoice = isNote ? found.invoice : index;
    const party = partyOf(invoice);
    const currency = parties.currencyOf(party);
    const day = isNote ? dayOf(index, invoice) : dayOf(index);
    const due = isNote ? day : day + parties.termOf(party);
    const { net, exempt, tax, total } = isNote ? amountsOfNote(found, party) : amountsOfInvoice(index, party);
    // As awkward services do, an annulled invoice and its credit note may both stay open.
    const isLeftOpen = awkward && block % 2 === 1;
    const statusOf = (): LedgerDocument['status'] => {
      if (correction === undefined) return statusByAge({ index, currency, day, due });
      const { note, annuls } = correction;
      if (annuls && !isNote) return 'NULLIFIED';
      if (annuls) return isLeftOpen ? 'PENDING' : 'PAID';
      if (dayOf(note, correction.invoice) < today - SET_OFF_AFTER) return 'PAID';
      return isNote ? 'PENDING' : statusByAge({ index, currency, day, due });
    };
    const status = statusOf();
    const isPaid = status === 'PAID' || status === 'MANUALLY_MARKED_AS_PAID';
    const paid = isPaid ? total : status === 'PARTIALLY_PAID' ? roundMoney(total * 0.4, currency) : 0;
    // Issued documents have a series for each type, without a gap; those received are numbered by their issuers.
    const start = dated ? 0 : 37 * (hash32(seed, party, 22) % 900);
    const nth = index - block - ((found?.note ?? Infinity) < index ? 1 : 0);
    return {
      index,
      net,
      exempt,
      tax,
      total,
      correction,
      party,
      currency,
      day,
      due,
      status,
      paid,
      number: isNote ? 501 + start + block : 10_001 + start + nth,
      type: isNote ? 'CREDIT_NOTE' : 'INVOICE',
      arrival: arrivalOf(index),
      open: status === 'NULLIFIED' && !isLeftOpen ? 0 : total - paid,
      isOdd: !isNote && isOdd(index, currency),
    };
  };

  /** The balances of all parties, in sixteen bytes each. */
  const addBalances = (): [open: Float64Array, overdue: Float64Array] => {
    const [owed, overdue] = [new Float64Array(parties.count), new Float64Array(parties.count)];
    for (let index = 0; index < count; index++) {
      const { correction, party, type, open, due } = at(index);
      // An annulled invoice is not owed, and its credit note returns nothing.
      if (correction?.annuls === true) continue;
      owed[party]! += type === 'INVOICE' ? open : -Math.abs(open);
      if (type === 'INVOICE' && due < today) overdue[party]! += open;
    }
    return [owed, overdue];
  };
  let balances: ReturnType<typeof addBalances> | undefined;

  return {
    ...options,
    seed,
    at,
    /** Whether a record has a member: a few awkward ones have null there, and a few do not have the member. */
    presenceOf(member: 'dueBy' | 'customer', index: number): 'there' | 'null' | 'missing' {
      const share = awkward ? hash32(seed, index, member === 'dueBy' ? 18 : 19) % 60 : 2;
      return share === 0 ? 'null' : share === 1 ? 'missing' : 'there';
    },
    /** The open amounts of a party's invoices less its credit notes, and how much of the invoices was due before today. */
    balanceOf(party: number): { readonly open: number; readonly overdue: number } {
      const [open, overdue] = (balances ??= addBalances());
      return { open: open[party] ?? 0, overdue: overdue[party] ?? 0 };
    },
  };
}
