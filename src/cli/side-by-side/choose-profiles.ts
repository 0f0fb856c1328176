import { knownProfile } from '../../config/choose-profile.ts';
import { parseProfileName } from '../../config/profile-name.ts';
import type { Context } from '../../context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import type { GlobalFlags } from '../global-flags.ts';
import type { ListingFlags } from '../listing-flags.ts';
import { placeInSandbox, SANDBOX_PROFILES } from '../own-service.ts';
import { names } from '../parse-values.ts';

type Flags = ListingFlags & GlobalFlags;

/**
 * The profiles that a listing asks side by side, in the order in which they were named, or in which they are stored.
 *
 * @throws UsageError for one that is not there, and for flags that only make sense for one organization
 */
export async function chooseProfiles(context: Context, flags: Flags): Promise<readonly string[]> {
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
        flags.tokenFile === undefined ? 'unset it for this command: env -u FOLIO_TOKEN folio …' : undefined,
    });
  }
  const store = await context.config();
  const profiles = chosen(flags) ?? store.profileNames;
  if (profiles.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in: folio auth login --profile <name> --base-url https://<host>/v1',
    });
  }
  for (const name of profiles) knownProfile(parseProfileName(name, '--profile'), store);
  return profiles;
}

/** The names of --profile, or undefined for all that there are. */
function chosen({ profile, allProfiles }: Flags): readonly string[] | undefined {
  return allProfiles || profile === undefined ? undefined : names('--profile')(profile);
}

function refuseTogether(flags: Flags): void {
  const { allProfiles, profile, outputDir, output } = flags;
  if (allProfiles && profile !== undefined) {
    throw new UsageError('--all-profiles and --profile do not go together', {
      hint: 'leave one of them out',
    });
  }
  if (outputDir !== undefined && !allProfiles && profile === undefined) {
    throw new UsageError('--output-dir: of which profiles?', {
      hint: 'name them with --profile a,b, or say --all-profiles',
    });
  }
  if (outputDir !== undefined && output !== undefined) {
    throw new UsageError('--output-dir and --output do not go together', {
      hint: 'a file for each profile, or one for all: leave one of them out',
    });
  }
  if (outputDir !== undefined && flags.changesSince !== undefined) {
    throw new UsageError('--output-dir and --changes-since do not go together: one export was of all', {
      hint: 'write the changes of all into one file with -o',
    });
  }
  if (outputDir !== undefined && flags.sheetPerProfile) {
    throw new UsageError('--output-dir and --sheet-per-profile do not go together', {
      hint: 'a file for each profile, or a sheet for each: leave one of them out',
    });
  }
  if (flags.resume) {
    throw new UsageError('--resume goes on with one organization, and several profiles were named', {
      hint: 'export each by itself: --profile <name> -o <name>.csv --resume',
    });
  }
  if (flags.nextToken !== undefined) {
    throw new UsageError('--next-token is a place in one organization’s listing, and several were named', {
      hint: 'leave it out, or name one profile',
    });
  }
}
