import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { lockTarget } from './lock.ts';
import { removeLeftovers, temporaryPath, type FileContext } from './side-files.ts';
import { failTo, realPath } from './target.ts';
import { exchanged, flushFolder, takenOver } from './whole-file.ts';

export interface FolderFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Builds a folder beside its final path. It appears whole after `build` has returned; if `build` rejects, nothing is left.
 *
 * @param shown the folder, which is there and empty
 * @param build writes the files, each under another name
 * @returns the files as they were written
 * @throws UsageError before `build` for a folder that is not empty, or is the current one, which a shell would lose; OutputError;
 * what `build` throws
 */
export async function writeNewFolder(
  shown: string,
  context: FileContext,
  build: (write: (name: string, text: string) => Promise<void>) => Promise<void>,
): Promise<readonly FolderFile[]> {
  const failed = failTo(shown);
  const path = await checkedPath(shown).catch(failed);
  const [folder, name] = [dirname(path), basename(path)];
  const lock = await lockTarget({ shown, folder, name }, context);
  const temporary = temporaryPath({ folder, name }, context);
  const files: FolderFile[] = [];
  try {
    // Only the owner of the lock writes temporary files here: all that are there are left.
    await removeLeftovers({ folder, name }, Infinity);
    const ino = await makeLike(path, temporary).catch(failed);
    await build(async (file, text) => {
      const body = Buffer.from(text);
      await writeFile(join(temporary, file), body, { flag: 'wx', flush: true }).catch(failed);
      const sha256 = createHash('sha256').update(body).digest('hex');
      files.push({ name: file, bytes: body.length, sha256 });
    });
    try {
      await flushFolder(temporary);
      if (!(await lock.isOurs())) throw takenOver(shown);
      if ((await lstat(temporary)).ino !== ino) throw exchanged(shown);
      // Windows does not rename a folder over another one, even if that is empty.
      await rmdir(path);
      await rename(temporary, path);
      await flushFolder(folder);
    } catch (error) {
      failed(error);
    }
    return files;
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
    await lock.release();
  }
}

async function checkedPath(shown: string): Promise<string> {
  const path = await realPath(shown);
  const isFull = (await readdir(path)).length > 0;
  if (!isFull && path !== (await realPath('.'))) return path;
  throw new UsageError(
    `--output-dir ${shown} ${isFull ? 'is not empty' : 'is the folder that folio runs in'}`,
    { hint: 'Each run writes a folder of its own: name a new one, such as statements/2026-11.' },
  );
}

/** Makes a folder with the owner and mode of the folder that it replaces. Returns its inode. */
async function makeLike(path: string, temporary: string): Promise<number> {
  const { mode, uid, gid } = await stat(path);
  await mkdir(temporary, { mode: 0o700 });
  await chown(temporary, uid, gid).catch(() => undefined);
  await chmod(temporary, mode & 0o7777);
  return (await lstat(temporary)).ino;
}
