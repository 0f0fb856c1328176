import { parseBaseUrl } from '../../../api/address.ts';
import type { Context } from '../../../context.ts';
import { AuthError, ServiceError, UsageError } from '../../../errors.ts';
import {
  checkNameIsNew,
  parseProfileName,
  parseTokenCommand,
  type ConfigStore,
  type Profile,
} from '../../../profiles/profile.ts';
import { duplicateProfiles } from '../../../profiles/choice.ts';
import {
  namedProfile,
  profileAddress,
  statedAddress,
  type CompleteConnection,
  type TokenSource,
} from '../../../profiles/connection.ts';
import { visible } from '../../../output/terminal/terminal-text.ts';
import { storeLogin } from '../../../profiles/store-document.ts';
import { readTokenFile, readTokenInput, runTokenCommand } from '../../../profiles/token-sources.ts';
import { checkExpiry, decodeToken, describeMoment, type Secret } from '../../../profiles/token.ts';
import { Notices } from '../../../run/notices.ts';
import type { GlobalFlags } from '../../../run/flags.ts';

/** Makes one cheap request with a connection; rejects when the service refuses it or cannot be reached. */
export type VerifyConnection = (connection: CompleteConnection) => Promise<void>;

interface LoginFlags extends GlobalFlags {
  readonly tokenCommand?: readonly string[] | undefined;
  readonly verify?: false | undefined;
  readonly replace?: boolean | undefined;
}

/** The profile that a login is stored under, and the store. */
interface LoginTarget {
  readonly store: ConfigStore;
  readonly profile: string;
}

/** The credential to store: a token, or a command and, where it was tried, the token that it printed. */
interface Credential {
  readonly token: Secret | undefined;
  readonly tokenSource: TokenSource;
  readonly tokenCommand?: readonly string[];
  readonly notes: readonly string[];
}

/** `folio auth login`: takes a token, tries it, stores it. A token that is refused is not stored. */
export async function runLogin(context: Context, flags: LoginFlags, verify: VerifyConnection): Promise<void> {
  const notices = new Notices(context, flags);
  const store = await context.config();
  const profile = loginProfile(context, flags, store);
  const baseUrl = await loginAddress(context, flags, { store, profile });
  const offer = await takeCredential(context, flags, profile);
  const { token, tokenSource } = offer;
  if (token) context.secrets.hide([token.reveal()]);
  for (const note of offer.notes) notices.warn(note);
  const ending = token && checkExpiry(token, context.clock.now(), 'Then log in again.');
  if (ending) notices.warn(ending);
  await confirmReplacing({ context, flags, known: store.profile(profile), token });
  if (token && flags.verify !== false) {
    await tryToken(() => verify({ profile, baseUrl, token, tokenSource, notes: [] }));
  }
  const claims = token && decodeToken(token.reveal());
  const credential = offer.tokenCommand ? { tokenCommand: offer.tokenCommand } : { token: token!.reveal() };
  const organization = claims?.organizationId;
  await store.update((document) => storeLogin(document, { profile, baseUrl, credential, organization }));
  notices.remark(loginSentence({ profile, baseUrl, ...claims, now: context.clock.now() }));
  const duplicates = duplicateProfiles(store, store.profileNames);
  for (const [name, first] of duplicates) {
    if (name !== profile && first !== profile) continue;
    const other = name === profile ? first : name;
    notices.warn(
      `profile ${profile} is of the same organization as ${other}; --all-profiles reads ${first} alone`,
    );
  }
  remarkOnUse(context, notices, { store, profile });
}

interface Replacing {
  readonly context: Context;
  readonly flags: LoginFlags;
  /** The profile as it is stored, if it is. */
  readonly known: Profile | undefined;
  readonly token: Secret | undefined;
}

/** Asks before a profile gets the token of another organization. Off a terminal, that needs --replace. */
async function confirmReplacing({ context: { stdin }, flags, known, token }: Replacing): Promise<void> {
  const stored = known?.token && decodeToken(known.token.reveal())?.organizationId;
  const before = stored ?? known?.organization;
  const now = token && decodeToken(token.reveal())?.organizationId;
  if (known === undefined || before === undefined || now === undefined || before === now) return;
  if (flags.replace) return;
  const says = `profile ${known.name} is of organization ${before}, and this token is of organization ${now}`;
  if (stdin.isTerminal) {
    const answer = await stdin.readLine(`${visible(says)}. Replace it? (yes or no) `);
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  }
  throw new UsageError(`${says}; nothing was stored`, {
    hint: 'Store it under another name with `--profile <name>`, or add --replace.',
  });
}

function loginProfile(context: Context, flags: LoginFlags, store: ConfigStore): string {
  const named = namedProfile(flags.profile, context.env);
  const profile = named ?? parseProfileName(store.currentProfile ?? 'default', 'the current profile');
  checkNameIsNew(profile, store.profileNames);
  return profile;
}

/** The address that was given or is known; at a terminal it is asked for, as the token is. */
async function loginAddress({ env, stdin }: Context, flags: LoginFlags, to: LoginTarget): Promise<URL> {
  const { store, profile } = to;
  const sources = { flags, env, store };
  const stated = statedAddress(sources);
  if (stated) return stated;
  const known = store.profile(profile);
  const own = known && profileAddress(known, sources);
  if (own) return own;
  if (stdin.isTerminal) {
    const typed = (
      await stdin.readLine(`Base address of profile ${profile}, as in https://<host>/v1: `)
    ).trim();
    // What is no address may be the token, which no message may show.
    if (/^https?:\/\//i.test(typed)) return parseBaseUrl(typed);
    if (typed !== '') {
      throw new UsageError('what was typed is no base address: it begins with https://', {
        hint: 'Type the address of the service first, and its token when it is asked for.',
      });
    }
  }
  throw new UsageError('login needs the base address of the service', {
    hint: `Say where it is with \`folio auth login --profile ${profile} --base-url https://<host>/v1\`.`,
  });
}

async function takeCredential(context: Context, flags: LoginFlags, profile: string): Promise<Credential> {
  const { tokenFile, tokenCommand: words } = flags;
  const { stdin, env, signal } = context;
  if (words === undefined) {
    if (tokenFile !== undefined)
      return { ...(await readTokenFile(tokenFile, stdin)), tokenSource: 'token file' };
    const typed = await readTokenInput(stdin, `Token of profile ${profile} (not shown): `);
    return { ...typed, tokenSource: 'profile' };
  }
  const tokenCommand = parseTokenCommand(wordsOf(words), '--token-command');
  const offer = { tokenCommand, tokenSource: 'token command' } as const;
  if (flags.verify === false) return { ...offer, token: undefined, notes: [] };
  return { ...offer, ...(await runTokenCommand({ command: tokenCommand, profile, env, signal })) };
}

/** The words as they were given; where the only one is a JSON list, the words in it. */
function wordsOf(words: readonly string[]): unknown {
  if (words.length !== 1 || !words[0]!.startsWith('[')) return words;
  try {
    return JSON.parse(words[0]!);
  } catch {
    // The runtime's message would quote the list; parseTokenCommand says what is expected.
    return undefined;
  }
}

/** Tries the token. A failure also says that the token was not stored. */
async function tryToken(verify: () => Promise<void>): Promise<void> {
  try {
    await verify();
  } catch (error) {
    if (!(error instanceof AuthError || error instanceof ServiceError)) throw error;
    const untried = error instanceof ServiceError ? ['To store the token untried, add --no-verify.'] : [];
    const hint = [error.hint ?? [], untried].flat().join(' ') || undefined;
    throw error.reworded(`${error.message}; the token was not stored`, hint);
  }
}

interface LoginFacts {
  readonly profile: string;
  readonly baseUrl: URL;
  readonly organizationId?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly now: number;
}

function loginSentence({ profile, baseUrl, organizationId, expiresAt, now }: LoginFacts): string {
  const whose = organizationId === undefined ? '' : `, organization ${organizationId}`;
  const ends = expiresAt === undefined ? '' : `; the token ends ${describeMoment(expiresAt, now)}`;
  return `Logged in: profile ${profile} at ${baseUrl.href}${whose}${ends}.`;
}

/** Tells the user where the next command would not use the new login. */
function remarkOnUse({ env }: Context, notices: Notices, { store, profile }: LoginTarget): void {
  const { currentProfile } = store;
  if (currentProfile !== profile) {
    notices.remark(
      `The current profile is still ${currentProfile}; change it with \`folio auth use ${profile}\`.`,
    );
  }
  if (env['FOLIO_TOKEN']) {
    notices.remark('FOLIO_TOKEN is set and goes before the tokens of all profiles.');
  }
}
