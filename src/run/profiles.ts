import type { GlobalFlags, ListingFlags } from '../cli/flags.ts';
import { names } from '../cli/parse-values.ts';
import type { Context } from '../context.ts';
import {
  AuthError,
  FolioError,
  IncompleteError,
  Interrupted,
  NotFoundError,
  OutputError,
  ServiceError,
  UsageError,
} from '../errors.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { knownProfile } from '../profiles/connection.ts';
import { parseProfileName } from '../profiles/profile.ts';
import type { ListingRun } from './listing-query.ts';
import type { Notices } from './notices.ts';
import { listOrganization, type OrganizationListing } from './pipeline.ts';
import type { Progress } from './progress.ts';
import type { ReceiptPart } from './receipt.ts';
import { placeInSandbox, SANDBOX_PROFILES, type SharedBySessions } from './session.ts';

/** What became of one organization of several. */
export interface ProfileResult {
  readonly profile: string;
  /** Why it is missing, or, where that is an IncompleteError, not whole. */
  readonly failure?: FolioError;
}

/** The failure of one organization. What concerns the whole run is thrown on: an interrupt, a fault of folio's own. */
function profileFailure(error: unknown): FolioError {
  if (error instanceof FolioError && !(error instanceof Interrupted)) return error;
  throw error;
}

/**
 * Ends a run over several organizations: nothing where all are whole; else names those that are not, each with its
 * reason. Where nothing was had of any, the failure is of the kind of the first, and so is the exit code.
 */
export function checkProfileResults(outcomes: readonly ProfileResult[]): void {
  const failed = outcomes.flatMap(({ profile, failure }) => (failure ? [{ profile, failure }] : []));
  const [first] = failed;
  if (first === undefined) return;
  const reasons = failed.map(({ profile, failure }) => `${profile}: ${failure.message}`).join('; ');
  const missing = failed.filter(({ failure }) => !(failure instanceof IncompleteError));
  const hint =
    failed.length === 1
      ? first.failure.hint
      : `Use --profile ${failed.map(({ profile }) => profile).join(',')} to run these again.`;
  if (missing.length === outcomes.length) {
    const says = outcomes.length === 1 ? reasons : `none of ${outcomes.length} profiles: ${reasons}`;
    throw sameKind(first.failure, says, { hint, cause: first.failure });
  }
  throw new IncompleteError(
    `${failed.length} of ${outcomes.length} profiles ${missing.length === 0 ? 'not whole' : 'missing'}: ${reasons}`,
    { hint, cause: first.failure },
  );
}

function sameKind(error: FolioError, message: string, options: ConstructorParameters<typeof FolioError>[1]) {
  const kinds = [UsageError, AuthError, NotFoundError, ServiceError, OutputError];
  const Kind = kinds.find((kind) => error instanceof kind) ?? FolioError;
  return new Kind(message, options);
}

type SeveralFlags = ListingFlags & GlobalFlags;

/**
 * The profiles that a listing asks side by side, in the order in which they were named, or in which they are stored.
 *
 * @throws UsageError for one that is not there, and for flags that only make sense for one organization
 */
export async function chooseProfiles(context: Context, flags: SeveralFlags): Promise<readonly string[]> {
  refuseTogether(flags);
  if (flags.sandbox) {
    const profiles = chosen(flags) ?? SANDBOX_PROFILES;
    profiles.forEach(placeInSandbox);
    return profiles;
  }
  if (flags.tokenFile !== undefined || context.env['FOLIO_TOKEN']) {
    const what = flags.tokenFile === undefined ? 'FOLIO_TOKEN' : '--token-file';
    throw new UsageError(`${what} gives one token, and several profiles have each their own`, {
      hint:
        flags.tokenFile === undefined
          ? 'Unset it for this command with `env -u FOLIO_TOKEN folio …`.'
          : undefined,
    });
  }
  const store = await context.config();
  const profiles = chosen(flags) ?? store.profileNames;
  if (profiles.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in with `folio auth login --profile <name> --base-url https://<host>/v1`.',
    });
  }
  for (const name of profiles) knownProfile(parseProfileName(name, '--profile'), store);
  return profiles;
}

/** The names of --profile, or undefined for all that there are. */
function chosen({ profile, allProfiles }: SeveralFlags): readonly string[] | undefined {
  return allProfiles || profile === undefined ? undefined : names('--profile')(profile);
}

function refuseTogether(flags: SeveralFlags): void {
  const { allProfiles, profile, outputDir, output } = flags;
  if (allProfiles && profile !== undefined) {
    throw new UsageError('--all-profiles and --profile do not go together', {
      hint: 'Leave one of them out.',
    });
  }
  if (outputDir !== undefined && !allProfiles && profile === undefined) {
    throw new UsageError('--output-dir: of which profiles?', {
      hint: 'Name them with --profile a,b, or say --all-profiles.',
    });
  }
  if (outputDir !== undefined && output !== undefined) {
    throw new UsageError('--output-dir and --output do not go together', {
      hint: 'One writes a file for each profile, the other one for all: leave one of them out.',
    });
  }
  if (outputDir !== undefined && flags.changesSince !== undefined) {
    throw new UsageError('--output-dir and --changes-since do not go together: one export was of all', {
      hint: 'Write the changes of all into one file with -o.',
    });
  }
  if (outputDir !== undefined && flags.sheetPerProfile) {
    throw new UsageError('--output-dir and --sheet-per-profile do not go together', {
      hint: 'One writes a file for each profile, the other a sheet for each: leave one of them out.',
    });
  }
  if (flags.resume) {
    throw new UsageError('--resume goes on with one organization, and several profiles were named', {
      hint: 'Export each by itself with --profile <name> -o <name>.csv --resume.',
    });
  }
  if (flags.nextToken !== undefined) {
    throw new UsageError('--next-token is a place in one organization’s listing, and several were named', {
      hint: 'Leave it out, or name one profile.',
    });
  }
}

/** Profiles that are asked at a time. */
const AT_ONCE = 4;

/** Profiles that are asked or done while one before them is still read, at most: each may have a temporary file. */
const AHEAD = 64;

/** One listing of several organizations. */
export interface ProfilesRun extends ListingRun {
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
  { profiles, context }: ProfilesRun,
  work: (profile: string, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const source = async function* () {
    yield* profiles;
  };
  return mapInOrder(source, work, { concurrency: AT_ONCE, ahead: AHEAD, signal: context.signal });
}

/** Opens the listing of one profile and has it read. A failure that is the profile's own is an outcome like any other. */
export async function askProfile(
  group: ProfilesRun,
  { profile, signal }: { readonly profile: string; readonly signal: AbortSignal },
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<ProfileResult> {
  const notices = group.notices.about(profile);
  const track = group.progress.track(notices, profile);
  const account = new WalkStatus((event) => track.walked(event));
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
    return { profile, failure: profileFailure(error) };
  }
}
