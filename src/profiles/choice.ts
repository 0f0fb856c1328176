import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { usualProfile } from './connection.ts';
import { parseProfileName, type ConfigStore, type Profile } from './profile.ts';
import { decodeToken } from './token.ts';

/** Whose records a file or a database has. */
export interface HeldProfiles {
  /** How messages call the file or the database. */
  readonly shown: string;
  /** Undefined where records do not say whose they are; none where there are no records. */
  readonly profiles: readonly string[] | undefined;
  /** Whose they are by the receipt of the file, where they do not say it themselves. */
  readonly owner?: string | undefined;
  /** The organization of each profile, where that is known. */
  readonly organizations?: ReadonlyMap<string, string> | undefined;
}

/** Reads --profile, whose names have commas between them. Throws UsageError for one that is no name. */
export function namesTyped(profile: string | undefined): readonly string[] | undefined {
  const names = profile?.split(',').map((name) => name.trim());
  if (names?.includes('') || new Set(names).size !== (names ?? []).length) {
    throw new UsageError(
      `--profile ${JSON.stringify(profile)}: expected names with commas between them, none twice`,
      { hint: 'Write them as in --profile north,south.' },
    );
  }
  return names?.map((name) => parseProfileName(name, '--profile'));
}

/** Which of several profiles are read: those of these names, or all; else the usual one. */
interface WantedProfiles {
  readonly names: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/**
 * The profiles that are read of those that a database or exports have: those of the flags, else that of FOLIO_PROFILE, else the
 * current one, as for the service; all where nothing chooses. Throws UsageError for one that it does not have, and for two of one
 * organization.
 */
export async function chooseHeld(
  { shown, profiles: held = [], organizations }: HeldProfiles,
  { names, all }: WantedProfiles,
  { env, config }: Pick<Context, 'env' | 'config'>,
): Promise<readonly string[]> {
  const usual = all ? undefined : usualProfile(env, await config());
  const chosen = names ?? (usual === undefined ? held : [usual]);
  const missing = chosen.find((name) => !held.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`${shown}: there are no records of a profile ${missing}`, {
      hint: `There are those of ${held.join(', ')}. Name some with --profile, or take --all-profiles.`,
    });
  }
  refuseDuplicates(
    shown,
    duplicatesBy(chosen, (one) => organizations?.get(one)),
  );
  return chosen;
}

/** Throws UsageError where there are profiles of the organization of another one: its records would come twice. */
export function refuseDuplicates(from: string, duplicates: ReadonlyMap<string, string>): void {
  for (const [name, first] of duplicates) {
    const same = `the profiles ${first} and ${name} are of one organization`;
    throw new UsageError(`${from}: ${same}, whose records would come twice`, {
      hint: `Leave out ${name}: name the others with --profile.`,
    });
  }
}

/** Profiles that are of the organization of another one, each with the first of them by name. */
export function duplicateProfiles(store: ConfigStore, names: readonly string[]): ReadonlyMap<string, string> {
  return duplicatesBy(names, (name) => {
    const profile = store.profile(name);
    return profile && organizationOf(profile);
  });
}

/** As `duplicateProfiles`, with another way to find the organization; undefined where it is not known. */
function duplicatesBy(
  names: readonly string[],
  organizationOf: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const duplicates = new Map<string, string>();
  for (const name of names.toSorted()) {
    const organization = organizationOf(name);
    if (organization === undefined) continue;
    const other = first.get(organization);
    if (other === undefined) first.set(organization, name);
    else duplicates.set(name, other);
  }
  return duplicates;
}

/** Base address, and the token's organization ID, else the stored one, else the token. */
function organizationOf({ baseUrl, token, organization }: Profile): string | undefined {
  const id = decodeToken(token)?.organizationId ?? organization ?? token?.reveal();
  return baseUrl === undefined || id === undefined
    ? undefined
    : JSON.stringify([baseUrl.replace(/\/$/, ''), id]);
}
