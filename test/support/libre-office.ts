import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startProgram } from './programs.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What LibreOffice, with a profile of its own, makes of files with this ending: its flat XML. */
export async function readByLibreOffice(
  files: readonly (string | Buffer)[],
  ending: string,
  ...flags: readonly string[]
): Promise<string[]> {
  const folder = temporaryFolder();
  const paths = files.map((bytes, at) => {
    const path = join(folder, `file${at}.${ending}`);
    writeFileSync(path, bytes);
    return path;
  });
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  const args = [profile, '--headless', ...flags, '--convert-to', 'fods', '--outdir', folder, ...paths];
  await once(startProgram('soffice', args), 'exit');
  return paths.map((path) => readFileSync(path.replace(/\w+$/, 'fods'), 'utf8'));
}
