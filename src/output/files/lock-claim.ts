import { link, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../context.ts';
import { OutputError } from '../../errors.ts';
import { cannotWrite } from './cannot-write.ts';
import { neighboursOf } from './neighbours.ts';
import type { Processes } from './processes.ts';
import { errorCode, systemReason } from '../system-reason.ts';
import type { FileTarget } from '../target.ts';

export interface LockSite {
  readonly clock: Pick<Clock, 'now' | 'random'>;
  readonly processes: Processes;
}

/** The contents of a lock, in a file of its own: linked to the lock's name, they appear there complete or not at all. */
export interface LockClaim {
  readonly path: string;
  readonly text: string;
  /** The mode that a new file gets in this folder, by umask or the folder's own rule. */
  readonly newFileMode: number;
}

/** Errors of a file system that has no hard links: FAT, some network shares. */
export const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EACCES']);

/** Writes the claim beside the target. Throws OutputError when the folder lets us create no file. */
export async function writeClaim(target: FileTarget, { clock, processes }: LockSite): Promise<LockClaim> {
  const { pid, host } = processes;
  const { start } = await processes.look(pid);
  const startedAt = new Date(clock.now()).toISOString();
  const text = `${JSON.stringify({ pid, host, startedAt, processStart: start })}\n`;
  const path = join(target.folder, neighboursOf(target.name).claim(pid, clock.random()));
  try {
    return { path, text, newFileMode: await writeNew(path, text) };
  } catch (error) {
    throw cannotWrite(target.shown, error);
  }
}

/** Returns the mode that the file was created with; it is then made readable by all who may, writable by us alone. */
async function writeNew(path: string, text: string): Promise<number> {
  const handle = await open(path, 'wx', 0o666);
  try {
    const mode = (await handle.stat()).mode & 0o777;
    await handle.chmod(mode & 0o644);
    await handle.writeFile(text);
    return mode;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes the claim the lock, unless there is one: then false. Throws OutputError where no lock can be had at all. */
export async function linkClaim(claim: LockClaim, lock: string, target: FileTarget): Promise<boolean> {
  try {
    await link(claim.path, lock).catch((error: unknown) => {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
      return writeFile(lock, claim.text, { flag: 'wx', mode: 0o644 });
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    const reason = systemReason(error);
    throw new OutputError(
      `cannot lock ${target.shown}: no lock file can be made in ${target.folder}: ${reason}`,
      {
        hint: 'write to a folder on a local disk, and copy the file from there',
        cause: error,
      },
    );
  }
}
