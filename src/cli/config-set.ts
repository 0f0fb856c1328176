import { parseBaseUrl } from '../api/base-url.ts';
import type { Profile } from '../config/profile.ts';
import { isJsonObject } from '../config/store-document.ts';
import type { JsonObject, StoreDocument } from '../config/store-document.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { isBaseUrl } from './config-get.ts';
import { refuseCredentials, settingsOwner } from './config-owner.ts';
import { findSetting } from './config-settings.ts';
import type { ConfigFlags } from './profile-flags.ts';
import { Notices } from './notices.ts';

interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** `folio config set`: checks the value as the flag would, then stores it. */
export async function runConfigSet(context: Context, flags: ConfigFlags, given: Assignment): Promise<void> {
  refuseCredentials(given.name);
  const store = await context.config();
  const owner = settingsOwner(flags, store);
  if (isBaseUrl(given.name) && owner) {
    const baseUrl = checkedAddress(owner, given.value);
    return store.update((document) => void (document.profiles[owner.name]!['baseUrl'] = baseUrl));
  }
  const { name, setting } = findSetting(given.name);
  setting.parse(given.value);
  const value = setting.stored === 'number' ? Number(given.value) : given.value;
  await store.update((document) => {
    settingsIn(document, owner)[name] = value;
  });
  new Notices(context, flags).remark(`${name} is now ${given.value}${ownerSentence(owner)}.`);
}

/** `folio config unset`: nothing happens when it was not set. */
export async function runConfigUnset(context: Context, flags: ConfigFlags, given: string): Promise<void> {
  refuseCredentials(given);
  const store = await context.config();
  const owner = settingsOwner(flags, store);
  const { name } = findSetting(given);
  if (store.settings(owner?.name)[name] === undefined) return;
  await store.update((document) => {
    delete settingsIn(document, owner)[name];
  });
  new Notices(context, flags).remark(`${name} is no longer set${ownerSentence(owner)}.`);
}

/** A profile's token belongs to its address: another address would take the token where it was not given for. */
function checkedAddress({ name, baseUrl, token, tokenCommand }: Profile, value: string): string {
  const { href } = parseBaseUrl(value);
  if ((token ?? tokenCommand) === undefined || href === baseUrl) return href;
  throw new UsageError(
    `the token of profile ${name} belongs to ${baseUrl}, and is not taken to another address`,
    {
      hint: `Log in there: folio auth login --profile ${name} --base-url ${href}`,
    },
  );
}

function settingsIn(document: StoreDocument, owner: Profile | undefined): JsonObject {
  if (!owner) return document.settings;
  const entry = document.profiles[owner.name];
  if (!entry) throw new UsageError(`profile ${owner.name} is gone: another run has removed it`);
  const { settings } = entry;
  if (isJsonObject(settings)) return settings;
  const made = Object.create(null) as JsonObject;
  entry['settings'] = made;
  return made;
}

function ownerSentence(owner: Profile | undefined): string {
  return owner ? ` for profile ${owner.name}` : '';
}
