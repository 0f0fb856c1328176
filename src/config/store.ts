import { homedir, platform } from 'node:os';
import type { Clock, Environment } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readProfile, readSettings } from './profile.ts';
import type { Profile } from './profile.ts';
import { readStoreFile } from './read-store-file.ts';
import { emptyDocument } from './store-document.ts';
import type { JsonObject, StoreDocument } from './store-document.ts';
import { storePath } from './store-path.ts';

/** Profiles and settings, as they were in the file when it was opened. What is in it is checked when it is asked for. */
export interface ConfigStore {
  /** The file, whether or not it exists; undefined where no folder for it can be told. */
  readonly file: string | undefined;
  /** The profile for commands that name none. */
  readonly currentProfile: string | undefined;
  /** In the order of the file. */
  readonly profileNames: readonly string[];
  /** The profile of that name, or undefined. Throws UsageError naming what is wrong with it. */
  profile(name: string): Profile | undefined;
  /** The settings of one profile, or those for all profiles, by name; unknown ones included. */
  settings(profile?: string): Readonly<JsonObject>;
  /**
   * Changes the file in one step, keeping what other runs have written meanwhile; `change` gets the file's present
   * content and changes it in place. Afterwards the store shows the new content.
   */
  update(change: (document: StoreDocument) => void): Promise<void>;
}

export interface StoreOptions {
  readonly env: Environment;
  readonly clock: Clock;
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
  const { env, clock, signal, uid } = options;
  const place = { env, homedir: options.homedir ?? homedir, platform: options.platform ?? platform() };
  const file = storePath(place);
  let document = (file === undefined ? undefined : readStoreFile(file, uid)) ?? emptyDocument();
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
      const { writeStoreFile } = await import('./write-store-file.ts');
      document = await writeStoreFile({
        file: file ?? refuseHomeless(),
        uid,
        patience: { clock, signal },
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
