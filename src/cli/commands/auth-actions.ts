import { parseBaseUrl } from '../../api/address.ts';
import type { Context } from '../../context.ts';
import { AuthError, FolioError, isFailure, ServiceError, UsageError } from '../../errors.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import { duplicateProfiles, namesTyped } from '../../profiles/choice.ts';
import {
  chooseProfile,
  knownProfile,
  namedProfile,
  profileAddress,
  requireConnection,
  resolveConnection,
  statedAddress,
  type CompleteConnection,
  type Connection,
  type ConnectionFlags,
  type TokenSource,
} from '../../profiles/connection.ts';
import {
  type ConfigStore,
  parseProfileName,
  parseTokenCommand,
  type TokenCommand,
} from '../../profiles/profile.ts';
import { readTokenFile, readTokenInput, runTokenCommand } from '../../profiles/token-sources.ts';
import { checkExpiry, decodeToken, describeMoment, nearEnd } from '../../profiles/token.ts';
import { checkResults, type PartResult } from '../../run/outcome.ts';
import type { GlobalFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { isOfSeveral, verifyConnection } from '../../run/session.ts';
import { writeFacts, type FactFlags, type Facts } from '../facts.ts';

const LOG_IN = 'Log in with `folio auth login --base-url https://<host>/v1`.';

interface LoginFlags extends GlobalFlags {
  readonly tokenCommand?: readonly string[] | undefined;
  readonly verify?: false | undefined;
  readonly replace?: boolean | undefined;
}

export async function runLogin(context: Context, flags: LoginFlags): Promise<void> {
  if (flags.sandbox === true) {
    throw new UsageError('--sandbox needs no login and no token', {
      hint: 'Add it to what you want to see, as in folio --sandbox issued; or leave it out to log in.',
    });
  }
  const { clock, env } = context;
  const notices = new Notices(context, flags);
  const store = await context.config();
  const profile =
    namedProfile(flags.profile, env) ??
    parseProfileName(store.currentProfile ?? 'default', 'the current profile');
  checkNameIsNew(profile, store.profileNames);
  const target = { store, profile };
  const baseUrl = await loginAddress(context, flags, target);
  const { tokenCommand, ...credentials } = await takeCredential(context, flags, profile);
  const { token } = credentials;
  if (token) context.secrets.hide([token.reveal()]);
  if (token?.hadScheme === true)
    notices.warn('the token began with "Bearer", which was removed: the service takes the token alone');
  const ending = token && checkExpiry(token, clock.now(), 'Then log in again.');
  if (ending) notices.warn(ending);
  const { organizationId: organization, expiresAt } = decodeToken(token) ?? {};
  if (flags.replace !== true) await confirmReplacing(context, target, organization);
  if (token && flags.verify !== false) await tryToken(context, { ...credentials, profile, baseUrl, token });
  const credential = tokenCommand ? { tokenCommand } : { token: token!.reveal() };
  await storeLogin(target, { baseUrl: baseUrl.href, ...credential, ...(organization && { organization }) });
  const whose = organization === undefined ? '' : `, organization ${organization}`;
  const ends = expiresAt === undefined ? '' : `; the token ends ${describeMoment(expiresAt, clock.now())}`;
  notices.remark(`Logged in: profile ${profile} at ${baseUrl.href}${whose}${ends}.`);
  for (const [name, first] of duplicateProfiles(store, store.profileNames)) {
    if (name !== profile && first !== profile) continue;
    const other = name === profile ? first : name;
    notices.warn(
      `profile ${profile} is of the same organization as ${other}; --all-profiles reads ${first} alone`,
    );
  }
  const { currentProfile } = store;
  if (currentProfile !== profile) {
    notices.remark(
      `The current profile is still ${currentProfile}; change it with \`folio auth use ${profile}\`.`,
    );
  }
  if (env['FOLIO_TOKEN'])
    notices.remark('FOLIO_TOKEN is set and takes precedence over the tokens of all profiles.');
}

/** Refuses a new name that differs from a known one only in case: on many disks, their files would be the same. */
function checkNameIsNew(name: string, known: readonly string[]): void {
  const twin = known.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return;
  throw new UsageError(
    `a profile ${JSON.stringify(twin)} exists, which differs from ${JSON.stringify(name)} only in case`,
    { hint: `To log in to that one again, use --profile ${twin}.` },
  );
}

interface LoginTarget {
  readonly store: ConfigStore;
  readonly profile: string;
}

/** Puts a login into the store. The rest of the profile, such as its settings, stays. */
function storeLogin({ store, profile }: LoginTarget, login: object): Promise<void> {
  return store.update((document) => {
    const entry = (document.profiles[profile] ??= {});
    for (const key of ['token', 'tokenCommand', 'organization']) delete entry[key];
    Object.assign(entry, login);
    // An existing current profile stays current: else runs without --profile would read another organization.
    const { currentProfile, profiles } = document;
    if (currentProfile === undefined || profiles[currentProfile] === undefined)
      document.currentProfile = profile;
  });
}

/** The address of the flags, the environment or the profile; at a terminal it can be typed, as the token is. */
async function loginAddress(
  { env, stdin }: Context,
  flags: LoginFlags,
  { store, profile }: LoginTarget,
): Promise<URL> {
  const stored = store.profile(profile);
  const known = statedAddress(flags, env) ?? (stored && profileAddress(stored, store));
  if (known) return known;
  const prompt = `Base address of profile ${profile}, as in https://<host>/v1: `;
  const typed = stdin.isTerminal ? (await stdin.readLine(prompt)).trim() : '';
  if (/^https?:\/\//i.test(typed)) return parseBaseUrl(typed);
  // Text that is not an address may be the token, which no message may show.
  if (typed !== '') {
    throw new UsageError('what was typed is not a base address: it begins with https://', {
      hint: 'Type the address of the service first, and the token at the next prompt.',
    });
  }
  throw new UsageError('login needs the base address of the service', {
    hint: `Say where it is with \`folio auth login --profile ${profile} --base-url https://<host>/v1\`.`,
  });
}

/** The token to store and where it is from; or a command and, where it is to be tried, the token that it printed. */
async function takeCredential(
  { stdin, env, signal }: Context,
  { tokenFile, tokenCommand: typed, verify }: LoginFlags,
  profile: string,
): Promise<
  Pick<Connection, 'token' | 'tokenFile'> & {
    tokenSource: TokenSource;
    tokenCommand?: TokenCommand;
  }
> {
  if (typed !== undefined) {
    const tokenCommand = parseTokenCommand(listIn(typed), '--token-command');
    const offer = { tokenCommand, tokenSource: 'token command' } as const;
    if (verify === false) return { ...offer, token: undefined };
    const token = await runTokenCommand({ command: tokenCommand, profile, env, signal });
    return { ...offer, token };
  }
  if (tokenFile !== undefined)
    return { token: await readTokenFile(tokenFile, stdin), tokenSource: 'token file', tokenFile };
  const token = await readTokenInput(stdin, `Token of profile ${profile} (not shown): `);
  return { token, tokenSource: 'profile' };
}

/** The arguments as typed; where the only one is a JSON list, what is in it. */
function listIn(typed: readonly string[]): unknown {
  if (typed.length !== 1 || !typed[0]!.startsWith('[')) return typed;
  try {
    return JSON.parse(typed[0]!);
  } catch {
    // The runtime's message would quote the list; parseTokenCommand names what is expected.
    return undefined;
  }
}

/** Asks before a profile gets the token of another organization. Throws UsageError off a terminal. */
async function confirmReplacing(
  { stdin }: Context,
  { store, profile }: LoginTarget,
  organization: string | undefined,
): Promise<void> {
  const stored = store.profile(profile);
  const before = decodeToken(stored?.token)?.organizationId ?? stored?.organization;
  if (before === undefined || organization === undefined || before === organization) return;
  const change = `profile ${profile} is of organization ${before}, and this token is of organization ${organization}`;
  if (stdin.isTerminal) {
    const answer = await stdin.readLine(`${visible(change)}. Replace it? (yes or no) `);
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  }
  throw new UsageError(`${change}; nothing was stored`, {
    hint: 'Store it under another name with `--profile <name>`, or add --replace.',
  });
}

/** Tries the token. A failure also reports that the token was not stored. */
async function tryToken(context: Context, connection: CompleteConnection): Promise<void> {
  try {
    await verifyConnection(context, connection);
  } catch (error) {
    if (!(error instanceof AuthError || error instanceof ServiceError)) throw error;
    const untried = error instanceof ServiceError ? ['To store the token untried, add --no-verify.'] : [];
    const hint = [error.hint ?? [], untried].flat().join(' ') || undefined;
    throw error.reworded(`${error.message}; the token was not stored`, hint);
  }
}

interface StatusFlags extends FactFlags, GlobalFlags {
  readonly check?: boolean | undefined;
  readonly allProfiles?: true | undefined;
}

/** Which address, token and profile commands use. Fails as a command with them would. */
export async function runStatus(context: Context, flags: StatusFlags): Promise<void> {
  if (flags.sandbox) {
    throw new UsageError('auth status shows tokens, and --sandbox needs none', {
      hint: 'Leave --sandbox out, or look at the made-up service with `folio --sandbox doctor`.',
    });
  }
  if (isOfSeveral(flags)) return showAll(context, flags);
  const { facts, warning, failure, hasToken } = await statusOf(context, flags);
  // Without a token there is nothing to show beside the reason.
  if (failure && !hasToken) throw failure;
  const notices = new Notices(context, flags);
  if (warning !== undefined) notices.remark(warning);
  await writeFacts(context.stdout, facts, flags);
  if (failure) throw failure;
}

async function showAll(context: Context, flags: StatusFlags): Promise<void> {
  const { FOLIO_TOKEN: _token, FOLIO_BASE_URL: _address, ...env } = context.env;
  const { profile: typed, tokenFile, baseUrl } = flags;
  const own = tokenFile === undefined ? baseUrl && '--base-url' : '--token-file';
  if (own !== undefined) {
    const several = typed === undefined ? '--all-profiles' : `--profile ${typed}`;
    throw new UsageError(
      `${several} and ${own} do not go together: each profile brings its own token and address`,
      { hint: 'Leave one of them out.' },
    );
  }
  const profileNames = namesTyped(typed) ?? (await context.config()).profileNames;
  const rows: Facts[] = [];
  const results: PartResult[] = [];
  for (const profile of profileNames) {
    const { facts, failure } = await statusOf({ ...context, env }, { profile, check: flags.check });
    rows.push(facts);
    results.push({ name: profile, failure });
  }
  await writeFacts(context.stdout, rows, flags);
  if (rows.length === 0) throw new AuthError('there are no profiles', { hint: LOG_IN });
  checkResults(results, { what: 'profiles', lack: 'cannot be used' });
}

/** The row of a profile in `auth status`, and why the profile cannot be used, if it cannot. */
async function statusOf(context: Context, flags: ConnectionFlags & Pick<StatusFlags, 'check'>) {
  const now = context.clock.now();
  const store = await context.config();
  let connection: (Connection & Pick<CompleteConnection, 'warning'>) | undefined;
  let failure: FolioError | undefined;
  try {
    connection = await resolveConnection(context, { store, flags });
    const complete = requireConnection(connection, now);
    connection = complete;
    if (flags.check) await verifyConnection(context, complete);
  } catch (error) {
    if (!isFailure(error)) throw error;
    failure = error;
  }
  const { baseUrl, token, tokenSource, warning } = connection ?? {};
  const profile = connection === undefined ? flags.profile : connection.profile;
  const isSoon = nearEnd(token, now) !== undefined;
  const facts = {
    profile: profile ?? null,
    current: profile !== undefined && profile === store.currentProfile,
    baseUrl: baseUrl?.href ?? null,
    tokenSource: tokenSource ?? null,
    ...claimsIn(token),
    state: failure ? 'unusable' : isSoon ? 'ends soon' : flags.check ? 'accepted' : 'not tried',
    reason: failure?.message ?? null,
  };
  return { facts, warning, failure, hasToken: token !== undefined };
}

function claimsIn(token: Connection['token'], organization?: string): Facts {
  const { organizationId, expiresAt } = decodeToken(token) ?? {};
  return {
    organization: organizationId ?? organization ?? null,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  };
}

/** The profiles as the store has them. The row of a broken profile has the reason. */
export async function runList(context: Context, flags: GlobalFlags & FactFlags): Promise<void> {
  const store = await context.config();
  const rows = store.profileNames.map((name): Facts => {
    const row = { profile: name, current: name === store.currentProfile };
    try {
      const { baseUrl = null, token, tokenCommand, organization } = store.profile(name)!;
      const form = token ? 'stored' : tokenCommand ? 'command' : 'none';
      return { ...row, baseUrl, token: form, ...claimsIn(token, organization), reason: null };
    } catch (error) {
      if (!(error instanceof FolioError)) throw error;
      return { ...row, baseUrl: null, token: null, ...claimsIn(undefined), reason: error.message };
    }
  });
  await writeFacts(context.stdout, rows, flags);
  if (rows.length === 0) new Notices(context, flags).remark(`There are no profiles. ${LOG_IN}`);
}

export async function runUse(context: Context, flags: GlobalFlags, name: string): Promise<void> {
  const store = await context.config();
  knownProfile(parseProfileName(name, 'auth use'), store);
  await store.update((document) => void (document.currentProfile = name));
  const notices = new Notices(context, flags);
  notices.remark(`The current profile is now ${name}.`);
  const { FOLIO_PROFILE: other } = context.env;
  if (other && other !== name) notices.remark(`FOLIO_PROFILE is set to ${other} and takes precedence.`);
}

/** Removes a profile, so that `--all-profiles` means only profiles that are logged in. */
export async function runLogout(
  context: Context,
  flags: GlobalFlags,
  name: string | undefined,
): Promise<void> {
  const { env } = context;
  const store = await context.config();
  if (name !== undefined && flags.profile !== undefined && name !== flags.profile) {
    throw new UsageError(`auth logout: both ${name} and --profile ${flags.profile} are given`, {
      hint: 'Name one profile.',
    });
  }
  const profile =
    name === undefined
      ? chooseProfile(flags.profile, env, store)
      : knownProfile(parseProfileName(name, 'auth logout'), store);
  if (profile === undefined) {
    throw new UsageError('there is no current profile to log out of', {
      hint: 'Name one with `folio auth logout <name>`; `folio auth list` shows them.',
    });
  }
  await store.update((document) => {
    delete document.profiles[profile.name];
    if (document.currentProfile === profile.name) delete document.currentProfile;
  });
  const notices = new Notices(context, flags);
  notices.remark(`Profile ${profile.name} is forgotten, with its base address and settings.`);
  if (profile.token)
    notices.remark('The service accepts the token until it expires; its operator can revoke it.');
  const names = store.profileNames.join(', ');
  if (store.currentProfile === undefined && names !== '')
    notices.remark(`There is no current profile now; choose one of ${names} with \`folio auth use <name>\`.`);
  if (env['FOLIO_TOKEN']) notices.remark('FOLIO_TOKEN is still set, and commands use it.');
}
