import { parseProfileName } from './profile-name.ts';
import { parseToken } from './parse-token.ts';
import type { Profile } from './profile.ts';
import { brokenStore, isJsonObject, kindOf } from './store-document.ts';
import type { JsonObject, StoreDocument } from './store-document.ts';
import { parseTokenCommand } from './token-command.ts';

/**
 * Reads one profile of the store; undefined when there is none of that name.
 *
 * @throws UsageError naming the file and the member that is not as it should be; never with a token in it.
 */
export function readProfile(document: StoreDocument, name: string, file: string): Profile | undefined {
  const entry = document.profiles[name];
  if (entry === undefined) return undefined;
  const place = `${file}: profiles.${name}`;
  parseProfileName(name, `${file}: profiles`);
  const baseUrl = textIn(entry, 'baseUrl', place);
  const token = textIn(entry, 'token', place);
  const organization = textIn(entry, 'organization', place);
  const { tokenCommand } = entry;
  if (token !== undefined && tokenCommand !== undefined) {
    throw brokenStore(file, `profiles.${name} has both a token and a tokenCommand`);
  }
  return {
    name,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(token === undefined ? {} : { token: parseToken(token, `${place}.token`).token }),
    ...(tokenCommand === undefined
      ? {}
      : { tokenCommand: parseTokenCommand(tokenCommand, `${place}.tokenCommand`) }),
    ...(organization === undefined ? {} : { organization }),
  };
}

/** The settings of a profile, or those for all, as they stand in the file. */
export function readSettings(document: StoreDocument, profile: string | undefined, file: string): JsonObject {
  const settings = profile === undefined ? document.settings : document.profiles[profile]?.['settings'];
  if (settings === undefined) return {};
  if (isJsonObject(settings)) return settings;
  throw brokenStore(file, `profiles.${profile}.settings is ${kindOf(settings)}, expected an object`);
}

function textIn(entry: JsonObject, key: string, place: string): string | undefined {
  const value = entry[key];
  if (value === undefined || typeof value === 'string') return value;
  const [file, member] = place.split(': ') as [string, string];
  throw brokenStore(file, `${member}.${key} is ${kindOf(value)}, expected a string`);
}
