import type { Environment } from '../context.ts';
import { AuthError, UsageError } from '../errors.ts';
import { parseProfileName } from './profile-name.ts';
import type { Profile } from './profile.ts';
import type { ConfigStore } from './store.ts';

/**
 * The profile of a run: named by `--profile`, else by FOLIO_PROFILE, else the current one; undefined when none is.
 *
 * @throws UsageError when the one that is named does not exist, AuthError when the current one is gone.
 */
export function chooseProfile(
  flag: string | undefined,
  env: Environment,
  store: ConfigStore,
): Profile | undefined {
  const named = namedProfile(flag, env);
  if (named !== undefined) return knownProfile(named, store);
  const { currentProfile } = store;
  if (currentProfile === undefined) return undefined;
  const profile = store.profile(currentProfile);
  if (profile !== undefined) return profile;
  throw new AuthError(`the current profile ${JSON.stringify(currentProfile)} does not exist`, {
    hint: `Choose another with \`folio auth use <name>\`${listed(store)}, or log in: folio auth login`,
  });
}

/** The name that this run was given, checked for its form; undefined when it was given none. */
export function namedProfile(flag: string | undefined, env: Environment): string | undefined {
  if (flag !== undefined) return parseProfileName(flag, '--profile');
  const { FOLIO_PROFILE: name } = env;
  return name ? parseProfileName(name, 'FOLIO_PROFILE') : undefined;
}

/** The profile of that name, or a UsageError that lists those that there are. */
export function knownProfile(name: string, store: ConfigStore): Profile {
  const profile = store.profile(name);
  if (profile !== undefined) return profile;
  throw new UsageError(`there is no profile ${JSON.stringify(name)}`, {
    hint: `Log in: folio auth login --profile ${name}${listed(store)}`,
  });
}

function listed({ profileNames }: ConfigStore): string {
  return profileNames.length === 0 ? '' : ` (there is: ${profileNames.join(', ')})`;
}
