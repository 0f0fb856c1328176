import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenTestEnds } from './when-test-ends.ts';

/** A new, empty folder (mode 0700), within the system's for temporary files. It is removed as `whenTestEnds` says. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'folio-test-'));
  whenTestEnds(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A file of this content in a folder of its own, which its owner alone may read. */
export function fileOf(content: string | Uint8Array, name = 'issued.jsonl'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

/** Who may do what with a file or a folder, such as 600. */
export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
