import { createHash } from 'node:crypto';

/** Bytes of the target's name in the names of its side files: a name may have 255, of which endings take up to 50. */
const NAME_LIMIT = 200;

/** The names of the files that stand beside a target while it is written. All begin with a dot and the target's name. */
interface SideFiles {
  /** The lock; there while a run writes the target. */
  readonly lock: string;
  /** The new contents of the target, written by one process. */
  temporary(pid: number, random: number): string;
  /** The contents of a lock before it is taken, written by one process. */
  claim(pid: number, random: number): string;
  /** The lock on removing a stale lock. */
  guard(lock: string, text: string): string;
  /** Which of these a file of the folder is. Undefined for the lock and any other file. */
  recognise(file: string): 'temporary' | 'claim' | 'guard' | undefined;
}

/** The names for the target called `name`. A long name is shortened, and gets a hash that tells it from similar ones. */
export function sideFilesOf(name: string): SideFiles {
  const stem =
    Buffer.byteLength(name) <= NAME_LIMIT ? name : `${cutBytes(name, NAME_LIMIT - 13)}-${digest(name, 12)}`;
  const lock = `.${stem}.folio-lock`;
  return {
    lock,
    temporary: (pid, random) => `.${stem}.${pid}-${eightLetters(random)}.folio-tmp`,
    claim: (pid, random) => `.${stem}.${pid}-${eightLetters(random)}.folio-claim`,
    guard: (lock, text) => `${lock}.${digest(text, 8)}`,
    recognise(file) {
      if (file.startsWith(`${lock}.`) && /^(?:\.[0-9a-f]{8})+$/.test(file.slice(lock.length))) return 'guard';
      if (!file.startsWith(`.${stem}.`)) return undefined;
      const ending = /^\d+-[0-9a-z]{8}\.folio-(tmp|claim)$/.exec(file.slice(stem.length + 2))?.[1];
      if (ending === undefined) return undefined;
      return ending === 'tmp' ? 'temporary' : 'claim';
    },
  };
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

function eightLetters(random: number): string {
  return Math.floor(random * 36 ** 8)
    .toString(36)
    .padStart(8, '0');
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
