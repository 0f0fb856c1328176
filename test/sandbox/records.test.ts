import { describe, expect, it } from 'vitest';
import { renderCustomer } from '../../src/sandbox/listings/customers.ts';
import { fundsOf, openFund, renderDocument } from '../../src/sandbox/listings/funds.ts';
import { renderIssued, renderReceived } from '../../src/sandbox/listings/invoices.ts';
import { statuses } from '../../src/sandbox/data/ledger.ts';
import { makeOrganizations, type Organization } from '../../src/sandbox/data/organization.ts';

const counts = { issued: 3000, received: 600, customers: 200, funds: 40, documents: 60 };
const linkTo = (invoice: string, file: number): string => `http://localhost/files/${invoice}/${file}`;
const settings = { seed: 1, today: 20_779, awkward: true, ids: 'unique' } as const;
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
    expect(issued).toMatch(/"totalAmount":\d+\.\d0,/);
    expect(issued).toMatch(/"totalAmount":-\d/);
    expect(issued).toMatch(/"totalAmount":\dE\d/);
    expect(issued).toMatch(/"totalAmount":\d\.0e\+0\d/);
    expect(issued).toMatch(/"totalAmount":\d+\.00,/);
    expect(issued).toMatch(/"trackingId":\d{19},/);
    expect(issued).toMatch(/"exchangeRate":9\.\d+E2/);
  });

  it.each(['=', '+', '-', '@'])('has a name that a spreadsheet runs: %s', (sign) => {
    expect(issued).toContain(`"name":"${sign}`);
  });

  it('has names that break careless programs', () => {
    const names = new Set(
      rendered['customers']!.map((customer) => (JSON.parse(customer) as { name: string }).name),
    );
    const all = [...names].join('|');
    for (const text of ['\u001b[31m', '株式', ...'",;\n\t\\ñ🎈🚀\u0301\u202e']) expect(all).toContain(text);
  });

  it('has every status, document type, currency and number of files', () => {
    for (const status of statuses) expect(issued).toContain(`"status":"${status}"`);
    for (const currency of ['CLP', 'USD', 'EUR']) expect(issued).toContain(`"currency":"${currency}"`);
    expect(issued).toContain('"documentType":"CREDIT_NOTE"');
    const files = rendered['issued']!.map(
      (record) => (JSON.parse(record) as { files: object[] }).files.length,
    );
    expect(new Set(files)).toEqual(new Set([0, 1, 2]));
  });

  it('has received invoices of about 12 KB, 500 of which fit 6 MB', () => {
    const sizes = rendered['received']!.map((record) => Buffer.byteLength(record));
    const sum = sizes.reduce((total, size) => total + size, 0);
    expect(sum / sizes.length).toBeGreaterThan(11_000);
    expect((sum / sizes.length) * 500).toBeLessThan(6 * 1024 * 1024);
  });

  it('has issued invoices of about 1.2 KB', () => {
    expect(issued.length / counts.issued).toBeGreaterThan(1000);
    expect(issued.length / counts.issued).toBeLessThan(1400);
  });

  it('spells the amounts by which it sorts', () => {
    const { ledger } = first.issued;
    for (const [index, record] of rendered['issued']!.entries()) {
      const { totalAmount } = JSON.parse(record) as { totalAmount: number };
      expect(Math.round(totalAmount * 100)).toBe(ledger.totalOf(index));
    }
  });

  it('has JSON numbers also where an amount is nothing', () => {
    const [many] = makeOrganizations({ ...counts, customers: 700 }, { ...settings, seed: 9 });
    const limits = kinds.customers!(many).map(
      (record) => (JSON.parse(record) as { creditLimit: number }).creditLimit,
    );
    expect(limits).toContain(0);
  });
});

function namesOf(record: string): string[] {
  return Object.keys(JSON.parse(record) as object);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
