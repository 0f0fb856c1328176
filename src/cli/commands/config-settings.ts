import { parseBaseUrl } from '../../api/address.ts';
import type { Context } from '../../context.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import { parseProfileName, type ConfigStore, type Profile } from '../../profiles/profile.ts';
import { knownProfile } from '../../profiles/connection.ts';
import type { JsonObject, StoreDocument } from '../../profiles/store-document.ts';
import { Notices } from '../../run/notices.ts';
import type { GlobalFlags } from '../../run/flags.ts';
import { findSetting, settingNames, TYPES } from '../../run/settings.ts';
import { writeFactsAsJson, writeFactSheet, type FactFlags, type Facts } from '../facts.ts';

/** `folio config get`: one value, as it was set, of exactly the owner that was named. */
export async function runConfigGet(context: Context, flags: GlobalFlags, given: string): Promise<void> {
  refuseCredentials(given);
  const store = await context.config();
  const { name, value } = find(store, flags, given);
  if (value === undefined) {
    const whose = flags.profile === undefined ? '' : ` for profile ${flags.profile}`;
    const owner = flags.profile === undefined ? '' : ` --profile ${flags.profile}`;
    throw new NotFoundError(`${name} is not set${whose}`, {
      hint: `Set it with \`folio config set ${name} <value>${owner}\`.`,
    });
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  await context.stdout.write(`${context.stdout.isTerminal ? visible(text) : text}\n`);
}

/** `folio config path`. */
export async function runConfigPath(context: Context): Promise<void> {
  const { file } = await context.config();
  if (file === undefined) {
    throw new UsageError('there is no home folder, and so no file', {
      hint: 'Set FOLIO_CONFIG_DIR to a folder.',
    });
  }
  await context.stdout.write(`${context.stdout.isTerminal ? visible(file) : file}\n`);
}

function find(store: ConfigStore, flags: GlobalFlags, given: string): { name: string; value: unknown } {
  const owner = settingsOwner(flags, store);
  if (owner && isBaseUrl(given)) return { name: 'baseUrl', value: owner.baseUrl };
  const { name } = findSetting(given);
  return { name, value: store.settings(owner?.name)[name] };
}

/** Whether the name is that of the base address, which only a profile has. */
function isBaseUrl(given: string): boolean {
  return given === 'baseUrl' || given === 'base-url';
}

interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** `folio config set`: checks the value as the flag would, then stores it. */
export async function runConfigSet(context: Context, flags: GlobalFlags, given: Assignment): Promise<void> {
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
export async function runConfigUnset(context: Context, flags: GlobalFlags, given: string): Promise<void> {
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

/** The new address of a profile. Throws UsageError where the profile has a token: it would go to another service. */
function checkedAddress({ name, baseUrl, token, tokenCommand }: Profile, value: string): string {
  const { href } = parseBaseUrl(value);
  if ((token ?? tokenCommand) === undefined || href === baseUrl) return href;
  throw new UsageError(
    `the token of profile ${name} belongs to ${baseUrl}, and is not taken to another address`,
    {
      hint: `Log in there with \`folio auth login --profile ${name} --base-url ${href}\`.`,
    },
  );
}

function settingsIn(document: StoreDocument, owner: Profile | undefined): JsonObject {
  if (!owner) return document.settings;
  const entry = document.profiles[owner.name];
  if (!entry)
    throw new UsageError(`profile ${owner.name} is gone: another run has removed it`, {
      hint: `Log in again with \`folio auth login --profile ${owner.name}\`.`,
    });
  const { settings } = entry;
  if (isJsonObject(settings)) return settings;
  const made = Object.create(null) as JsonObject;
  entry['settings'] = made;
  return made;
}

function ownerSentence(owner: Profile | undefined): string {
  return owner ? ` for profile ${owner.name}` : '';
}

/** `folio config list`: everything that is set for the owner that was named. It says that there is a token, and never shows it. */
export async function runConfigList(
  context: Context,
  flags: GlobalFlags & FactFlags & { readonly names?: boolean | undefined },
): Promise<void> {
  const show = flags.format === 'json' ? writeFactsAsJson : writeFactSheet;
  if (flags.names) return show(context.stdout, Object.fromEntries(settingNames));
  const store = await context.config();
  const owner = settingsOwner(flags, store);
  const settings = store.settings(owner?.name);
  const names = new Set(settingNames.map(([name]) => name));
  const isKnown = (name: string): boolean => names.has(name) || name.startsWith(TYPES);
  const unknown = Object.keys(settings).filter((name) => !isKnown(name));
  const entries = Object.entries(settings).filter(([name]) => isKnown(name));
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

/**
 * The owner of the settings: the profile of `--profile`, or undefined for those of all profiles. FOLIO_PROFILE and the current
 * profile do not count here: a setting is for one organization only where the command line says so.
 */
function settingsOwner({ profile }: GlobalFlags, store: ConfigStore): Profile | undefined {
  return profile === undefined ? undefined : knownProfile(parseProfileName(profile, '--profile'), store);
}

/** Refuses names that look like settings and are none, and names the command for them. Does not repeat what was given. */
function refuseCredentials(name: string): void {
  if (/^token$/i.test(name)) {
    throw new UsageError('config neither shows nor takes a token', {
      hint: 'Store one with `folio auth login`; see where it comes from with `folio auth status`.',
    });
  }
  if (/^token-?command$/i.test(name)) {
    throw new UsageError('a token command is set by a login', {
      hint: 'Set it with `folio auth login --profile <name> --token-command <program> <argument...>`.',
    });
  }
  if (/^current-?profile$/i.test(name)) {
    throw new UsageError('the current profile is no setting', {
      hint: 'Choose it with `folio auth use <name>`.',
    });
  }
}
