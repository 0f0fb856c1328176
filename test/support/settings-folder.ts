import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** The environment of a user who has these settings for all profiles. */
export function withSettings(settings: object) {
  return { FOLIO_CONFIG_DIR: folderOf({ settings }) };
}

/** The environment of a user who has one profile, `main`, and no token but what it has. */
export function withProfile(profile: object) {
  const store = { currentProfile: 'main', profiles: { main: profile } };
  return { FOLIO_CONFIG_DIR: folderOf(store), FOLIO_TOKEN: undefined };
}

function folderOf(store: object): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'config.json'), JSON.stringify(store), { mode: 0o600 });
  return folder;
}
