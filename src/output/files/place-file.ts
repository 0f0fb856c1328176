import { link, rename, rm } from 'node:fs/promises';
import { NO_LINKS } from './lock-claim.ts';
import { errorCode } from '../system-reason.ts';

/**
 * Gives a finished file its name, unless something of that name is there: then false, and the file is gone. Throws the
 * system's error. Where the file system has no hard links, something that came there this very moment is replaced.
 */
export async function placeFile(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
      await rename(temporary, path);
      return true;
    }
    await rm(temporary, { force: true });
    return false;
  }
  await rm(temporary, { force: true });
  return true;
}
