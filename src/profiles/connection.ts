import { parseBaseUrl } from '../api/address.ts';
import type { Secret } from '../api/redact.ts';
import type { Context, Environment } from '../context.ts';
import { AuthError, UsageError } from '../errors.ts';
import { brokenStore, type ConfigStore, parseProfileName, type Profile } from './profile.ts';
import { checkExpiry, decodeToken, parseToken } from './token.ts';

/** The flags that name the service and the organization. */
export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
}

export type TokenSource = 'token file' | 'FOLIO_TOKEN' | 'profile' | 'token command';

/** The service and the organization of a run, as far as flags, environment and store name them. */
export interface Connection {
  readonly profile: string | undefined;
  readonly baseUrl: URL | undefined;
  readonly token: Secret | undefined;
  readonly tokenSource: TokenSource | undefined;
  /** The path of the token file; `-` for standard input. */
  readonly tokenFile?: string | undefined;
}

/**
 * Finds base address and token: flag, then environment, then profile. What is missing is left undefined; `requireConnection`
 * refuses it. Throws UsageError for a bad value, AuthError for a token that is malformed or that belongs to another base address.
 */
export async function resolveConnection(
  { env, stdin, signal }: Pick<Context, 'env' | 'stdin' | 'signal'>,
  { flags, store }: { readonly flags: ConnectionFlags; readonly store: ConfigStore },
): Promise<Connection> {
  const { profile, own, baseUrl } = resolveAddress(flags, env, store);
  const known = { profile: profile?.name, baseUrl };
  const { tokenFile } = flags;
  if (tokenFile !== undefined) {
    const { readTokenFile } = await import('./token-sources.ts');
    const token = await readTokenFile(tokenFile, stdin);
    if (flags.profile !== undefined && profile !== undefined) refuseOtherOrganization(profile, token);
    return { ...known, token, tokenSource: 'token file', tokenFile };
  }
  if (env['FOLIO_TOKEN'])
    return { ...known, token: parseToken(env['FOLIO_TOKEN'], 'FOLIO_TOKEN'), tokenSource: 'FOLIO_TOKEN' };
  const { token, tokenCommand: command } = profile ?? {};
  if (token === undefined && command === undefined) return { ...known, token, tokenSource: undefined };
  checkBelongs(profile!.name, own, baseUrl);
  if (command === undefined) return { ...known, token, tokenSource: 'profile' };
  const { runTokenCommand } = await import('./token-sources.ts');
  const printed = await runTokenCommand({ command, profile: profile!.name, env, signal });
  return { ...known, token: printed, tokenSource: 'token command' };
}

/**
 * The profile and the base address of a run, and where that is from: `--base-url`. Throws as `resolveConnection` does, but for
 * the token. `store` is undefined where it cannot be opened.
 */
export function resolveAddress(flags: ConnectionFlags, env: Environment, store: ConfigStore | undefined) {
  refuseMixed(flags, env);
  const stated = statedAddress(flags, env);
  const profile = store && chooseProfile(flags.profile, env, store);
  const own = profile && profileAddress(profile, store);
  const variable = flags.baseUrl === undefined ? 'FOLIO_BASE_URL' : '--base-url';
  return { profile, own, baseUrl: stated ?? own, from: stated ? variable : `profile ${profile?.name}` };
}

/** The error for a missing base address; `login` is the command that sets one. */
export function noAddress(login: string): UsageError {
  return new UsageError('there is no base address, so folio does not know where the service is', {
    hint: `Log in once with \`${login}\`, or set FOLIO_BASE_URL, or pass --base-url https://<host>/v1, or try --sandbox.`,
  });
}

/** Refuses token or address in the environment beside --profile: data of another organization must not get its name. */
function refuseMixed({ profile }: ConnectionFlags, env: Environment): void {
  const variable = ['FOLIO_TOKEN', 'FOLIO_BASE_URL'].find((name) => env[name]);
  if (profile === undefined || variable === undefined) return;
  throw new UsageError(
    `--profile ${profile} and ${variable} do not go together: a profile brings its own token and address`,
    {
      hint: `Leave out --profile, or unset the variable for this command with \`env -u ${variable} folio …\`.`,
    },
  );
}

/** Refuses a token of another organization beside --profile, for the same reason. What cannot be decoded is let through. */
function refuseOtherOrganization({ name, token, organization }: Profile, given: Secret): void {
  const [own, other] = [
    decodeToken(token)?.organizationId ?? organization,
    decodeToken(given)?.organizationId,
  ];
  if (own === undefined || other === undefined || own === other) return;
  throw new UsageError(
    `--profile ${name} and --token-file do not go together: they are of two organizations, ${own} and ${other}`,
    { hint: 'Leave out one of them.' },
  );
}

/** The base address that a flag or the environment gives, or undefined. An empty variable counts as unset. */
export function statedAddress(flags: ConnectionFlags, env: Environment): URL | undefined {
  const stated = flags.baseUrl ?? (env['FOLIO_BASE_URL'] || undefined);
  return stated === undefined ? undefined : parseBaseUrl(stated);
}

export function profileAddress({ name, baseUrl }: Profile, { file }: ConfigStore): URL | undefined {
  try {
    return baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  } catch (error) {
    throw brokenStore(file!, `profiles.${name}.baseUrl: ${(error as Error).message}`);
  }
}

/** A token of the store goes only to the address that it was stored for, whatever flags and environment say. */
function checkBelongs(name: string, own: URL | undefined, baseUrl: URL | undefined): void {
  if (baseUrl === undefined || own?.href === baseUrl.href) return;
  const where = own === undefined ? 'has no base address of its own' : `is for ${own.href}`;
  throw new AuthError(`the token of profile ${name} ${where}, it is not sent to ${baseUrl.href}`, {
    hint: `Log in there with \`folio auth login --profile <name> --base-url ${baseUrl.href}\`.`,
  });
}

/**
 * The profile of a run: named by `--profile`, else by FOLIO_PROFILE, else the current one; undefined when none is. Throws
 * UsageError when the one that is named does not exist, AuthError when the current one is gone.
 */
export function chooseProfile(
  flag: string | undefined,
  env: Environment,
  store: ConfigStore,
): Profile | undefined {
  const named = namedProfile(flag, env);
  if (named !== undefined) return knownProfile(named, store, flag === undefined ? NAMED_BY_VARIABLE : '');
  const { currentProfile, profileNames } = store;
  const profile = currentProfile === undefined ? undefined : store.profile(currentProfile);
  if (profile !== undefined || currentProfile === undefined) return profile;
  const listed = profileNames.length === 0 ? '' : ` (there is: ${profileNames.join(', ')})`;
  throw new AuthError(`the current profile ${JSON.stringify(currentProfile)} does not exist`, {
    hint: `Choose another with \`folio auth use <name>\`${listed}, or log in with \`folio auth login\`.`,
  });
}

/**
 * The profile of a run whose token is its own; undefined for a token of the flags or the environment. Throws as `chooseProfile`
 * does.
 */
export function profileOfToken(
  { profile, tokenFile }: ConnectionFlags,
  env: Environment,
  store: ConfigStore,
): Profile | undefined {
  return tokenFile !== undefined || env['FOLIO_TOKEN'] ? undefined : chooseProfile(profile, env, store);
}

/** The profile by flag or environment, else the current one. */
export function usualProfile(
  env: Environment,
  store: ConfigStore | undefined,
  flag?: string,
): string | undefined {
  return namedProfile(flag, env) ?? store?.currentProfile;
}

/** The name by flag or environment, checked for its form; undefined without one. */
export function namedProfile(flag: string | undefined, env: Environment): string | undefined {
  if (flag !== undefined) return parseProfileName(flag, '--profile');
  const { FOLIO_PROFILE: name } = env;
  return name ? parseProfileName(name, 'FOLIO_PROFILE') : undefined;
}

/** The end of an error about the profile that the environment names. */
export const NAMED_BY_VARIABLE = ', which FOLIO_PROFILE names';

/** The profile of that name. Throws UsageError that lists all names; `end` is the end of its message. */
export function knownProfile(name: string, store: ConfigStore, end = ''): Profile {
  const profile = store.profile(name);
  if (profile !== undefined) return profile;
  const { profileNames } = store;
  // Most often the name is misspelt, so the names come before the way to a new one.
  const namesHint =
    profileNames.length > 0 ? `The profiles are ${profileNames.join(', ')}` : 'No profile is stored';
  throw new UsageError(`there is no profile ${JSON.stringify(name)}${end}`, {
    hint: `${namesHint}. A new one begins with \`folio auth login --profile ${name}\`.`,
  });
}

/** A connection with all that a request needs. */
export interface CompleteConnection extends Connection {
  readonly baseUrl: URL;
  readonly token: Secret;
  /** Set in the last 14 days of the token. */
  readonly warning?: string | undefined;
}

/** Refuses a connection without token or address, or with an expired token. */
export function requireConnection(connection: Connection, now: number): CompleteConnection {
  const { baseUrl, token, profile } = connection;
  if (token === undefined) {
    throw new AuthError(profile === undefined ? 'there is no token' : `profile ${profile} has no token`, {
      hint:
        `Log in once with \`${loginCommand(connection)}\`, or choose a profile with \`folio auth use\`, or set FOLIO_TOKEN, ` +
        'or try --sandbox, which needs none.',
    });
  }
  if (baseUrl === undefined) throw noAddress(loginCommand(connection));
  return { ...connection, baseUrl, token, warning: checkExpiry(token, now, tokenHint(connection)) };
}

/** A sentence for hints: how to give this run another token. */
export function tokenHint({
  tokenSource,
  tokenFile = '-',
  profile,
}: Pick<Connection, 'tokenSource' | 'tokenFile' | 'profile'>): string {
  if (tokenSource === 'FOLIO_TOKEN') return 'Set FOLIO_TOKEN to a new one.';
  if (tokenSource === 'token file')
    return tokenFile === '-'
      ? 'Give a new one on standard input.'
      : `Put a new one into the token file ${tokenFile}.`;
  const login = `folio auth login${profile === undefined ? '' : ` --profile ${profile}`}`;
  if (tokenSource === 'token command') {
    return `See to it that the token command prints a new one, or log in with \`${login}\`.`;
  }
  return `Log in with a new one: \`${login}\`.`;
}

/** The command that sets the missing token or address. */
function loginCommand({ profile, baseUrl }: Connection): string {
  const named = profile === undefined ? '' : ` --profile ${profile}`;
  // A profile remembers its address.
  const address =
    profile !== undefined && baseUrl ? '' : ` --base-url ${baseUrl?.href ?? 'https://<host>/v1'}`;
  return `folio auth login${named}${address}`;
}
