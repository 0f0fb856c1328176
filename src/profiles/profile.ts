import { isAbsolute } from 'node:path';
import type { Secret } from '../api/redact.ts';
import { UsageError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import { DEVICE_NAME } from '../output/files/target.ts';
import { parseToken } from './token.ts';

export type TokenCommand = readonly [program: string, ...args: string[]];

/** One organization in the store. */
export interface Profile {
  readonly name: string;
  /** The only address that the token below is sent to. */
  readonly baseUrl?: string | undefined;
  readonly token?: Secret | undefined;
  /** A command that prints the token, in place of one. */
  readonly tokenCommand?: TokenCommand | undefined;
  /** The organization ID in the token at login. */
  readonly organization?: string | undefined;
}

/** Whether this can be the name of a profile. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_][\w.-]{0,63}$/.test(name) && !name.endsWith('.') && !DEVICE_NAME.test(name);
}

/**
 * Checks the name of a profile. It becomes part of file names, so it may have no character that a file system or a shell
 * interprets. `from` is the source of the name, for the message: `--profile`.
 */
export function parseProfileName(name: string, from: string): string {
  if (isProfileName(name)) return name;
  throw new UsageError(`${from} ${JSON.stringify(name.slice(0, 80))}: this cannot be the name of a profile`, {
    hint: 'A name has up to 64 letters (a to z), digits, "-", "_" and ".", and begins with a letter, digit or "_".',
  });
}

/** Profiles and settings, as they were in the file when it was opened. A profile or setting is checked when it is read. */
export interface ConfigStore {
  /** The file, whether or not it exists; undefined where no folder for it is known. */
  readonly file: string | undefined;
  /** The profile of commands without --profile. */
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

/** Names of profiles, each once: those of the store in its order, as `--all-profiles` reads them, then the others by name. */
export function inOrderOf({ profileNames }: ConfigStore, names: Iterable<string>): readonly string[] {
  const all = new Set(names);
  return [...new Set([...profileNames.filter((name) => all.has(name)), ...[...all].toSorted()])];
}

/**
 * Reads a token command as it is stored. A program with a folder in its name must say the whole path, so that it does not depend
 * on where folio is started. `from` is where it stands, for messages.
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

/** A JSON object without a prototype: a key `__proto__` or `constructor` in it is a key like any other. */
export interface JsonObject {
  [key: string]: unknown;
}

/** The content of the store's file. Unknown keys are kept when it is written again. */
export interface StoreDocument extends JsonObject {
  currentProfile?: string;
  profiles: Record<string, JsonObject>;
  settings: JsonObject;
}

export function emptyDocument(): StoreDocument {
  return withoutPrototype({ profiles: withoutPrototype({}), settings: withoutPrototype({}) });
}

function withoutPrototype<T extends object>(object: T): T {
  return Object.assign(Object.create(null) as T, object);
}

/**
 * Reads the text of the store's file. Profiles and settings are checked one by one when they are used, so that one broken profile
 * does not stop the others. Throws UsageError naming the file and what is wrong, without showing any of the text.
 */
export function parseDocument(text: string, file: string): StoreDocument {
  let root: unknown;
  try {
    // Some editors write a byte order mark.
    root = JSON.parse(text.replace(/^\uFEFF/, ''), (_key, value: unknown) =>
      isJsonObject(value) ? withoutPrototype(value) : value,
    );
  } catch {
    // The original error is dropped, because its message quotes the text, which may contain a token.
    throw brokenStore(file, 'it is not JSON');
  }
  if (!isJsonObject(root)) throw brokenStore(file, 'it has to be a JSON object');
  const { currentProfile } = root;
  if (currentProfile !== undefined && typeof currentProfile !== 'string')
    throw brokenStore(file, 'currentProfile has to be a string');
  const checkObject = (value: unknown, member: string): void => {
    if (!isJsonObject(value)) throw brokenStore(file, `${member} has to be an object`);
  };
  for (const key of ['profiles', 'settings']) checkObject((root[key] ??= withoutPrototype({})), key);
  for (const [name, profile] of Object.entries(root['profiles'] as JsonObject)) {
    checkObject(profile, `profiles.${name}`);
  }
  return root as StoreDocument;
}

/** The error for a store that cannot be used as it is. */
export function brokenStore(file: string, reason: string): UsageError {
  return new UsageError(`the configuration ${file} cannot be used: ${reason}`, {
    hint: 'Correct the file, or move it away and log in again; folio leaves it as it is.',
  });
}

/** A profile of the store. Throws UsageError naming the file and the wrong member, never with a token in it. */
export function readProfile(document: StoreDocument, name: string, file: string): Profile | undefined {
  const entry = document.profiles[name];
  if (entry === undefined) return undefined;
  parseProfileName(name, `${file}: profiles`);
  const member = `profiles.${name}`;
  const textOf = (key: string): string | undefined => {
    const value = entry[key];
    if (value === undefined || typeof value === 'string') return value;
    throw brokenStore(file, `${member}.${key} has to be a string`);
  };
  const [baseUrl, token, organization] = [textOf('baseUrl'), textOf('token'), textOf('organization')];
  const { tokenCommand: command } = entry;
  if (token !== undefined && command !== undefined) {
    throw brokenStore(file, `${member} has both a token and a tokenCommand`);
  }
  return {
    name,
    baseUrl,
    token: token === undefined ? undefined : parseToken(token, `${file}: ${member}.token`),
    tokenCommand:
      command === undefined ? undefined : parseTokenCommand(command, `${file}: ${member}.tokenCommand`),
    organization,
  };
}

export function readSettings(document: StoreDocument, profile: string | undefined, file: string): JsonObject {
  const settings = profile === undefined ? document.settings : document.profiles[profile]?.['settings'];
  if (settings === undefined) return {};
  if (isJsonObject(settings)) return settings;
  throw brokenStore(file, `profiles.${profile}.settings has to be an object`);
}
