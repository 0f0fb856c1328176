import { homedir, platform } from 'node:os';
import { posix, resolve, win32 } from 'node:path';
import type { Environment } from '../context.ts';
import { UsageError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import { parseProfileName, parseTokenCommand, type ConfigStore, type Profile } from './profile.ts';
import { brokenStore, emptyDocument, kindOf, type JsonObject, type StoreDocument } from './store-document.ts';
import { readStoreFile, writeStoreFile, type StoreWriter } from './store-file.ts';
import { parseToken } from './token.ts';

interface StorePlace {
  readonly env: Environment;
  /** The account's home folder; used only where HOME is not set. May throw where the account has none. */
  readonly homedir?: () => string;
  /** As `process.platform`. */
  readonly platform?: string;
}

/**
 * The file with profiles and settings, whether or not it exists: in FOLIO_CONFIG_DIR, else where the system
 * keeps such files. An empty variable counts as unset. Undefined where no folder can be told, as under `env -i` with
 * an account that has no home: then only what the environment gives is there.
 */
export function storeFile(env: Environment, place: Omit<StorePlace, 'env'> = {}): string | undefined {
  const { FOLIO_CONFIG_DIR: folder, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env;
  if (folder) return resolve(folder, 'config.json');
  const system = place.platform ?? platform();
  const isWindows = system === 'win32';
  const path = isWindows ? win32 : posix;
  const own = isWindows ? ['folio', 'Config', 'config.json'] : ['folio', 'config.json'];
  const base = isWindows ? appData : xdg;
  // The XDG base directory specification has relative paths ignored; so does the promise to read nothing from the
  // working folder.
  if (base && path.isAbsolute(base)) return path.join(base, ...own);
  const home = env[isWindows ? 'USERPROFILE' : 'HOME'] || accountHome(place.homedir ?? homedir);
  if (home === undefined || !path.isAbsolute(home)) return undefined;
  if (isWindows) return path.join(home, 'AppData', 'Roaming', ...own);
  return path.join(home, ...(system === 'darwin' ? ['Library', 'Preferences'] : ['.config']), ...own);
}

function accountHome(homedir: () => string): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/**
 * Reads one profile of the store; undefined when there is none of that name. Throws UsageError naming the file and the member
 * that is not as it should be; never with a token in it.
 */
export function readProfile(document: StoreDocument, name: string, file: string): Profile | undefined {
  const entry = document.profiles[name];
  if (entry === undefined) return undefined;
  parseProfileName(name, `${file}: profiles`);
  const member = `profiles.${name}`;
  const textOf = (key: string): string | undefined => {
    const value = entry[key];
    if (value === undefined || typeof value === 'string') return value;
    throw brokenStore(file, `${member}.${key} is ${kindOf(value)}, expected a string`);
  };
  const [baseUrl, token, organization] = [textOf('baseUrl'), textOf('token'), textOf('organization')];
  const { tokenCommand: command } = entry;
  if (token !== undefined && command !== undefined) {
    throw brokenStore(file, `${member} has both a token and a tokenCommand`);
  }
  return {
    name,
    baseUrl,
    token: token === undefined ? undefined : parseToken(token, `${file}: ${member}.token`).token,
    tokenCommand:
      command === undefined ? undefined : parseTokenCommand(command, `${file}: ${member}.tokenCommand`),
    organization,
  };
}

export function readSettings(document: StoreDocument, profile: string | undefined, file: string): JsonObject {
  const settings = profile === undefined ? document.settings : document.profiles[profile]?.['settings'];
  if (settings === undefined) return {};
  if (isJsonObject(settings)) return settings;
  throw brokenStore(file, `profiles.${profile}.settings is ${kindOf(settings)}, expected an object`);
}

/**
 * Opens the store. Without a file it is empty, and nothing is created before the first update. Throws UsageError for a file that
 * other users can read or that is not a store: it is never reset or written over.
 */
export async function openStore(options: StorePlace & StoreWriter): Promise<ConfigStore> {
  const file = storeFile(options.env, options);
  let document = (file === undefined ? undefined : await readStoreFile(file, options.uid)) ?? emptyDocument();
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
      if (file === undefined) {
        throw new UsageError('there is no home folder to keep the configuration in', {
          hint: 'Set FOLIO_CONFIG_DIR to a folder, or give everything by FOLIO_TOKEN and FOLIO_BASE_URL.',
        });
      }
      document = await writeStoreFile(file, options, change);
    },
  };
}
