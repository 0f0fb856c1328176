import { hash32 } from './hash.ts';
import { Ledger } from './ledger.ts';
import { Ordering } from './ordering.ts';
import { Parties } from './parties.ts';
import { RecordIds } from './record-id.ts';

/** How much there is of everything in the first organization; the second has a third of it. */
export interface Counts {
  readonly issued: number;
  readonly received: number;
  readonly customers: number;
  readonly funds: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
}

/** One organization's data: what there is of it, by index. Nothing of it is text before it is asked for. */
export interface Organization {
  readonly id: string;
  readonly fiscalId: string;
  readonly issued: Book;
  readonly received: Book;
  readonly funds: Funds;
}

/** One kind of invoices with the other side of each, a customer or an issuer. */
export interface Book {
  readonly ledger: Ledger;
  readonly ordering: Ordering;
  readonly ids: RecordIds;
  readonly parties: Parties;
  /** The fiscal ID of the organization itself, which is the other party of each. */
  readonly owner: string;
}

export interface Funds {
  readonly seed: number;
  readonly count: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
  readonly ids: RecordIds;
  /** Those whose documents are assigned. */
  readonly issuers: Parties;
}

/** The first and the second organization, the second a third as large and different throughout. */
export function makeOrganizations(counts: Counts, seed: number): readonly [Organization, Organization] {
  const fewer = {
    issued: third(counts.issued),
    received: third(counts.received),
    customers: third(counts.customers),
    funds: third(counts.funds),
    documents: third(counts.documents),
  };
  return [
    makeOrganization(counts, hash32(seed, 1), { customers: 60_000_000, issuers: 77_000_000 }),
    makeOrganization(fewer, hash32(seed, 2), { customers: 70_000_000, issuers: 82_000_000 }),
  ];
}

function third(count: number): number {
  return Math.ceil(count / 3);
}

/** The lowest numbers of the fiscal IDs; no two ranges meet, so that no organization knows the other's parties. */
interface FirstFiscalIds {
  readonly customers: number;
  readonly issuers: number;
}

function makeOrganization(counts: Counts, seed: number, first: FirstFiscalIds): Organization {
  const owner = new Parties(hash32(seed, 0), 1, 96_000_000 + (hash32(seed, 1) % 900_000)).fiscalIds.of(0);
  const shift = hash32(seed, 2) % 4_000_000;
  const customers = new Parties(hash32(seed, 3), counts.customers, first.customers + shift);
  const issuerCount = Math.min(5000, Math.ceil(counts.received / 4));
  const issuers = new Parties(hash32(seed, 4), issuerCount, first.issuers + shift);
  const ids = (salt: number): RecordIds => new RecordIds(hash32(seed, salt));
  return {
    id: ids(5).of(0),
    fiscalId: owner,
    issued: makeBook({ seed: hash32(seed, 6), count: counts.issued, dated: true }, customers, owner),
    received: makeBook({ seed: hash32(seed, 7), count: counts.received, dated: false }, issuers, owner),
    funds: { seed: hash32(seed, 8), count: counts.funds, documents: counts.documents, ids: ids(8), issuers },
  };
}

function makeBook(
  options: { seed: number; count: number; dated: boolean },
  parties: Parties,
  owner: string,
): Book {
  const ledger = new Ledger({ ...options, parties: Math.max(1, parties.count) });
  return { ledger, ordering: new Ordering(ledger), ids: new RecordIds(options.seed), parties, owner };
}
