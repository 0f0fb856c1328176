import type { Context } from '../context.ts';
import { writeFactsAsJson, writeFactSheet } from './auth-facts.ts';
import type { Facts } from './auth-facts.ts';
import { settingsOwner } from './config-owner.ts';
import { settingNames } from './config-settings.ts';
import type { ConfigFlags } from './profile-flags.ts';
import { Notices } from './notices.ts';

/** `folio config list`: everything that is set for the owner that was named; a token is said to be there, never shown. */
export async function runConfigList(
  context: Context,
  flags: ConfigFlags & { names?: boolean },
): Promise<void> {
  const show = flags.format === 'json' ? writeFactsAsJson : writeFactSheet;
  if (flags.names) return show(context.stdout, Object.fromEntries(settingNames));
  const store = await context.config();
  const owner = settingsOwner(flags, store);
  const settings = store.settings(owner?.name);
  const known = new Set(settingNames.map(([name]) => name));
  const unknown = Object.keys(settings).filter((name) => !known.has(name));
  const entries = Object.entries(settings).filter(([name]) => known.has(name));
  const facts: Facts = {
    ...(owner
      ? {
          baseUrl: owner.baseUrl ?? null,
          token: owner.token ? '[hidden]' : null,
          tokenCommand: owner.tokenCommand ? `${owner.tokenCommand[0]} …` : null,
          organization: owner.organization ?? null,
        }
      : { currentProfile: store.currentProfile ?? null }),
    ...Object.fromEntries(entries.map(([name, value]) => [name, plain(value)])),
  };
  if (Object.values(facts).some((value) => value !== null)) await show(context.stdout, facts);
  else if (flags.format === 'json') await show(context.stdout, {});
  const notices = new Notices(context, flags);
  for (const name of unknown) notices.warn(`${store.file}: ${JSON.stringify(name)} is no setting of folio's`);
}

function plain(value: unknown): Facts[string] {
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
