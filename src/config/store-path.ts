import { posix, resolve, win32, type PlatformPath } from 'node:path';
import type { Environment } from '../context.ts';

export interface StorePlace {
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
