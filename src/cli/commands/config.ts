import type { Context } from '../../context.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import { knownProfile } from '../../profiles/connection.ts';
import {
  type JsonObject,
  parseProfileName,
  type Profile,
  type StoreDocument,
} from '../../profiles/profile.ts';
import { parseValue, type Flags, type Values } from '../../run/flag.ts';
import { factFlags, noService, type GlobalFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { findSetting, ORGANIZATION, settingNames, TYPES } from '../../run/settings.ts';
import { declareCommand, type Declaration } from '../command.ts';
import { writeFacts } from '../facts.ts';

const NAMES = settingNames().map(([name]) => name);
const SETTING = ['<setting>', '', { choices: NAMES, parse: findSetting }] as const;
type Found = ReturnType<typeof findSetting>;

const listFlags = {
  names: { syntax: '--names', about: 'print the names of all settings instead' },
  ...factFlags,
  ...noService,
} as const satisfies Flags;

export const configCommand: Declaration = {
  description: 'Settings: defaults for flags, for all profiles or, with --profile, for one.',
  examples: [
    ['folio config set format jsonl', 'for commands without --format'],
    ['folio config set page-size.received 250 --profile acme', 'for one organization'],
    ['folio config set columns.issued number,dueBy,totalAmount', 'the columns of issued without --columns'],
    ['folio config list --profile acme', 'what is set for that profile; folio auth list has its address'],
  ],
  commands: {
    get: declareCommand({
      summary: 'the value of a setting',
      description: 'Prints the value of a setting; exit code 4 when it is not set.',
      arguments: [SETTING],
      flags: noService,
      run: runGet,
    }),
    list: declareCommand({
      summary: 'the settings that are set',
      description: 'Prints what is set, a line each.',
      flags: listFlags,
      run: runList,
    }),
    path: declareCommand({
      summary: 'the file that holds profiles and settings',
      description: 'Prints the name of the file that holds profiles and settings, whether or not it exists.',
      flags: { ...noService, profile: undefined },
      run: runPath,
    }),
    set: declareCommand({
      summary: 'set a default for a flag',
      description: 'Sets a default, after checking the value as the flag would.',
      arguments: [SETTING, ['<value>', '']],
      flags: noService,
      run: runSet,
    }),
    unset: declareCommand({
      summary: 'remove a setting',
      description: 'Removes a setting.',
      arguments: [SETTING],
      flags: noService,
      run: runUnset,
    }),
  },
};

/** The store, and the profile of --profile, if any: FOLIO_PROFILE and the current profile do not choose a setting's owner. */
async function ownerOf(context: Context, { profile }: GlobalFlags) {
  const store = await context.config();
  const owner =
    profile === undefined ? undefined : knownProfile(parseProfileName(profile, '--profile'), store);
  return { store, owner, whose: owner ? ` for profile ${owner.name}` : '' };
}

/** Prints one value, as it was set, of exactly the owner that was named. */
async function runGet(context: Context, flags: GlobalFlags, [{ name }]: readonly [Found]): Promise<void> {
  const { store, owner, whose } = await ownerOf(context, flags);
  const value = store.settings(owner?.name)[name];
  if (value !== undefined) return writeLine(context, String(plain(value)));
  const flag = owner ? ` --profile ${owner.name}` : '';
  throw new NotFoundError(`${name} is not set${whose}`, {
    hint: `Set it with \`folio config set ${name} <value>${flag}\`.`,
  });
}

async function runPath(context: Context): Promise<void> {
  const { file } = await context.config();
  if (file !== undefined) return writeLine(context, file);
  throw new UsageError('there is no home folder, so there is no file', {
    hint: 'Set FOLIO_CONFIG_DIR to a folder.',
  });
}

async function writeLine({ stdout }: Context, text: string): Promise<void> {
  await stdout.write(`${stdout.isTerminal ? visible(text) : text}\n`);
}

async function runSet(
  context: Context,
  flags: GlobalFlags,
  [{ name, setting }, text]: readonly [Found, string],
): Promise<void> {
  const { store, owner, whose } = await ownerOf(context, flags);
  parseValue(setting, text, name);
  if (name === ORGANIZATION && owner === undefined) {
    throw new UsageError('organization is the name of one organization', {
      hint: 'Say which profile it is of: --profile <name>.',
    });
  }
  const value = setting.isNumber ? Number(text) : text;
  await store.update((document) => void (settingsIn(document, owner)[name] = value));
  new Notices(context, flags).remark(`${name} is now ${text}${whose}.`);
}

async function runUnset(context: Context, flags: GlobalFlags, [{ name }]: readonly [Found]): Promise<void> {
  const { store, owner, whose } = await ownerOf(context, flags);
  if (store.settings(owner?.name)[name] === undefined) return;
  await store.update((document) => void delete settingsIn(document, owner)[name]);
  new Notices(context, flags).remark(`${name} is no longer set${whose}.`);
}

function settingsIn(document: StoreDocument, owner: Profile | undefined): JsonObject {
  if (!owner) return document.settings;
  const entry = document.profiles[owner.name];
  if (!entry)
    throw new UsageError(`profile ${owner.name} is gone: another run has removed it`, {
      hint: `Log in again with \`folio auth login --profile ${owner.name}\`.`,
    });
  if (!isJsonObject(entry['settings'])) entry['settings'] = Object.create(null) as JsonObject;
  return entry['settings'] as JsonObject;
}

/** Prints the settings of the owner that was named. What a login stores is shown by `auth list`. */
async function runList(context: Context, flags: Values<typeof listFlags> & GlobalFlags): Promise<void> {
  const { stdout } = context;
  if (flags.names) return writeFacts(stdout, Object.fromEntries(settingNames()), flags);
  const { store, owner } = await ownerOf(context, flags);
  const entries = Object.entries(store.settings(owner?.name));
  const isKnown = ([name]: readonly [string, unknown]): boolean =>
    NAMES.includes(name) || name.startsWith(TYPES);
  const known = entries.filter(isKnown).map(([name, value]) => [name, plain(value)] as const);
  await writeFacts(stdout, Object.fromEntries(known), flags);
  const notices = new Notices(context, flags);
  for (const [name] of entries.filter((entry) => !isKnown(entry)))
    notices.warn(`${store.file}: ${JSON.stringify(name)} is not a setting of folio's`);
}

function plain(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
