import { BadBody, UsageError } from '../errors.ts';
import { isJsonObject } from '../json/json-object.ts';
import { checkJson } from '../json/scanner.ts';

/** A JSON object without a prototype: a key `__proto__` or `constructor` in it is a key like any other. */
export interface JsonObject {
  [key: string]: unknown;
}

/** The store's file as it is. Keys that folio does not know are kept when it is written again. */
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
 * Reads the text of the store's file. Only the frame is checked here. Profiles and settings are checked one by one when they are
 * asked for, so that one broken profile does not stop the others. Throws UsageError naming the file and what is wrong, without
 * showing any of the text.
 */
export function parseDocument(text: string, file: string): StoreDocument {
  const root = parseJson(text, file);
  if (!isJsonObject(root)) throw brokenStore(file, `expected a JSON object, found ${kindOf(root)}`);
  const { currentProfile } = root;
  if (currentProfile !== undefined && typeof currentProfile !== 'string') {
    throw brokenStore(file, `currentProfile is ${kindOf(currentProfile)}, expected a string`);
  }
  const checkObject = (value: unknown, member: string): void => {
    if (!isJsonObject(value)) throw brokenStore(file, `${member} is ${kindOf(value)}, expected an object`);
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

/** What a JSON value is, for a message: `a string`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function parseJson(content: string, file: string): unknown {
  // Some editors write a byte order mark.
  const text = content.replace(/^\uFEFF/, '');
  if (text.trim() === '') throw brokenStore(file, 'it is empty');
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      isJsonObject(value) ? withoutPrototype(value) : value,
    );
  } catch {
    // Neither the message nor the error itself goes on: the runtime quotes the text in it, which may be a token.
    throw brokenStore(file, `it is not JSON${placeOfFault(Buffer.from(text))}`);
  }
}

function placeOfFault(bytes: Buffer): string {
  try {
    checkJson(bytes);
    return '';
  } catch (error) {
    if (!(error instanceof BadBody)) throw error;
    const before = bytes.toString('utf8', 0, error.offset).split('\n');
    return ` (line ${before.length}, column ${before.at(-1)!.length + 1})`;
  }
}

/** What a login leaves in the store: a token, or the command that prints it. */
interface Login {
  readonly profile: string;
  readonly baseUrl: URL;
  readonly credential: { readonly token: string } | { readonly tokenCommand: readonly string[] };
  readonly organization?: string | undefined;
}

/**
 * Puts a login into the document. What the profile has besides (settings, keys that folio does not know) stays. The first
 * profile becomes the current one; a later login does not change which one that is, because runs that name no profile
 * would from then on ask for another organization.
 */
export function storeLogin(document: StoreDocument, login: Login): void {
  const { profile, baseUrl, credential, organization } = login;
  const entry = (document.profiles[profile] ??= withoutPrototype({}));
  for (const key of ['token', 'tokenCommand', 'organization']) delete entry[key];
  Object.assign(
    entry,
    { baseUrl: baseUrl.href, ...credential },
    organization !== undefined && { organization },
  );
  const { currentProfile } = document;
  if (currentProfile === undefined || document.profiles[currentProfile] === undefined) {
    document.currentProfile = profile;
  }
}

export function removeProfile(document: StoreDocument, profile: string): void {
  delete document.profiles[profile];
  if (document.currentProfile === profile) delete document.currentProfile;
}
