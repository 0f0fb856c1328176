import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** The environment of a user who has these settings for all profiles. */
export function withSettings(settings: object): { readonly FOLIO_CONFIG_DIR: string } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ settings }), { mode: 0o600 });
  return { FOLIO_CONFIG_DIR: folder };
}
