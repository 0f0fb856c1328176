import { homedir, platform } from 'node:os';
import { posix, resolve, win32, type PlatformPath } from 'node:path';
import type { Clock, Environment } from '../context.ts';
import { UsageError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import type { Processes } from '../output/files/processes.ts';
import { parseProfileName, parseTokenCommand, type ConfigStore, type Profile } from './profile.ts';
import { brokenStore, emptyDocument, kindOf, type JsonObject, type StoreDocument } from './store-document.ts';
import { readStoreFile, writeStoreFile } from './store-file.ts';
import { parseToken } from './token.ts';

interface StorePlace {
  readonly env: Environment;
  /** The account's home folder; asked only where HOME is not set, may throw where the account has none. */
  readonly homedir: () => string;
  /** As `process.platform`. */
  readonly platform: string;
}

/**
 * The file that holds profiles and settings, whether or not it exists: in FOLIO_CONFIG_DIR, else where the system
 * keeps such files. An empty variable counts as unset. Undefined where no folder can be told, as under `env -i` with
 * an account that has no home: then only what the environment gives is there.
 */
export function storePath(place: StorePlace): string | undefined {
  const { FOLIO_CONFIG_DIR: given } = place.env;
  if (given) return resolve(given, 'config.json');
  const path = place.platform === 'win32' ? win32 : posix;
  const folder = systemFolder(place, path);
  return folder && path.join(folder, 'config.json');
}

/** The file that holds profiles and settings on this machine, whether or not it exists; undefined where no folder can be told. */
export function storeFile(env: Environment): string | undefined {
  return storePath({ env, homedir, platform: platform() });
}

function systemFolder(place: StorePlace, path: PlatformPath): string | undefined {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = place.env;
  const isWindows = place.platform === 'win32';
  const own = isWindows ? ['folio', 'Config'] : ['folio'];
  const base = isWindows ? appData : xdg;
  // The XDG base directory specification has relative paths ignored; so does the promise to read nothing from the
  // working folder.
  if (base && path.isAbsolute(base)) return path.join(base, ...own);
  const home = homeFolder(place);
  if (home === undefined || !path.isAbsolute(home)) return undefined;
  const below = { win32: ['AppData', 'Roaming'], darwin: ['Library', 'Preferences'] }[place.platform] ?? [
    '.config',
  ];
  return path.join(home, ...below, ...own);
}

function homeFolder({ env, platform, homedir }: StorePlace): string | undefined {
  try {
    return (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir();
  } catch {
    return undefined;
  }
}

/**
 * Reads one profile of the store; undefined when there is none of that name.
 *
 * @throws UsageError naming the file and the member that is not as it should be; never with a token in it.
 */
export function readProfile(document: StoreDocument, name: string, file: string): Profile | undefined {
  const entry = document.profiles[name];
  if (entry === undefined) return undefined;
  const place = { file, member: `profiles.${name}` };
  parseProfileName(name, `${file}: profiles`);
  const baseUrl = textIn(entry, 'baseUrl', place);
  const token = textIn(entry, 'token', place);
  const organization = textIn(entry, 'organization', place);
  const { tokenCommand } = entry;
  if (token !== undefined && tokenCommand !== undefined) {
    throw brokenStore(file, `${place.member} has both a token and a tokenCommand`);
  }
  return {
    name,
    baseUrl,
    token: token === undefined ? undefined : parseToken(token, `${file}: ${place.member}.token`).token,
    tokenCommand:
      tokenCommand === undefined
        ? undefined
        : parseTokenCommand(tokenCommand, `${file}: ${place.member}.tokenCommand`),
    organization,
  };
}

/** The settings of a profile, or those for all, as they stand in the file. */
export function readSettings(document: StoreDocument, profile: string | undefined, file: string): JsonObject {
  const settings = profile === undefined ? document.settings : document.profiles[profile]?.['settings'];
  if (settings === undefined) return {};
  if (isJsonObject(settings)) return settings;
  throw brokenStore(file, `profiles.${profile}.settings is ${kindOf(settings)}, expected an object`);
}

interface EntryPlace {
  readonly file: string;
  /** The entry within the file: `profiles.north`. */
  readonly member: string;
}

function textIn(entry: JsonObject, key: string, { file, member }: EntryPlace): string | undefined {
  const value = entry[key];
  if (value === undefined || typeof value === 'string') return value;
  throw brokenStore(file, `${member}.${key} is ${kindOf(value)}, expected a string`);
}

interface StoreOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly signal: AbortSignal;
  /** The user that folio runs as, from `process.getuid`; left out where the system has no such numbers. */
  readonly uid?: number | undefined;
  readonly homedir?: () => string;
  /** As `process.platform`. */
  readonly platform?: string;
}

/**
 * Opens the store. Without a file it is empty, and nothing is created before the first update.
 *
 * @throws UsageError for a file that other users can read or that is not a store: it is never reset or written over.
 */
export async function openStore(options: StoreOptions): Promise<ConfigStore> {
  const { env, uid } = options;
  const place = { env, homedir: options.homedir ?? homedir, platform: options.platform ?? platform() };
  const file = storePath(place);
  let document = (file === undefined ? undefined : await readStoreFile(file, uid)) ?? emptyDocument();
  return {
    file,
    get currentProfile() {
      return document.currentProfile;
    },
    get profileNames() {
      return Object.keys(document.profiles);
    },
    profile: (name) => readProfile(document, name, file!),
    settings: (profile) => readSettings(document, profile, file!),
    async update(change) {
      const { clock, processes, signal } = options;
      document = await writeStoreFile({
        file: file ?? refuseHomeless(),
        uid,
        clock,
        processes,
        signal,
        change,
      });
    },
  };
}

function refuseHomeless(): never {
  throw new UsageError('there is no home folder to keep the configuration in', {
    hint: 'Set FOLIO_CONFIG_DIR to a folder, or give everything by FOLIO_TOKEN and FOLIO_BASE_URL.',
  });
}
