import { execFileSync } from 'node:child_process';

/** Whether a small disk can be made here: for root on Linux, where mounting is allowed. */
export function mayMount(): boolean {
  try {
    const folder = execFileSync('mktemp', ['-d']).toString().trim();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  }
}
