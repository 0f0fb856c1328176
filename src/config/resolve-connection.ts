import type { Environment, InputStream } from '../context.ts';
import { AuthError } from '../errors.ts';
import { chooseProfile } from './choose-profile.ts';
import { parseToken } from './parse-token.ts';
import type { Profile } from './profile.ts';
import { readTokenFile } from './read-token-file.ts';
import type { Secret } from './secret.ts';
import { brokenStore } from './store-document.ts';
import type { ConfigStore } from './store.ts';
import { runTokenCommand } from './token-command.ts';

/** The flags that say whom to ask and as whom. */
export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
}

export interface ConnectionSources {
  readonly flags: ConnectionFlags;
  readonly env: Environment;
  readonly store: ConfigStore;
  readonly stdin: InputStream;
  readonly signal: AbortSignal;
  /** Reads a base address into its normal form; throws UsageError. */
  readonly parseBaseUrl: ParseBaseUrl;
}

type ParseBaseUrl = (text: string) => URL;

export type TokenSource = 'token file' | 'FOLIO_TOKEN' | 'profile' | 'token command';

/** Whom to ask and as whom, as far as flags, environment and store tell. */
export interface Connection {
  readonly profile: string | undefined;
  readonly baseUrl: URL | undefined;
  readonly token: Secret | undefined;
  readonly tokenSource: TokenSource | undefined;
  /** What people should know about where it all came from; for a terminal or `--verbose`. */
  readonly notes: readonly string[];
}

/**
 * Finds base address and token: flag, then environment, then profile. What is missing is left undefined;
 * `requireConnection` refuses it.
 *
 * @throws UsageError for a bad value, AuthError for a token that is malformed or that belongs to another base address.
 */
export async function resolveConnection(sources: ConnectionSources): Promise<Connection> {
  const { flags, env, store } = sources;
  const profile = chooseProfile(flags.profile, env, store);
  const own = profile && profileAddress(profile, sources);
  const baseUrl = statedAddress(sources) ?? own;
  const found = await findToken(sources, profile, () => checkBelongs(profile!.name, own, baseUrl));
  return { profile: profile?.name, baseUrl, token: undefined, tokenSource: undefined, notes: [], ...found };
}

/** The base address that this run was given beside the store, or undefined. An empty variable counts as unset. */
export function statedAddress({
  flags,
  env,
  parseBaseUrl,
}: Pick<ConnectionSources, 'flags' | 'env' | 'parseBaseUrl'>): URL | undefined {
  const stated = flags.baseUrl ?? (env['FOLIO_BASE_URL'] || undefined);
  return stated === undefined ? undefined : parseBaseUrl(stated);
}

/** The base address that a profile was stored with. */
export function profileAddress(
  { name, baseUrl }: Profile,
  { store, parseBaseUrl }: Pick<ConnectionSources, 'store' | 'parseBaseUrl'>,
): URL | undefined {
  try {
    return baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  } catch (error) {
    throw brokenStore(store.file!, `profiles.${name}.baseUrl: ${(error as Error).message}`);
  }
}

type Found = Pick<Connection, 'token' | 'tokenSource' | 'notes'>;

async function findToken(
  { flags, env, stdin, signal }: ConnectionSources,
  profile: Profile | undefined,
  checkAddress: () => void,
): Promise<Found | undefined> {
  if (flags.tokenFile !== undefined) {
    return { ...(await readTokenFile(flags.tokenFile, stdin)), tokenSource: 'token file' };
  }
  if (env['FOLIO_TOKEN']) {
    const { token, note } = parseToken(env['FOLIO_TOKEN'], 'FOLIO_TOKEN');
    return { token, tokenSource: 'FOLIO_TOKEN', notes: notesOf(note, overruled(flags, profile)) };
  }
  if (profile === undefined || (profile.token ?? profile.tokenCommand) === undefined) return undefined;
  checkAddress();
  if (profile.token) return { token: profile.token, tokenSource: 'profile', notes: [] };
  const command = { command: profile.tokenCommand!, profile: profile.name, env, signal };
  const { token, note } = await runTokenCommand(command);
  return { token, tokenSource: 'token command', notes: notesOf(note) };
}

/** A token of the store goes only to the address that it was stored for, whatever flags and environment say. */
function checkBelongs(name: string, own: URL | undefined, baseUrl: URL | undefined): void {
  if (baseUrl === undefined || own?.href === baseUrl.href) return;
  const where = own === undefined ? 'has no base address of its own' : `is for ${own.href}`;
  throw new AuthError(`the token of profile ${name} ${where}, it is not sent to ${baseUrl.href}`, {
    hint: `Log in there: folio auth login --profile <name> --base-url ${baseUrl.href}`,
  });
}

function overruled(flags: ConnectionFlags, profile: Profile | undefined): string | undefined {
  const own = profile?.token ?? profile?.tokenCommand;
  if (flags.profile === undefined || own === undefined) return undefined;
  return `FOLIO_TOKEN is set and goes before the token of profile ${profile!.name}`;
}

function notesOf(...notes: readonly (string | undefined)[]): string[] {
  return notes.filter((note) => note !== undefined);
}
