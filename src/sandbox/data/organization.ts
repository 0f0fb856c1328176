import { FiscalIds, RecordIds } from './ids.ts';
import { Ledger } from './ledger.ts';
import { Ordering } from './ordering.ts';
import { Parties } from './parties.ts';
import { hash32 } from './values.ts';

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
  readonly balances: Balances;
  /** The fiscal ID of the organization itself, which is the other party of each. */
  readonly owner: string;
}

export interface Funds {
  readonly seed: number;
  readonly count: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
  /** The last day of the data, in days since 1970-01-01. */
  readonly today: number;
  readonly awkward: boolean;
  readonly ids: RecordIds;
  /** Those whose documents are assigned. */
  readonly issuers: Parties;
}

/** What decides the data besides its counts. The same gives the same data. */
interface DataSettings {
  readonly seed: number;
  /** The last day of the data, in days since 1970-01-01. */
  readonly today: number;
  /** Whether there are names, spellings and gaps that break careless programs. */
  readonly awkward: boolean;
  /** Whether different records share an id. */
  readonly repeatIds: boolean;
}

/** The first and the second organization, the second a third as large and different throughout. */
export function makeOrganizations(
  counts: Counts,
  settings: DataSettings,
): readonly [Organization, Organization] {
  const fewer = {
    issued: third(counts.issued),
    received: third(counts.received),
    customers: third(counts.customers),
    funds: third(counts.funds),
    documents: third(counts.documents),
  };
  const { seed } = settings;
  return [
    makeOrganization(counts, {
      ...settings,
      seed: hash32(seed, 1),
      customers: 60_000_000,
      issuers: 77_000_000,
    }),
    makeOrganization(fewer, {
      ...settings,
      seed: hash32(seed, 2),
      customers: 70_000_000,
      issuers: 82_000_000,
    }),
  ];
}

function third(count: number): number {
  return Math.ceil(count / 3);
}

interface Origin extends DataSettings {
  /** The lowest numbers of the fiscal IDs; no two ranges meet, so that no organization knows the other's parties. */
  readonly customers: number;
  readonly issuers: number;
}

function makeOrganization(counts: Counts, origin: Origin): Organization {
  const { seed, today, awkward } = origin;
  const idsOf = (salt: number): RecordIds => new RecordIds(hash32(seed, salt), origin.repeatIds);
  const owner = fiscalIdOfOwner(seed);
  const shift = hash32(seed, 2) % 4_000_000;
  const customers = new Parties({
    ids: idsOf(3),
    count: counts.customers,
    firstFiscalId: origin.customers + shift,
    kind: 'customer',
    awkward,
  });
  const issuers = new Parties({
    ids: idsOf(4),
    count: Math.min(5000, Math.ceil(counts.received / 4)),
    firstFiscalId: origin.issuers + shift,
    kind: 'supplier',
    awkward,
  });
  const book = (ids: RecordIds, parties: Parties, size: { count: number; dated: boolean }): Book => {
    const ledger = new Ledger({ ...size, seed: ids.seed, parties, today, awkward });
    return { ids, parties, owner, ledger, ordering: new Ordering(ledger), balances: new Balances(ledger) };
  };
  const funds = idsOf(8);
  return {
    id: new RecordIds(hash32(seed, 5)).of(0),
    fiscalId: owner,
    issued: book(idsOf(6), customers, { count: counts.issued, dated: true }),
    received: book(idsOf(7), issuers, { count: counts.received, dated: false }),
    funds: {
      seed: funds.seed,
      count: counts.funds,
      documents: counts.documents,
      today,
      awkward,
      ids: funds,
      issuers,
    },
  };
}

/** What each party owes, in hundredths of its currency. Added up when it is first asked for: sixteen bytes a party. */
class Balances {
  readonly #ledger: Ledger;
  #kept: { readonly open: Float64Array; readonly overdue: Float64Array } | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The open amounts of its invoices less those of its credit notes, and how much of the invoices was due before today. */
  of(party: number): { readonly open: number; readonly overdue: number } {
    const { open, overdue } = (this.#kept ??= this.#add());
    return { open: open[party] ?? 0, overdue: overdue[party] ?? 0 };
  }

  #add(): { open: Float64Array; overdue: Float64Array } {
    const ledger = this.#ledger;
    const parties = ledger.partyCount;
    const [open, overdue] = [new Float64Array(parties), new Float64Array(parties)];
    for (let index = 0; index < ledger.count; index++) {
      // What was annulled is not owed, and its credit note gives nothing back.
      const amount = ledger.correctionOf(index)?.annuls === true ? 0 : ledger.openOf(index);
      if (amount === 0) continue;
      const party = ledger.partyOf(index);
      if (ledger.typeOf(index) === 'CREDIT_NOTE') open[party]! -= Math.abs(amount);
      else {
        open[party]! += amount;
        if (ledger.dueDayOf(index) < ledger.today) overdue[party]! += amount;
      }
    }
    return { open, overdue };
  }
}

function fiscalIdOfOwner(seed: number): string {
  return new FiscalIds(96_000_000 + (hash32(seed, 1) % 900_000), 1).of(0);
}
