import { homedir, platform } from 'node:os';
import type { Clock, Environment } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readProfile, readSettings } from './read-profile.ts';
import type { ConfigStore } from './store.ts';
import { readStoreFile } from './read-store-file.ts';
import { emptyDocument } from './store-document.ts';
import { storePath } from './store-path.ts';

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
