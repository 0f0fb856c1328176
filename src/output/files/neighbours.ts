import { createHash } from 'node:crypto';
import { cutBytes } from './cut-bytes.ts';

/** Bytes that the target's name may take in the name of a neighbour: 255 is the limit, endings take up to 50. */
const NAME_LIMIT = 200;

/** The names of the files that stand beside a target while it is written. All begin with a dot and the target's name. */
export interface Neighbours {
  /** The lock; there while a run writes the target. */
  readonly lock: string;
  /** What a run with --resume has so far, for the one that goes on after it. No leaving: it outlives its run. */
  readonly journal: string;
  /** What is to become the target, by one process. */
  temporary(pid: number, random: number): string;
  /** What is to become the lock, by one process. */
  claim(pid: number, random: number): string;
  /** The lock on removing a dead holder's lock. */
  guard(lock: string, holder: string): string;
  /** Which of these a file of the folder is, and of which process; undefined for any other file. */
  recognise(file: string): Neighbour | undefined;
}

type Neighbour = { readonly kind: 'temporary' | 'claim'; readonly pid: number } | { readonly kind: 'guard' };

const BY_ENDING = { 'folio-tmp': 'temporary', 'folio-claim': 'claim' } as const;

/** The neighbours of the target called `name`; a long name is shortened, and told from its like by a hash. */
export function neighboursOf(name: string): Neighbours {
  const stem =
    Buffer.byteLength(name) <= NAME_LIMIT ? name : `${cutBytes(name, NAME_LIMIT - 13)}-${digest(name, 12)}`;
  const lock = `.${stem}.folio-lock`;
  return {
    lock,
    journal: `.${stem}.folio-resume`,
    temporary: (pid, random) => `.${stem}.${pid}-${eightLetters(random)}.folio-tmp`,
    claim: (pid, random) => `.${stem}.${pid}-${eightLetters(random)}.folio-claim`,
    guard: (lock, holder) => `${lock}.${digest(holder, 8)}`,
    recognise(file) {
      if (file.startsWith(`${lock}.`) && /^(?:\.[0-9a-f]{8})+$/.test(file.slice(lock.length)))
        return { kind: 'guard' };
      if (!file.startsWith(`.${stem}.`)) return undefined;
      const [, pid, ending] =
        /^(\d+)-[0-9a-z]{8}\.(folio-tmp|folio-claim)$/.exec(file.slice(stem.length + 2)) ?? [];
      if (pid === undefined) return undefined;
      return { kind: BY_ENDING[ending as keyof typeof BY_ENDING], pid: Number(pid) };
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
