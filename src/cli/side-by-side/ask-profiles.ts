import type { Context } from '../../context.ts';
import { mapInOrder } from '../../downloads/map-in-order.ts';
import { WalkAccount } from '../../paging/walk-account.ts';
import { listOrganization, type OrganizationListing } from '../list-organization.ts';
import type { Notices } from '../notices.ts';
import type { Progress } from '../progress/progress.ts';
import type { ListingRun } from '../read-query.ts';
import type { ReceiptPart } from '../receipt-part.ts';
import type { SharedBySessions } from '../session.ts';
import { failureOf, type Outcome } from './outcome.ts';

/** Profiles that are asked at a time. */
const AT_ONCE = 4;

/** Profiles that are asked or done while one before them is still read, at most: each may have a temporary file. */
const AHEAD = 64;

/** One listing of several organizations. */
export interface Group extends ListingRun {
  readonly context: Context;
  readonly profiles: readonly string[];
  readonly fiscalIds: readonly string[];
  readonly notices: Notices;
  readonly progress: Progress;
  /** For each profile, what the receipt tells of it. */
  readonly sections: ReadonlyMap<string, ReceiptPart>;
  readonly shared: SharedBySessions;
}

/** Does something for each profile, up to four at a time, and gives what comes of it in the order of the profiles. */
export function forEachProfile<Result>(
  { profiles, context }: Group,
  work: (profile: string, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const source = async function* () {
    yield* profiles;
  };
  return mapInOrder(source, work, { concurrency: AT_ONCE, ahead: AHEAD, signal: context.signal });
}

/** Opens the listing of one profile and has it read. A failure that is the profile's own is an outcome like any other. */
export async function askProfile(
  group: Group,
  { profile, signal }: { readonly profile: string; readonly signal: AbortSignal },
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<Outcome> {
  const notices = group.notices.about(profile);
  const track = group.progress.track(notices, profile);
  const account = new WalkAccount((event) => track.walked(event));
  const receipt = group.sections.get(profile)!;
  receipt.note({ account });
  const [flags, context] = [
    { ...group.flags, profile },
    { ...group.context, signal },
  ];
  try {
    await listOrganization({ ...group, flags, context, notices, track, receipt, account }, read);
    track.end('done');
    return { profile };
  } catch (error) {
    track.end('failed');
    receipt.note({ failure: error });
    return { profile, failure: failureOf(error) };
  }
}
