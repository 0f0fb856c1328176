import { knownProfile } from '../config/choose-profile.ts';
import { parseProfileName } from '../config/profile-name.ts';
import type { Context } from '../context.ts';
import type { GlobalFlags } from './global-flags.ts';
import { Notices } from './notices.ts';

/** `folio auth use`: makes a profile the current one. */
export async function runAuthUse(context: Context, flags: GlobalFlags, name: string): Promise<void> {
  const store = await context.config();
  knownProfile(parseProfileName(name, 'auth use'), store);
  await store.update((document) => {
    document.currentProfile = name;
  });
  const notices = new Notices(context, flags);
  notices.remark(`The current profile is now ${name}.`);
  const { FOLIO_PROFILE: other } = context.env;
  if (other && other !== name) notices.remark(`FOLIO_PROFILE is set to ${other} and goes before it.`);
}
