import { open } from 'node:fs/promises';
import { errorCode } from '../system-reason.ts';

/** Windows, some network file systems, and folders that may be written but not read know no flushing of a folder. */
const UNSUPPORTED = new Set([
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EISDIR',
  'EPERM',
  'EACCES',
  'EBADF',
]);

/** Makes a rename in the folder survive a power failure, where the file system can. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!UNSUPPORTED.has(errorCode(error) ?? '')) throw error;
  }
}
