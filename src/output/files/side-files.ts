import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Processes } from '../../context.ts';

export interface FileContext {
  readonly clock: Pick<Clock, 'now' | 'random' | 'sleep'>;
  readonly processes: Processes;
  /** Ends a wait for another program or run. */
  readonly signal: AbortSignal;
}

interface TargetPlace {
  readonly folder: string;
  readonly name: string;
}

/** Bytes of the target's name in the names of its side files, of 255; endings take up to 50. */
const NAME_LIMIT = 200;

/**
 * The names of the files beside a target while it is written. All begin with a dot and the target's name; a long name is
 * shortened, and gets a hash that makes it unique.
 */
export function sideFilesOf(name: string): {
  readonly lock: string;
  /** The new contents of the target. `random` is from 0 to 1. */
  temporary(pid: number, random: number): string;
  guard(lock: string, text: string): string;
  /** Whether a name is that of a temporary file or a guard, which a killed run leaves. */
  isLeftover(file: string): boolean;
} {
  const stem =
    Buffer.byteLength(name) <= NAME_LIMIT ? name : `${cutBytes(name, NAME_LIMIT - 13)}-${digest(name, 12)}`;
  const lettersOf = (random: number): string =>
    Math.floor(random * 36 ** 8)
      .toString(36)
      .padStart(8, '0');
  return {
    lock: `.${stem}.folio-lock`,
    temporary: (pid, random) => `.${stem}.${pid}-${lettersOf(random)}.folio-tmp`,
    guard: (lock, text) => `${lock}.${digest(text, 8)}`,
    isLeftover: (file) =>
      file.startsWith(`.${stem}.`) &&
      /^(?:\d+-[0-9a-z]{8}\.folio-tmp|folio-lock(?:\.[0-9a-f]{8})+)$/.test(file.slice(stem.length + 2)),
  };
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

export function temporaryPath({ folder, name }: TargetPlace, { processes, clock }: FileContext): string {
  return join(folder, sideFilesOf(name).temporary(processes.pid, clock.random()));
}

/** Milliseconds without a change after which a temporary file counts as left by a killed run. */
const LEFT_AFTER = 24 * 60 * 60 * 1000;

/**
 * Removes files that killed runs left beside the target, a day after their last change. Never rejects.
 *
 * @param now milliseconds since 1970; Infinity if no other run can be writing
 */
export async function removeLeftovers({ folder, name }: TargetPlace, now: number): Promise<void> {
  const names = sideFilesOf(name);
  for (const file of await readdir(folder).catch(() => [])) {
    if (!names.isLeftover(file)) continue;
    const path = join(folder, file);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || now - found.mtimeMs < LEFT_AFTER) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The longest beginning of the text, in whole characters, whose UTF-8 is at most `limit` bytes. */
export function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  let [bytes, end] = [0, 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}
