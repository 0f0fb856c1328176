import { parseBaseUrl } from '../api/base-url.ts';
import { decodeToken } from '../config/json-web-token.ts';
import { requireConnection } from '../config/require-connection.ts';
import { resolveConnection } from '../config/resolve-connection.ts';
import type { Connection, ConnectionFlags } from '../config/resolve-connection.ts';
import type { ConfigStore } from '../config/store.ts';
import { tokenExpiry } from '../config/token-expiry.ts';
import type { Context } from '../context.ts';
import { AuthError, FolioError, IncompleteError, Interrupted, UsageError } from '../errors.ts';
import { writeFactsAsJson, writeFactSheet, writeFactTable } from './auth-facts.ts';
import type { Facts } from './auth-facts.ts';
import type { StatusFlags, VerifyConnection } from './profile-flags.ts';
import { Notices } from './notices.ts';

/** One profile as `auth status` knows it. */
interface Standing {
  readonly facts: Facts;
  readonly notes: readonly string[];
  /** Why it cannot be used, if it cannot. */
  readonly failure: FolioError | undefined;
}

/** Asks about one profile. */
interface Question {
  readonly context: Context;
  readonly store: ConfigStore;
  readonly flags: ConnectionFlags;
  readonly env: Context['env'];
  /** Left out when the service is not to be asked. */
  readonly verify: VerifyConnection | undefined;
}

/** `folio auth status`: whom commands ask and as whom. Fails as the first command would that used it. */
export async function runAuthStatus(
  context: Context,
  flags: StatusFlags,
  verify: VerifyConnection,
): Promise<void> {
  const store = await context.config();
  const question = { context, store, flags, env: context.env, verify: flags.check ? verify : undefined };
  if (flags.allProfiles) return showAll(question, flags);
  const connection = await resolve(question);
  const { facts, notes, failure } = await standingOf(question, connection);
  // Without a token there is nothing to show beside the reason.
  if (failure && connection.token === undefined) throw failure;
  const notices = new Notices(context, flags);
  for (const note of notes) notices.remark(note);
  await (flags.format === 'json' ? writeFactsAsJson : writeFactSheet)(context.stdout, facts);
  if (failure) throw failure;
}

async function showAll(question: Question, flags: StatusFlags): Promise<void> {
  const { context, store } = question;
  if (flags.profile ?? flags.tokenFile ?? flags.baseUrl) {
    throw new UsageError('--all-profiles goes without --profile, --token-file and --base-url');
  }
  const standings: Standing[] = [];
  for (const profile of store.profileNames) standings.push(await standingInStore(question, profile));
  const rows = standings.map(({ facts }) => facts);
  await (flags.format === 'json' ? writeFactsAsJson : writeFactTable)(context.stdout, rows);
  const failed = standings.filter(({ failure }) => failure !== undefined).length;
  if (standings.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in: folio auth login --base-url https://<host>/v1',
    });
  }
  const says = `${failed} of ${standings.length} profiles cannot be used`;
  if (failed === standings.length) throw new AuthError(says);
  if (failed > 0) throw new IncompleteError(says);
}

/** A profile by itself, whatever the environment would put before it; a broken one has its reason in its row. */
async function standingInStore(question: Question, profile: string): Promise<Standing> {
  const { FOLIO_TOKEN: _token, FOLIO_BASE_URL: _address, ...env } = question.env;
  const alone = { ...question, env, flags: { profile } };
  try {
    return await standingOf(alone, await resolve(alone));
  } catch (error) {
    const failure = failureOf(error);
    const unknown = { profile, baseUrl: undefined, token: undefined, tokenSource: undefined, notes: [] };
    return { facts: factsOf(alone, unknown, failure), notes: [], failure };
  }
}

function resolve({ context, store, flags, env }: Question): Promise<Connection> {
  const { stdin, signal } = context;
  return resolveConnection({ flags, env, store, stdin, signal, parseBaseUrl });
}

async function standingOf(question: Question, connection: Connection): Promise<Standing> {
  const { context, verify } = question;
  try {
    const complete = requireConnection(connection, context.clock.now());
    await verify?.(complete);
    return { facts: factsOf(question, connection), notes: complete.notes, failure: undefined };
  } catch (error) {
    const failure = failureOf(error);
    return { facts: factsOf(question, connection, failure), notes: connection.notes, failure };
  }
}

function failureOf(error: unknown): FolioError {
  if (error instanceof FolioError && !(error instanceof Interrupted)) return error;
  throw error;
}

function factsOf({ context, store, verify }: Question, connection: Connection, failure?: FolioError): Facts {
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
