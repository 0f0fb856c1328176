import type { Context } from '../../context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import { knownProfile } from '../../profiles/connection.ts';
import { parseProfileName } from '../../profiles/profile.ts';
import { names } from '../parse-values.ts';
import { placeInSandbox, SANDBOX_PROFILES, type AddressFlags } from '../session.ts';

/** Which organizations are asked, and how their records leave. */
export interface ProfilesFlags {
  readonly allProfiles?: boolean;
  /** A folder with a file for each. */
  readonly outputDir?: string;
  readonly sheetPerProfile?: boolean;
}

/** The flags that say whom a run asks. */
interface Whom {
  readonly everywhere: AddressFlags;
  /** Undefined for a command that asks one organization. */
  readonly profiles?: ProfilesFlags;
}

/** Whether flags name several organizations, or may. */
export function asksSeveral({ everywhere: { profile }, profiles }: Whom): boolean {
  if (profiles === undefined) return false;
  return profiles.allProfiles === true || profiles.outputDir !== undefined || profile?.includes(',') === true;
}

/**
 * The profiles that a run asks, in the order in which they were named, or in which they are stored.
 *
 * @throws UsageError for one that is not there, or where the environment would give all of them one token
 * @throws AuthError where there is none
 */
export async function chooseProfiles(
  context: Context,
  { everywhere, profiles: { allProfiles } = {} }: Whom,
): Promise<readonly string[]> {
  const { profile, sandbox, tokenFile } = everywhere;
  if (allProfiles && profile !== undefined) {
    throw new UsageError('--all-profiles and --profile do not go together', {
      hint: 'Leave one of them out.',
    });
  }
  const chosen = allProfiles || profile === undefined ? undefined : names('--profile')(profile);
  if (sandbox) {
    const profiles = chosen ?? SANDBOX_PROFILES;
    profiles.forEach(placeInSandbox);
    return profiles;
  }
  if (context.env['FOLIO_BASE_URL']) {
    throw new UsageError('FOLIO_BASE_URL gives one address, and several profiles have each their own', {
      hint: 'Unset it for this command with `env -u FOLIO_BASE_URL folio …`.',
    });
  }
  if (tokenFile !== undefined || context.env['FOLIO_TOKEN']) {
    const what = tokenFile === undefined ? 'FOLIO_TOKEN' : '--token-file';
    throw new UsageError(`${what} gives one token, and several profiles have each their own`, {
      hint:
        tokenFile === undefined ? 'Unset it for this command with `env -u FOLIO_TOKEN folio …`.' : undefined,
    });
  }
  const store = await context.config();
  const profiles = chosen ?? store.profileNames;
  if (profiles.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in with `folio auth login --profile <name> --base-url https://<host>/v1`.',
    });
  }
  for (const name of profiles) knownProfile(parseProfileName(name, '--profile'), store);
  return profiles;
}
