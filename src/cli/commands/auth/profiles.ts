import type { Context } from '../../../context.ts';
import { AuthError, FolioError, IncompleteError, isFailure, UsageError } from '../../../errors.ts';
import { parseProfileName, type ConfigStore, type Profile } from '../../../profiles/profile.ts';
import {
  chooseProfile,
  knownProfile,
  requireConnection,
  resolveConnection,
  type Connection,
  type ConnectionFlags,
} from '../../../profiles/connection.ts';
import { removeProfile } from '../../../profiles/store-document.ts';
import { decodeToken, tokenExpiry } from '../../../profiles/token.ts';
import { Notices } from '../../../run/notices.ts';
import type { GlobalFlags } from '../../../run/flags.ts';
import { writeFactsAsJson, writeFactSheet, writeFactTable, type FactFlags, type Facts } from '../../facts.ts';
import type { VerifyConnection } from './login.ts';

interface StatusFlags extends FactFlags, GlobalFlags {
  readonly check?: boolean | undefined;
  readonly allProfiles?: boolean | undefined;
}

/** One profile as `auth status` knows it. */
interface ProfileStatus {
  readonly facts: Facts;
  readonly notes: readonly string[];
  /** Why it cannot be used, if it cannot. */
  readonly failure: FolioError | undefined;
}

/** What `auth status` looks at, for one profile. */
interface StatusQuery {
  readonly context: Context;
  readonly store: ConfigStore;
  readonly flags: ConnectionFlags;
  readonly env: Context['env'];
  /** Undefined where the service is not asked. */
  readonly verify: VerifyConnection | undefined;
}

/** `folio auth status`: which address, token and profile commands use. Fails as a command with them would. */
export async function runAuthStatus(
  context: Context,
  flags: StatusFlags,
  verify: VerifyConnection,
): Promise<void> {
  if (flags.sandbox) {
    throw new UsageError('auth status tells of tokens, and --sandbox needs none', {
      hint: 'Leave --sandbox out, or look at the made-up service with `folio --sandbox doctor`.',
    });
  }
  const store = await context.config();
  const query = { context, store, flags, env: context.env, verify: flags.check ? verify : undefined };
  if (flags.allProfiles) return showAll(query, flags);
  const connection = await resolve(query);
  const { facts, notes, failure } = await statusOf(query, connection);
  // Without a token there is nothing to show beside the reason.
  if (failure && connection.token === undefined) throw failure;
  const notices = new Notices(context, flags);
  for (const note of notes) notices.remark(note);
  await (flags.format === 'json' ? writeFactsAsJson : writeFactSheet)(context.stdout, facts);
  if (failure) throw failure;
}

async function showAll(query: StatusQuery, flags: StatusFlags): Promise<void> {
  const { context, store } = query;
  const statuses: ProfileStatus[] = [];
  for (const profile of store.profileNames) statuses.push(await statusInStore(query, profile));
  const rows = statuses.map(({ facts }) => facts);
  await (flags.format === 'json' ? writeFactsAsJson : writeFactTable)(context.stdout, rows);
  const failures = statuses.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (statuses.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in with `folio auth login --base-url https://<host>/v1`.',
    });
  }
  if (first === undefined) return;
  const says = `${failures.length} of ${statuses.length} profiles cannot be used`;
  const hint = 'The table has the reason of each.';
  // As in every run of several: where none can be used, the error is of the kind of the first.
  if (failures.length === statuses.length) throw first.reworded(says, hint);
  throw new IncompleteError(says, { hint });
}

/** The status of a stored profile, whatever the environment says. For a broken profile it has the reason. */
async function statusInStore(query: StatusQuery, profile: string): Promise<ProfileStatus> {
  const { FOLIO_TOKEN: _token, FOLIO_BASE_URL: _address, ...env } = query.env;
  const alone = { ...query, env, flags: { profile } };
  try {
    return await statusOf(alone, await resolve(alone));
  } catch (error) {
    const failure = failureOf(error);
    const unknown = { profile, baseUrl: undefined, token: undefined, tokenSource: undefined, notes: [] };
    return { facts: factsOf(alone, unknown, failure), notes: [], failure };
  }
}

function resolve({ context, store, flags, env }: StatusQuery): Promise<Connection> {
  const { stdin, signal } = context;
  return resolveConnection({ flags, env, store, stdin, signal });
}

async function statusOf(query: StatusQuery, connection: Connection): Promise<ProfileStatus> {
  const { context, verify } = query;
  try {
    const complete = requireConnection(connection, context.clock.now());
    await verify?.(complete);
    return { facts: factsOf(query, connection), notes: complete.notes, failure: undefined };
  } catch (error) {
    const failure = failureOf(error);
    return { facts: factsOf(query, connection, failure), notes: connection.notes, failure };
  }
}

function failureOf(error: unknown): FolioError {
  if (isFailure(error)) return error;
  throw error;
}

function factsOf(
  { context, store, verify }: StatusQuery,
  connection: Connection,
  failure?: FolioError,
): Facts {
  const { profile, baseUrl, token, tokenSource } = connection;
  const claims = token && decodeToken(token.reveal());
  const state = token && tokenExpiry(token, context.clock.now()).state;
  return {
    profile: profile ?? null,
    current: profile !== undefined && profile === store.currentProfile,
    baseUrl: baseUrl?.href ?? null,
    tokenSource: tokenSource ?? null,
    organization: claims?.organizationId ?? null,
    expiresAt: claims?.expiresAt === undefined ? null : new Date(claims.expiresAt).toISOString(),
    state: failure ? 'unusable' : state === 'soon' ? 'ends soon' : verify ? 'accepted' : 'not tried',
    reason: failure?.message ?? null,
  };
}

/** `folio auth list`: the profiles as the store has them. The row of a broken profile has the reason. */
export async function runAuthList(context: Context, flags: GlobalFlags & FactFlags): Promise<void> {
  const store = await context.config();
  const rows = store.profileNames.map((name) => rowOf(store, name));
  await (flags.format === 'json' ? writeFactsAsJson : writeFactTable)(context.stdout, rows);
  if (rows.length === 0) {
    new Notices(context, flags).remark(
      'There are no profiles. Log in with `folio auth login --base-url https://<host>/v1`.',
    );
  }
}

function rowOf(store: ConfigStore, name: string): Facts {
  const row = { profile: name, current: name === store.currentProfile };
  try {
    const { baseUrl, token, tokenCommand, organization } = store.profile(name)!;
    const claims = token && decodeToken(token.reveal());
    const end = claims?.expiresAt;
    return {
      ...row,
      baseUrl: baseUrl ?? null,
      token: token ? 'stored' : tokenCommand ? 'command' : 'none',
      organization: claims?.organizationId ?? organization ?? null,
      expiresAt: end === undefined ? null : new Date(end).toISOString(),
      reason: null,
    };
  } catch (error) {
    if (!(error instanceof FolioError)) throw error;
    return { ...row, baseUrl: null, token: null, organization: null, expiresAt: null, reason: error.message };
  }
}

/** `folio auth use`: makes a profile the current one. */
export async function runAuthUse(context: Context, flags: GlobalFlags, name: string): Promise<void> {
  const store = await context.config();
  knownProfile(parseProfileName(name, 'auth use'), store);
  await store.update((document) => {
    document.currentProfile = name;
  });
  const notices = new Notices(context, flags);
  notices.remark(`The current profile is now ${name}.`);
  const { FOLIO_PROFILE: other } = context.env;
  if (other && other !== name) notices.remark(`FOLIO_PROFILE is set to ${other} and goes before it.`);
}

/** `folio auth logout`: forgets a profile, so that `--all-profiles` is those that are logged in. */
export async function runLogout(
  context: Context,
  flags: GlobalFlags,
  name: string | undefined,
): Promise<void> {
  const store = await context.config();
  const profile = logoutProfile(context, flags, { store, name });
  await store.update((document) => removeProfile(document, profile.name));
  const notices = new Notices(context, flags);
  notices.remark(`Profile ${profile.name} is forgotten, with its base address and settings.`);
  if (profile.token) {
    notices.remark('The service accepts the token until its end; its operator can withdraw it.');
  }
  const { profileNames, currentProfile } = store;
  if (currentProfile === undefined && profileNames.length > 0) {
    const names = profileNames.join(', ');
    notices.remark(`There is no current profile now; choose one of ${names} with \`folio auth use <name>\`.`);
  }
  if (context.env['FOLIO_TOKEN']) notices.remark('FOLIO_TOKEN is still set, and commands use it.');
}

function logoutProfile(
  { env }: Context,
  flags: GlobalFlags,
  { store, name }: { readonly store: ConfigStore; readonly name: string | undefined },
): Profile {
  if (name !== undefined && flags.profile !== undefined && name !== flags.profile) {
    throw new UsageError(`auth logout: both ${name} and --profile ${flags.profile} are given`, {
      hint: 'Name one profile.',
    });
  }
  const profile =
    name === undefined
      ? chooseProfile(flags.profile, env, store)
      : knownProfile(parseProfileName(name, 'auth logout'), store);
  if (profile) return profile;
  throw new UsageError('there is no current profile to log out of', {
    hint: 'Name one with `folio auth logout <name>`; `folio auth list` shows them.',
  });
}
