import type { Context } from '../context.ts';
import { isFailure, UsageError } from '../errors.ts';
import { NAMED_BY_VARIABLE, profileAddress, usualProfile } from './connection.ts';
import { parseProfileName, type ConfigStore } from './profile.ts';
import { decodeToken } from './token.ts';

/** The profiles whose records a file or a database has. */
export interface HeldProfiles {
  /** The name of the file or the database in messages. */
  readonly shown: string;
  /** Undefined if the records have no profile column; empty if there are no records. */
  readonly profiles: readonly string[] | undefined;
  /** The owner by the receipt of the file, if the records have no profile column. */
  readonly owner?: string | undefined;
  /** Profiles of which only other listings were read into the database. */
  readonly without?: readonly string[];
  /** The organization of each profile, where that is known. */
  readonly organizations?: ReadonlyMap<string, string> | undefined;
}

/** Reads --profile, whose names have commas between them. Throws UsageError for one that is not a name. */
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

/** The chosen profiles: these names, or all; else the usual one. */
interface WantedProfiles {
  readonly names: readonly string[] | undefined;
  readonly all?: boolean | undefined;
}

/**
 * Chooses among the profiles that a database or exports have: those of the flags, else that of FOLIO_PROFILE, else the
 * current one, as for the service; else all. Throws UsageError for a profile that is not there, and for two of one
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
    const source = env['FOLIO_PROFILE'] ? NAMED_BY_VARIABLE : ', the current one';
    const why = names === undefined ? source : '';
    throw new UsageError(`${shown}: there are no records of a profile ${missing}${why}`, {
      hint: `There are those of ${held.join(', ')}. Name some with --profile, or take --all-profiles.`,
    });
  }
  refuseDuplicates(
    shown,
    duplicatesBy(chosen, (one) => organizations?.get(one)),
  );
  return chosen;
}

/** Throws UsageError if two profiles are of one organization: its records would come twice. */
export function refuseDuplicates(from: string, duplicates: ReadonlyMap<string, string>): void {
  for (const [name, first] of duplicates) {
    const same = `the profiles ${first} and ${name} are of one organization`;
    throw new UsageError(`${from}: ${same}, whose records would come twice`, {
      hint: `Leave out ${name}: name the others with --profile.`,
    });
  }
}

/** Profiles that share an organization with an earlier one by name, each with that one. */
export function duplicateProfiles(store: ConfigStore, names: readonly string[]): ReadonlyMap<string, string> {
  return duplicatesBy(names, (name) => organizationOf(store, name));
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

/**
 * A text that the profiles of one organization share: the base address, and the token's organization ID, else the stored one,
 * else the token. Undefined where it is not known, and for a profile that cannot be used.
 */
function organizationOf(store: ConfigStore, name: string): string | undefined {
  try {
    const profile = store.profile(name);
    const { token, organization } = profile ?? {};
    const id = decodeToken(token)?.organizationId ?? organization ?? token?.reveal();
    const address = profile && profileAddress(profile, store);
    return address && id && JSON.stringify([address.href, id]);
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
}
