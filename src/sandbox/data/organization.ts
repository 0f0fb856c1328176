import type { Counts } from '../options.ts';
import { FiscalIds, RecordIds } from './ids.ts';
import { Ledger } from './ledger.ts';
import { Ordering } from './ordering.ts';
import { Parties } from './parties.ts';
import { hash32 } from './values.ts';

/** One organization's data: what there is of it, by index. Nothing of it is text before it is asked for. */
export interface Organization {
  readonly id: string;
  readonly issued: Ordering;
  readonly received: Ordering;
  readonly funds: Funds;
}

export interface Funds {
  readonly ids: RecordIds;
  readonly count: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
  /** The last day of the data, in days since 1970-01-01. */
  readonly today: number;
  readonly awkward: boolean;
  /** Those whose documents are assigned. */
  readonly issuers: Parties;
}

/** What decides the data besides its counts. The same gives the same data. */
interface DataSettings {
  readonly seed: number;
  readonly today: number;
  /** Whether there are names, spellings and gaps that break careless programs. */
  readonly awkward: boolean;
  /** With `repeat`, different records share an id. */
  readonly ids: 'unique' | 'repeat';
}

/** The first and the second organization, the second a third as large and different throughout. */
export function makeOrganizations(
  counts: Counts,
  settings: DataSettings,
): readonly [Organization, Organization] {
  const names = ['issued', 'received', 'customers', 'funds', 'documents'] as const;
  const thirds = names.map((name) => [name, Math.ceil(counts[name] / 3)]);
  const fewer = Object.fromEntries(thirds) as unknown as Counts;
  // The lowest fiscal IDs: no two ranges meet, so that no organization knows the other's parties.
  return [
    makeOrganization(counts, { ...settings, seed: hash32(settings.seed, 1) }, [60_000_000, 77_000_000]),
    makeOrganization(fewer, { ...settings, seed: hash32(settings.seed, 2) }, [70_000_000, 82_000_000]),
  ];
}

function makeOrganization(
  counts: Counts,
  { seed, today, awkward, ids }: DataSettings,
  [firstCustomer, firstIssuer]: readonly [number, number],
): Organization {
  const idsOf = (salt: number): RecordIds => new RecordIds(hash32(seed, salt), ids === 'repeat');
  const owner = new FiscalIds(96_000_000 + (hash32(seed, 1) % 900_000), 1).of(0);
  const shift = hash32(seed, 2) % 4_000_000;
  const customers = new Parties(idsOf(3), {
    count: counts.customers,
    firstFiscalId: firstCustomer + shift,
    kind: 'customer',
    awkward,
  });
  const issuers = new Parties(idsOf(4), {
    count: Math.min(5000, Math.ceil(counts.received / 4)),
    firstFiscalId: firstIssuer + shift,
    kind: 'supplier',
    awkward,
  });
  const both = { owner, today, awkward };
  const issued = { ...both, ids: idsOf(6), parties: customers, count: counts.issued, dated: true };
  const received = { ...both, ids: idsOf(7), parties: issuers, count: counts.received, dated: false };
  return {
    id: new RecordIds(hash32(seed, 5)).of(0),
    issued: new Ordering(new Ledger(issued)),
    received: new Ordering(new Ledger(received)),
    funds: { ids: idsOf(8), count: counts.funds, documents: counts.documents, today, awkward, issuers },
  };
}
