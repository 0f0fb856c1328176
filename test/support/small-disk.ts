import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needingThat, runProgram } from './programs.ts';

/** Options of a test that makes a small disk: on Linux, root may, where mounting is allowed. */
export const needingSmallDisk = needingThat('the right to mount a disk', mayMount, 'mount');

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'folio-test-'));
  try {
    mount(folder, '64k');
    runProgram('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** Does the work on a disk of this size (`64k`), which is in the place of the folder meanwhile. */
export async function onSmallDisk(
  folder: string,
  size: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  mount(folder, size);
  try {
    await work(folder);
  } finally {
    // Lazily: a driver may let go of a file later than it closes it.
    runProgram('umount', ['--lazy', folder]);
  }
}

function mount(folder: string, size: string): void {
  runProgram('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
}
