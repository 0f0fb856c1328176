import { rm } from 'node:fs/promises';
import { journalPath } from './journal-path.ts';
import type { FileTarget } from '../target.ts';

/** Removes the journal beside the target, whose lock the caller holds; returns whether there was one. Never rejects. */
export async function discardJournal(target: FileTarget): Promise<boolean> {
  return rm(journalPath(target)).then(
    () => true,
    () => false,
  );
}
