import type { Count, Endpoint, ServedListing } from '../listing.ts';
import { servedCustomers } from './customers.ts';
import { servedFunds } from './funds.ts';
import { servedIssued, servedReceived } from './invoices.ts';

/** All that the service lists. */
const listings = [
  servedIssued,
  servedReceived,
  servedCustomers,
  servedFunds,
] as const satisfies readonly ServedListing[];

type NamesOf<Of> = Of extends { readonly counts: infer Counts } ? keyof Counts : never;

/** How much there is of everything. */
export type Counts = Readonly<Record<NamesOf<(typeof listings)[number]>, number>>;

export const counts = Object.assign({}, ...listings.map((one) => one.counts)) as Readonly<
  Record<keyof Counts, Count>
>;

/** By path below the base address. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  listings.flatMap((one: ServedListing) => Object.entries(one.endpoints)),
);
