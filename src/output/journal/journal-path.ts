import { join } from 'node:path';
import { neighboursOf } from '../files/neighbours.ts';
import type { FileTarget } from '../target.ts';

/** Where the journal of a target is. To be used by the holder of the target's lock, and only by it. */
export function journalPath(target: FileTarget): string {
  return join(target.folder, neighboursOf(target.name).journal);
}
