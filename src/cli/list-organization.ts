import type { Context } from '../context.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import type { Delivery } from '../paging/page.ts';
import { WalkAccount } from '../paging/walk-account.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import { openListing } from '../resources/open-listing.ts';
import { checkComplete } from './completeness.ts';
import type { Notices } from './notices.ts';
import { PartialResults } from './partial-results.ts';
import type { Track } from './progress/progress.ts';
import { queryOf, type ListingRun } from './read-query.ts';
import type { ReceiptPart } from './receipt-part.ts';
import type { OpenWalk } from './resumable-walk.ts';
import { openSession, type Session, type SharedBySessions } from './session.ts';
import { inUsersWords } from './unknown-ids.ts';

/** What one organization is asked for, and who follows it. */
export interface Asking extends ListingRun {
  readonly context: Context;
  readonly fiscalIds: readonly string[];
  readonly notices: Notices;
  readonly track: Track;
  readonly receipt: ReceiptPart;
  readonly account: WalkAccount;
  readonly shared?: SharedBySessions | undefined;
}

/** The listing of one organization, ready to be read. */
export interface OrganizationListing extends Asking {
  readonly session: Session;
  readonly query: ListingQuery;
  readonly partial: PartialResults;
}

/**
 * Opens the listing of one organization, has it read by `read`, and closes it again whatever comes of that. What the
 * service said went wrong beside the records is announced at the end.
 */
export async function listOrganization(
  asking: Asking,
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<void> {
  const { context, resource, id, flags, fiscalIds, notices, track, receipt, shared } = asking;
  const session = await openSession(context, { flags, resource, notices, observe: track.asked, shared });
  receipt.note({ session });
  try {
    const query = queryOf({ resource, id, flags: { ...session.defaults, ...flags } }, fiscalIds);
    const partial = new PartialResults(fiscalIds, context.secrets.redact);
    receipt.note({ partial });
    await readAndTell({ ...asking, session, query, partial }, read);
  } finally {
    await session.close();
  }
}

async function readAndTell(
  listing: OrganizationListing,
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<void> {
  const { partial, notices, resource } = listing;
  try {
    await read(listing);
  } catch (error) {
    throw await inUsersWords(error, listing);
  } finally {
    partial.announce(notices, resource.fiscalIds);
  }
}

/** The listing's records, page by page in order. */
export async function* recordsOf(listing: OrganizationListing): AsyncGenerator<RecordBatch> {
  for await (const { records } of openWalk(listing)) yield records;
}

/** The walk from its beginning, or from where an earlier one left off. */
export function openWalk(
  listing: OrganizationListing,
  ...resume: Parameters<OpenWalk>
): AsyncGenerator<Delivery> {
  const { resource, query, account, partial, context, session, track } = listing;
  const { client, concurrency } = session;
  const { signal } = context;
  track.expect(query.limit);
  const onErrors = (errors: Buffer): void => partial.add(errors);
  return openListing(resource, query, { client, concurrency, account, signal, onErrors, resume: resume[0] });
}

/** Throws IncompleteError where something that was asked for was not delivered. */
export function checkListing({ account, flags, partial }: OrganizationListing): void {
  checkComplete(account, flags.strict ? [...partial.missingFiscalIds] : []);
}
