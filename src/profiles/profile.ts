import { isAbsolute } from 'node:path';
import { UsageError } from '../errors.ts';
import { DEVICE_NAME } from '../output/files/target.ts';
import type { Secret } from './token.ts';
import type { JsonObject, StoreDocument } from './store-document.ts';

export type TokenCommand = readonly [program: string, ...args: string[]];

/** One organization in the store. */
export interface Profile {
  readonly name: string;
  /** Where the token below belongs, as text; it is sent nowhere else. */
  readonly baseUrl?: string | undefined;
  readonly token?: Secret | undefined;
  /** A command that prints the token, in place of one. */
  readonly tokenCommand?: TokenCommand | undefined;
  /** The claims of the token at login; for people only. */
  readonly organization?: string | undefined;
}

/** Whether this can be the name of a profile. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_][\w.-]{0,63}$/.test(name) && !name.endsWith('.') && !DEVICE_NAME.test(name);
}

/**
 * Checks the name of a profile. A name becomes part of a file's name where each organization is exported into a file of its
 * own, so it may hold nothing that a file system or a shell reads otherwise.
 *
 * @param from where the name comes from, for the message: `--profile`
 */
export function parseProfileName(name: string, from: string): string {
  if (isProfileName(name)) return name;
  throw new UsageError(`${from} ${JSON.stringify(name.slice(0, 80))}: this cannot be the name of a profile`, {
    hint: 'A name has up to 64 letters (a to z), digits, "-", "_" and ".", and begins with a letter, digit or "_".',
  });
}

/** Refuses a new name that differs from a known one in nothing but case: their files would be one on many disks. */
export function checkNameIsNew(name: string, known: readonly string[]): void {
  const twin = known.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return;
  throw new UsageError(
    `a profile ${JSON.stringify(twin)} exists, which differs from ${JSON.stringify(name)} only in case`,
    { hint: `To log in to that one again, say --profile ${twin}.` },
  );
}

/** Profiles and settings, as they were in the file when it was opened. A profile or setting is checked when it is read. */
export interface ConfigStore {
  /** The file, whether or not it exists; undefined where no folder for it is known. */
  readonly file: string | undefined;
  /** For commands that name none. */
  readonly currentProfile: string | undefined;
  /** In the order of the file. */
  readonly profileNames: readonly string[];
  /** The profile of that name, or undefined. Throws UsageError naming what is wrong with it. */
  profile(name: string): Profile | undefined;
  /** The settings of one profile, or those for all profiles, by name; unknown ones included. */
  settings(profile?: string): Readonly<JsonObject>;
  /**
   * Changes the file in one step: reads it again, so that changes by other runs are kept, has `change` change the content in
   * place, and writes it. Afterwards the store shows the new content.
   */
  update(change: (document: StoreDocument) => void): Promise<void>;
}

/** Names of profiles, each once: those that the store has in its order, which is that of the service, then the others by name. */
export function inOrderOf({ profileNames }: ConfigStore, names: Iterable<string>): readonly string[] {
  const all = new Set(names);
  return [...new Set([...profileNames.filter((name) => all.has(name)), ...[...all].toSorted()])];
}

/**
 * Reads a token command as it is stored: a list of strings, program first. A program with a folder in its name must say the
 * whole path, so that it does not depend on where folio is started.
 *
 * @param from where it is, for messages
 */
export function parseTokenCommand(value: unknown, from: string): TokenCommand {
  const isList =
    Array.isArray(value) && value.every((part) => typeof part === 'string' && !part.includes('\0'));
  const [program] = isList ? (value as string[]) : [];
  if (!program) {
    throw new UsageError(`${from}: expected a list of strings, the program first`, {
      hint: 'Write it like ["op", "read", "op://vault/folio/token"].',
    });
  }
  if (/[\\/]/.test(program) && !isAbsolute(program)) {
    throw new UsageError(`${from}: the program must be a name on the PATH or a whole path`, {
      hint: 'Write the path from the root, or the name alone.',
    });
  }
  return value as [string, ...string[]];
}
