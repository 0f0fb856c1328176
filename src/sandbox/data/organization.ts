import type { Settings } from '../options.ts';
import { FiscalIds, RecordIds } from './ids.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { viewsOf, type ViewOf } from './ordering.ts';
import { openParties } from './parties.ts';
import { hash32 } from './values.ts';

/** What decides the data besides its counts: the same gives the same. `today` is its last day, in days since 1970-01-01. */
type DataSettings = Pick<Settings, 'seed' | 'awkward'> & { readonly today: number };

interface Invoices {
  readonly ledger: Ledger;
  readonly viewOf: ViewOf;
}

/** One organization's data, by index. Records become text when they are served. */
export interface Organization extends Pick<DataSettings, 'today' | 'awkward'> {
  readonly id: string;
  readonly issued: Invoices;
  readonly received: Invoices;
  /** The count with this name. */
  readonly count: (name: string) => number;
  /** The ids of one kind of record; each salt gives others. */
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
  { seed, today, awkward }: DataSettings,
  [firstCustomer, firstIssuer]: readonly [number, number],
): Organization {
  const idsOf = (salt: number): RecordIds => new RecordIds(hash32(seed, salt));
  const owner = new FiscalIds(96_000_000 + (hash32(seed, 1) % 900_000), 1).of(0);
  const shift = hash32(seed, 2) % 4_000_000;
  const invoices = (kind: 'customer' | 'supplier'): Invoices => {
    const dated = kind === 'customer';
    const ledger = openLedger({
      ...{ ids: idsOf(dated ? 6 : 7), owner, today, awkward, dated },
      count: count(dated ? 'issued' : 'received'),
      parties: openParties(idsOf(dated ? 3 : 4), {
        count: dated ? count('customers') : Math.min(5000, Math.ceil(count('received') / 4)),
        firstFiscalId: (dated ? firstCustomer : firstIssuer) + shift,
        kind,
        awkward,
      }),
    });
    return { ledger, viewOf: viewsOf(ledger) };
  };
  const id = new RecordIds(hash32(seed, 5)).of(0);
  return { today, awkward, count, idsOf, id, issued: invoices('customer'), received: invoices('supplier') };
}
