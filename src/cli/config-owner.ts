import { knownProfile } from '../config/choose-profile.ts';
import { parseProfileName } from '../config/profile-name.ts';
import type { Profile } from '../config/profile.ts';
import type { ConfigStore } from '../config/store.ts';
import { UsageError } from '../errors.ts';
import type { GlobalFlags } from './global-flags.ts';

/**
 * Whose settings are meant: the profile of `--profile`, or undefined for those of all. Neither FOLIO_PROFILE nor the current
 * profile counts here, so that a setting does not land in one organization's unsaid.
 */
export function settingsOwner({ profile }: GlobalFlags, store: ConfigStore): Profile | undefined {
  return profile === undefined ? undefined : knownProfile(parseProfileName(profile, '--profile'), store);
}

/** Refuses what is not a setting but looks like one, with where it is dealt with. Nothing that was given is repeated. */
export function refuseCredentials(name: string): void {
  if (/^token$/i.test(name)) {
    throw new UsageError('config neither shows nor takes a token', {
      hint: 'To store one: folio auth login; to see where it comes from: folio auth status',
    });
  }
  if (/^token-?command$/i.test(name)) {
    throw new UsageError('a token command is set by a login', {
      hint: 'As in: folio auth login --profile <name> --token-command <program> <argument...>',
    });
  }
  if (/^current-?profile$/i.test(name)) {
    throw new UsageError('the current profile is set by: folio auth use <name>');
  }
}
