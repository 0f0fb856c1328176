import { UsageError } from '../errors.ts';
import { findJsonFault } from './find-json-fault.ts';

/** A JSON object without a prototype: a key `__proto__` or `constructor` in it is a key like any other. */
export interface JsonObject {
  [key: string]: unknown;
}

/** The store's file as it is, unknown keys included: what is not folio's is kept when the file is written again. */
export interface StoreDocument extends JsonObject {
  currentProfile?: string;
  profiles: Record<string, JsonObject>;
  settings: JsonObject;
}

/** A store with nothing in it. */
export function emptyDocument(): StoreDocument {
  return withoutPrototype({
    profiles: withoutPrototype({}),
    settings: withoutPrototype({}),
  }) as StoreDocument;
}

/**
 * Reads the text of the store's file. What it holds of profiles and settings is checked one by one when it is asked for, so
 * that one broken profile does not stop the others; here only the frame.
 *
 * @throws UsageError naming the file and what is wrong, without showing any of the text.
 */
export function parseDocument(bytes: Buffer, file: string): StoreDocument {
  const root = parseJson(bytes, file);
  if (!isJsonObject(root)) throw brokenStore(file, `expected a JSON object, found ${kindOf(root)}`);
  const { currentProfile } = root;
  if (currentProfile !== undefined && typeof currentProfile !== 'string') {
    throw brokenStore(file, `currentProfile is ${kindOf(currentProfile)}, expected a string`);
  }
  for (const key of ['profiles', 'settings']) {
    root[key] ??= withoutPrototype({});
    if (!isJsonObject(root[key]))
      throw brokenStore(file, `${key} is ${kindOf(root[key])}, expected an object`);
  }
  for (const [name, profile] of Object.entries(root.profiles as JsonObject)) {
    if (!isJsonObject(profile)) {
      throw brokenStore(file, `profiles.${name} is ${kindOf(profile)}, expected an object`);
    }
  }
  return root as StoreDocument;
}

/** The error for a store that cannot be used as it is: names the file, and says that it was left alone. */
export function brokenStore(file: string, reason: string): UsageError {
  return new UsageError(`the configuration ${file} cannot be used: ${reason}`, {
    hint: 'Mend the file, or move it away and log in again; folio leaves it as it is.',
  });
}

/** What a JSON value is, for a message: `a string`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(bytes: Buffer, file: string): unknown {
  let text: string;
  try {
    // Takes off a byte order mark, which some editors write.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw brokenStore(file, 'it is not UTF-8 text');
  }
  if (text.trim() === '') throw brokenStore(file, 'it is empty');
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      isJsonObject(value) ? withoutPrototype(value) : value,
    );
  } catch {
    // Neither the message nor the error itself goes on: the runtime quotes the text in it.
    const fault = findJsonFault(text);
    throw brokenStore(file, `it is not JSON${fault ? ` (line ${fault.line}, column ${fault.column})` : ''}`);
  }
}

function withoutPrototype(object: JsonObject): JsonObject {
  return Object.assign(Object.create(null) as JsonObject, object);
}
