import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * Makes new, empty folders (mode 0700) that are removed after the last test of the file: for tests that run side by side,
 * among which the runner does not know whose a folder is. To be called outside of tests.
 */
export function sharedFolder(): () => string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'folio-test-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(join(root, 'test-'));
}
