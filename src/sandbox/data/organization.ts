import type { Settings } from '../options.ts';
import { FiscalIds, RecordIds } from './ids.ts';
import { Ledger } from './ledger.ts';
import { Ordering } from './ordering.ts';
import { Parties } from './parties.ts';
import { hash32 } from './values.ts';

/** What decides the data besides its counts: the same gives the same. `today` is its last day, in days since 1970-01-01. */
type DataSettings = Pick<Settings, 'seed' | 'awkward' | 'ids'> & { readonly today: number };

/** One organization's data: what there is of it, by index. Records become text when they are served. */
export interface Organization extends Pick<DataSettings, 'today' | 'awkward'> {
  readonly id: string;
  readonly issued: Ordering;
  readonly received: Ordering;
  /** How many there are of what has this name. */
  readonly count: (name: string) => number;
  /** The ids of one kind of record; those of each salt are others. */
  readonly idsOf: (salt: number) => RecordIds;
}

/** The first and the second organization, the second a third as large and different throughout. */
export function makeOrganizations(
  counts: Readonly<Record<string, number>>,
  settings: DataSettings,
): readonly [Organization, Organization] {
  const make = (place: 1 | 2, share: number, fiscalIds: readonly [number, number]): Organization =>
    makeOrganization(
      (name) => Math.ceil(counts[name]! / share),
      { ...settings, seed: hash32(settings.seed, place) },
      fiscalIds,
    );
  // The lowest fiscal IDs: no two ranges meet, so that no organization knows the other's parties.
  return [make(1, 1, [60_000_000, 77_000_000]), make(2, 3, [70_000_000, 82_000_000])];
}

function makeOrganization(
  count: Organization['count'],
  { seed, today, awkward, ids }: DataSettings,
  [firstCustomer, firstIssuer]: readonly [number, number],
): Organization {
  const idsOf = (salt: number): RecordIds => new RecordIds(hash32(seed, salt), ids === 'repeat');
  const owner = new FiscalIds(96_000_000 + (hash32(seed, 1) % 900_000), 1).of(0);
  const shift = hash32(seed, 2) % 4_000_000;
  const customers = new Parties(idsOf(3), {
    count: count('customers'),
    firstFiscalId: firstCustomer + shift,
    kind: 'customer',
    awkward,
  });
  const issuers = new Parties(idsOf(4), {
    count: Math.min(5000, Math.ceil(count('received') / 4)),
    firstFiscalId: firstIssuer + shift,
    kind: 'supplier',
    awkward,
  });
  const both = { owner, today, awkward };
  const issued = { ...both, ids: idsOf(6), parties: customers, count: count('issued'), dated: true };
  const received = { ...both, ids: idsOf(7), parties: issuers, count: count('received'), dated: false };
  return {
    today,
    awkward,
    count,
    idsOf,
    id: new RecordIds(hash32(seed, 5)).of(0),
    issued: new Ordering(new Ledger(issued)),
    received: new Ordering(new Ledger(received)),
  };
}
