import { posix, resolve, win32 } from 'node:path';
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
  const folder = place.platform === 'win32' ? windowsFolder(place) : unixFolder(place);
  return folder && (place.platform === 'win32' ? win32 : posix).join(folder, 'config.json');
}

function unixFolder(place: StorePlace): string | undefined {
  const { XDG_CONFIG_HOME: base } = place.env;
  // The XDG base directory specification has relative paths ignored; so does the promise to read nothing from the
  // working folder.
  if (base && posix.isAbsolute(base)) return posix.join(base, 'folio');
  const home = homeFolder(place, place.env.HOME, posix.isAbsolute);
  return (
    home &&
    posix.join(home, ...(place.platform === 'darwin' ? ['Library', 'Preferences'] : ['.config']), 'folio')
  );
}

function windowsFolder(place: StorePlace): string | undefined {
  const { APPDATA: base, USERPROFILE: profile } = place.env;
  if (base && win32.isAbsolute(base)) return win32.join(base, 'folio', 'Config');
  const home = homeFolder(place, profile, win32.isAbsolute);
  return home && win32.join(home, 'AppData', 'Roaming', 'folio', 'Config');
}

function homeFolder(
  place: StorePlace,
  variable: string | undefined,
  isAbsolute: (path: string) => boolean,
): string | undefined {
  let home = variable;
  try {
    home ||= place.homedir();
  } catch {
    return undefined;
  }
  return isAbsolute(home) ? home : undefined;
}
