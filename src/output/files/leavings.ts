import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { neighboursOf } from './neighbours.ts';
import type { Processes } from './processes.ts';

/**
 * Removes what killed runs left beside the target. To be called by the holder of the target's lock, and only by it:
 * whoever writes a temporary file holds that lock, so every one that is there now is a leaving, of whatever process.
 * A claim is made before the lock is held, so one is removed only when its process is gone.
 * What cannot be removed or listed is left: it is in nobody's way.
 */
export async function removeLeavings(folder: string, name: string, processes: Processes): Promise<void> {
  const names = neighboursOf(name);
  for (const file of await readdir(folder).catch(() => [])) {
    const neighbour = names.recognise(file);
    if (neighbour === undefined) continue;
    if (neighbour.kind === 'claim' && (await processes.look(neighbour.pid)).alive) continue;
    await rm(join(folder, file), { force: true }).catch(() => undefined);
  }
}
