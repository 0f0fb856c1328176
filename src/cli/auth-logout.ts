import { chooseProfile, knownProfile } from '../config/choose-profile.ts';
import { removeLogin, removeProfile } from '../config/edit-profiles.ts';
import { parseProfileName } from '../config/profile-name.ts';
import type { Profile } from '../config/profile.ts';
import type { ConfigStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { LogoutFlags } from './profile-flags.ts';
import { Notices } from './notices.ts';

/** `folio auth logout`: forgets the token of a profile, or the whole profile, and says what is left of it. */
export async function runLogout(
  context: Context,
  flags: LogoutFlags,
  name: string | undefined,
): Promise<void> {
  const store = await context.config();
  const profile = logoutProfile(context, flags, store, name);
  const remove = flags.removeProfile ? removeProfile : removeLogin;
  await store.update((document) => remove(document, profile.name));
  const notices = new Notices(context, flags);
  for (const sentence of whatRemains(profile, store, flags)) notices.remark(sentence);
  if (context.env['FOLIO_TOKEN']) notices.remark('FOLIO_TOKEN is still set, and commands use it.');
}

function logoutProfile(
  { env }: Context,
  flags: LogoutFlags,
  store: ConfigStore,
  name: string | undefined,
): Profile {
  if (name !== undefined && flags.profile !== undefined && name !== flags.profile) {
    throw new UsageError(`auth logout: both ${name} and --profile ${flags.profile} are given`);
  }
  const profile =
    name === undefined
      ? chooseProfile(flags.profile, env, store)
      : knownProfile(parseProfileName(name, 'auth logout'), store);
  if (profile) return profile;
  throw new UsageError('there is no current profile to log out of', {
    hint: 'Name one: folio auth logout <name>; `folio auth list` shows them.',
  });
}

function whatRemains(
  { name, token, tokenCommand }: Profile,
  store: ConfigStore,
  flags: LogoutFlags,
): string[] {
  const said: string[] = [];
  if (flags.removeProfile) said.push(`Profile ${name} is removed.`);
  else {
    const what = token ? 'token' : 'token command';
    const had = token ?? tokenCommand;
    said.push(`Profile ${name} ${had ? `has its ${what} removed` : 'had no token'}.`);
    said.push(`Its base address and settings stay; --remove-profile removes them too.`);
  }
  if (token) said.push('The service accepts the token until its end: the operator can withdraw it.');
  const { profileNames, currentProfile } = store;
  if (currentProfile === undefined && profileNames.length > 0) {
    said.push(
      `There is no current profile now; choose one of ${profileNames.join(', ')}: folio auth use <name>`,
    );
  }
  return said;
}
