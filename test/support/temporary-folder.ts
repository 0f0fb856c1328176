import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new, empty folder (mode 0700) that is removed after the test; within the system's for temporary files, unless given. */
export function temporaryFolder(within = tmpdir()): string {
  const path = mkdtempSync(join(realpathSync(within), 'folio-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
