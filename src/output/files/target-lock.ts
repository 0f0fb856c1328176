import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../../errors.ts';
import { linkClaim, writeClaim, type LockClaim, type LockSite } from './lock-claim.ts';
import { heldBy, isGone, parseHolder } from './lock-holder.ts';
import { neighboursOf } from './neighbours.ts';
import type { Processes } from './processes.ts';
import type { FileTarget } from '../target.ts';

/** The right to write a target: one run has it at a time. */
export interface TargetLock {
  /** The mode that a new file gets in the target's folder. */
  readonly newFileMode: number;
  /** Gives the right back. Never rejects; a lock that is no longer ours is left alone. */
  release(): Promise<void>;
}

interface Taking {
  readonly claim: LockClaim;
  readonly target: FileTarget;
  readonly processes: Processes;
}

/** Far more rounds than there are runs that can come and go between two steps of ours. */
const ROUNDS = 100;

/**
 * Takes the lock of the target, which is a file beside it that names its holder; a dead holder's is taken over.
 * Throws OutputError at once when another run holds it, or when the folder lets us create no file.
 */
export async function lockTarget(target: FileTarget, site: LockSite): Promise<TargetLock> {
  const claim = await writeClaim(target, site);
  const lock = join(target.folder, neighboursOf(target.name).lock);
  try {
    await take({ claim, target, processes: site.processes }, lock);
  } finally {
    await rm(claim.path, { force: true }).catch(() => undefined);
  }
  return { newFileMode: claim.newFileMode, release: () => removeIf(claim.text, lock) };
}

/**
 * Two runs that find the same dead lock must not both remove it: the slower one would remove the faster one's. So
 * whoever is to remove it first takes a lock for just that, named after the dead holder, and then looks again.
 */
async function take(taking: Taking, lock: string): Promise<void> {
  const { claim, target, processes } = taking;
  for (let round = 0; round < ROUNDS; round++) {
    if (await linkClaim(claim, lock, target)) return;
    const text = await readText(lock);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder === undefined || !(await isGone(holder, processes))) {
      throw heldBy(holder, processes, { shown: target.shown, lock });
    }
    const guard = neighboursOf(target.name).guard(lock, text);
    await take(taking, guard);
    await removeIf(text, lock);
    await removeIf(claim.text, guard);
  }
  throw new OutputError(`cannot lock ${target.shown}: ${lock} can be neither made nor read`, {
    hint: 'delete it',
  });
}

async function removeIf(expected: string, path: string): Promise<void> {
  if ((await readText(path)) === expected) await rm(path, { force: true }).catch(() => undefined);
}

function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
