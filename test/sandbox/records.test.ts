import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fundsOf, openFund, renderCustomer, renderDocument } from '../../src/sandbox/listings.ts';
import { renderIssued, renderReceived } from '../../src/sandbox/invoices.ts';
import { statuses } from '../../src/sandbox/data/ledger.ts';
import { makeOrganizations, type Organization } from '../../src/sandbox/data/organization.ts';

/** Those of `folio sandbox`. */
const COUNTS = { issued: 120, received: 90, customers: 40, funds: 12, documents: 130 };
const counts = { issued: 3000, received: 600, customers: 200, funds: 40, documents: 60 };
const linkTo = (invoice: string, file: number): string => `http://localhost/files/${invoice}/${file}`;
const settings = { seed: 1, today: 20_779, awkward: true } as const;
const [first, second] = makeOrganizations(counts, settings);

const kinds: Readonly<Record<string, (organization: Organization) => string[]>> = {
  issued: ({ issued }) =>
    range(issued.ledger.count).map((index) =>
      renderIssued(issued.ledger, index, { linkTo, withMovements: true }),
    ),
  received: ({ received }) =>
    range(received.ledger.count).map((index) => renderReceived(received.ledger, index)),
  customers: ({ issued }) =>
    range(issued.ledger.parties.count).map((index) => renderCustomer(issued.ledger, index)),
  funds: (organization) => {
    const funds = fundsOf(organization);
    return range(funds.count).map((index) => `${openFund(funds, index)}}`);
  },
  documents: (organization) => {
    const funds = fundsOf(organization);
    return range(funds.documents).map((index) => renderDocument(funds, 3, index));
  },
};

/** Those of the first organization. */
const rendered = Object.fromEntries(Object.entries(kinds).map(([kind, render]) => [kind, render(first)]));

describe.each(Object.entries(kinds))('records: %s', (kind, render) => {
  const records = rendered[kind]!;

  it('are JSON objects with an id of their own', () => {
    const ids = records.map((record) => (JSON.parse(record) as { id: string }).id);
    expect(new Set(ids).size).toBe(records.length);
  });

  it('are the same for the same seed, and others for another', () => {
    expect(render(makeOrganizations(counts, settings)[0])).toEqual(records);
    expect(records).not.toContain(render(makeOrganizations(counts, { ...settings, seed: 2 })[0])[0]);
  });

  it('are fewer in the second organization, and none of the first', () => {
    const others = new Set(render(second));
    expect(others.size).toBe(Math.ceil(records.length / 3));
    expect(records.filter((record) => others.has(record))).toEqual([]);
  });

  it('keep some fields for the end', () => {
    const early = new Set(records.slice(0, Math.floor(records.length * 0.9)).flatMap(namesOf));
    const late = records.flatMap(namesOf).filter((name) => !early.has(name));
    // A fund's fields are all there from the start; its last document has one more.
    if (kind !== 'funds') expect(late).not.toEqual([]);
  });
});

describe('what awkward records are there to show', () => {
  const issued = rendered['issued']!.join('\n');

  it('has amounts whose spelling matters', () => {
    for (const spelling of [/\d+\.\d0,/, /-\d/, /\dE\d/, /\d\.0e\+0\d/, /\d+\.00,/])
      expect(issued).toMatch(new RegExp(`"totalAmount":${spelling.source}`));
    expect(issued).toMatch(/"trackingId":\d{19},/);
    expect(issued).toMatch(/"exchangeRate":9\.\d+E2/);
  });

  it.each(['=', '+', '-', '@'])('has a name that a spreadsheet runs: %s', (sign) => {
    expect(issued).toContain(`"name":"${sign}`);
  });

  it('has names that break careless programs', () => {
    const all = rendered['customers']!.map((text) => (JSON.parse(text) as { name: string }).name).join('|');
    for (const text of ['\u001b[31m', '株式', ...'",;\n\t\\ñ🎈🚀\u0301\u202e']) expect(all).toContain(text);
  });

  it('has every status, document type, currency and number of files', () => {
    for (const status of statuses) expect(issued).toContain(`"status":"${status}"`);
    for (const currency of ['CLP', 'USD', 'EUR']) expect(issued).toContain(`"currency":"${currency}"`);
    expect(issued).toContain('"documentType":"CREDIT_NOTE"');
    const files = parsed(rendered['issued']!).map((invoice) => invoice.files!.length);
    expect(new Set(files)).toEqual(new Set([0, 1, 2]));
  });

  it('has JSON numbers also where an amount is nothing', () => {
    const [many] = makeOrganizations({ ...counts, customers: 700 }, { ...settings, seed: 9 });
    expect(kinds.customers!(many).join()).toMatch(/"creditLimit":0[,}]/);
  });
});

function namesOf(record: string): string[] {
  return Object.keys(JSON.parse(record) as object);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** 2026-11-22, in days since 1970-01-01. */
const TODAY = 20_779;

/** What both kinds of invoices have, and what one of them has. */
type Invoice = Readonly<
  Record<'id' | 'documentType' | 'status' | 'date' | 'dueBy' | 'currency', string> &
    Record<'receiverFiscalId' | 'issuerFiscalId', string> &
    Record<'totalAmount' | 'netAmount' | 'exemptAmount' | 'taxAmount', number> &
    Record<'amountToBePaid' | 'conciliatedAmount', number> & {
      relatedDocumentId: string | null;
      relatedDocumentNumber: number | null;
      number: number;
      files?: readonly object[];
      payments?: readonly Readonly<{ date: string; amount: number }>[];
      accountingEntries?: readonly Readonly<{ debit: number; credit: number }>[];
    }
>;

function company(seed: number, { today = TODAY, awkward = false } = {}): Organization {
  return makeOrganizations(COUNTS, { seed, today, awkward })[0];
}

/** The invoices of an organization, of both kinds. */
const invoicesOf = (organization: Organization): [issued: Invoice[], received: Invoice[]] => [
  parsed(kinds.issued!(organization)),
  parsed(kinds.received!(organization)),
];

/** Has so many books that are drawn by chance be as the test says. */
const check = <T>(runs: number, of: fc.Arbitrary<T>, test: (drawn: T) => void): void =>
  fc.assert(fc.property(of, test), { numRuns: runs });

const parsed = (texts: readonly string[]): Invoice[] => texts.map((text) => JSON.parse(text) as Invoice);
const cents = (amount: number): number => Math.round(amount * 100);
const day = (text: string): number => Date.parse(text.slice(0, 10)) / 86_400_000;
const books = fc.record({ seed: fc.nat(), awkward: fc.boolean() });
const isNote = ({ documentType }: Invoice): boolean => documentType === 'CREDIT_NOTE';

describe('the books of a company', () => {
  it('add up: net, exempt and tax, what is paid and what is open, payments and entries', () => {
    check(4, books, ({ seed, awkward }) => {
      for (const invoice of invoicesOf(company(seed, { awkward })).flat()) {
        const { netAmount, exemptAmount, taxAmount, totalAmount, payments, accountingEntries } = invoice;
        expect(cents(netAmount) + cents(exemptAmount) + cents(taxAmount)).toBe(cents(totalAmount));
        const [open, paid] = [cents(invoice.amountToBePaid), cents(invoice.conciliatedAmount)];
        if (invoice.status === 'NULLIFIED')
          expect([[0, cents(totalAmount)].includes(open), paid]).toEqual([true, 0]);
        else expect(open + paid).toBe(cents(totalAmount));
        if (!awkward) {
          const unit = invoice.currency === 'CLP' ? 1 : 0.01;
          expect(Math.abs(taxAmount - netAmount * 0.19)).toBeLessThanOrEqual(0.51 * unit);
        }
        if (payments !== undefined && !isNote(invoice)) {
          expect(payments.reduce((sum, { amount }) => sum + cents(amount), 0)).toBe(paid);
        }
        const [debits, credits] = (['debit', 'credit'] as const).map((side) =>
          (accountingEntries ?? []).reduce((sum, entry) => sum + cents(entry[side]), 0),
        );
        expect(debits).toBe(credits);
        if (accountingEntries !== undefined) expect(debits).toBe(Math.abs(cents(totalAmount)));
      }
    });
  });

  it('have each credit note refer to an invoice of the same party, and each annulled invoice to a note that annuls it', () => {
    check(4, books, ({ seed, awkward }) => {
      for (const invoices of invoicesOf(company(seed, { awkward }))) {
        const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
        const annulled: string[] = [];
        for (const note of invoices.filter(isNote)) {
          const of = byId.get(note.relatedDocumentId ?? '')!;
          expect(note.relatedDocumentNumber).toBe(of.number);
          for (const member of ['currency', 'issuerFiscalId', 'receiverFiscalId'] as const) {
            expect(note[member]).toBe(of[member]);
          }
          expect(note.date >= of.date && day(note.date) <= TODAY).toBe(true);
          const whole = cents(Math.abs(note.totalAmount)) === cents(of.totalAmount);
          expect(of.status === 'NULLIFIED').toBe(whole);
          expect(Math.abs(note.totalAmount)).toBeLessThanOrEqual(of.totalAmount);
          if (whole) annulled.push(of.id);
        }
        const nullified = invoices.filter(({ status }) => status === 'NULLIFIED');
        expect(annulled).toEqual(nullified.map(({ id }) => id));
        expect(annulled.length).toBeGreaterThan(0);
        const others = invoices.filter((invoice) => !isNote(invoice));
        expect(others.every(({ relatedDocumentId }) => relatedDocumentId === null)).toBe(true);
      }
    });
  });

  it('go up to today, with payments and lateness that fit their dates', () => {
    check(8, fc.tuple(fc.nat(), fc.integer({ min: 0, max: 40_000 })), ([seed, today]) => {
      const [issued, received] = invoicesOf(company(seed, { today }));
      expect(day(issued.at(-1)!.date)).toBe(today);
      const all = [...issued.filter((invoice) => !isNote(invoice)), ...received];
      for (const { date, dueBy, status, payments = [], amountToBePaid } of all) {
        expect(day(date)).toBeLessThanOrEqual(today);
        for (const payment of payments) {
          expect(day(payment.date)).toBeGreaterThanOrEqual(day(date));
          expect(day(payment.date)).toBeLessThanOrEqual(today);
        }
        if (status === 'OVERDUE') expect(day(dueBy)).toBeLessThan(today);
        if (status === 'OVERDUE' || status === 'PENDING') expect(amountToBePaid).toBeGreaterThan(0);
      }
    });
  });

  it('say of each customer what the invoices say', () => {
    check(4, fc.nat(), (seed) => {
      const books = company(seed);
      type Customer = { fiscalId: string; balance: { total: number; overdue: number } };
      const customers = kinds.customers!(books).map((text) => JSON.parse(text) as Customer);
      const owed = new Map(customers.map(({ fiscalId }) => [fiscalId, [0, 0] as [number, number]]));
      for (const invoice of invoicesOf(books)[0]) {
        const of = owed.get(invoice.receiverFiscalId)!;
        const open = cents(invoice.amountToBePaid);
        of[0] += isNote(invoice) ? -open : open;
        if (!isNote(invoice) && day(invoice.dueBy) < TODAY) of[1] += open;
      }
      for (const { fiscalId, balance } of customers) {
        expect([cents(balance.total), cents(balance.overdue)]).toEqual(owed.get(fiscalId));
      }
    });
  });

  it('have documents of a fund that make up what is accounted for, and what is left is the balance', () => {
    const funds = fundsOf(company(3));
    for (let fund = 0; fund < funds.count; fund++) {
      const { amount, accountedAmount, balance } = JSON.parse(`${openFund(funds, fund)}}`) as Record<
        'amount' | 'accountedAmount' | 'balance',
        number
      >;
      const amounts = Array.from(
        { length: funds.documents },
        (_, index) => (JSON.parse(renderDocument(funds, fund, index)) as { totalAmount: number }).totalAmount,
      );
      expect(amounts.reduce((sum, each) => sum + each, 0)).toBe(accountedAmount);
      expect(Math.min(...amounts)).toBeGreaterThan(0);
      expect(amount - accountedAmount).toBe(balance);
    }
  });
});
