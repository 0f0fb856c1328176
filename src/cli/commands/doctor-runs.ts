import { parseBaseUrl } from '../../api/address.ts';
import type { Context } from '../../context.ts';
import { AuthError, NotFoundError, OutputError, ServiceError, UsageError } from '../../errors.ts';
import { paint, useColor, type Style } from '../../output/terminal/colors.ts';
import { visible } from '../../output/terminal/terminal-text.ts';
import type { ConfigStore } from '../../profiles/config-store.ts';
import {
  chooseProfile,
  profileAddress,
  requireConnection,
  resolveConnection,
  statedAddress,
  type Connection,
} from '../../profiles/connection.ts';
import { storePermissions } from '../../profiles/store-file.ts';
import { checkExpiry, decodeToken, describeMoment } from '../../profiles/token.ts';
import { customers } from '../../resources/customers.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { probeListing } from '../../resources/probe.ts';
import { received } from '../../resources/received.ts';
import type { Resource } from '../../resources/resource.ts';
import { makeClient, startOwnService } from '../../run/session.ts';
import { writeFactsAsJson, type Facts } from '../facts.ts';
import type { GlobalFlags } from '../flags.ts';
import { wrapText } from '../help-topics.ts';
import type { FactFlags } from '../profile-flags.ts';
import { look, NetworkChecks, ok, skipped, warning, type CheckResult } from './network-checks.ts';

type Flags = GlobalFlags & FactFlags;

/** `folio doctor`: looks at everything, whatever fails on the way, and fails as the first of it. */
export async function runDoctor(context: Context, flags: Flags): Promise<void> {
  const own = flags.sandbox ? await startOwnService(context, flags) : undefined;
  try {
    const doctor = new Doctor(context, flags);
    await doctor.lookAtAll(own && { baseUrl: own.baseUrl, token: own.tokenOf(flags.profile) });
    await doctor.conclude();
  } finally {
    await own?.close();
  }
}

/** Address and token of the embedded service. */
type OwnService = Pick<Required<Setup>, 'baseUrl' | 'token'>;

class Doctor {
  readonly #context: Context;
  readonly #flags: Flags;
  readonly #results: (readonly [name: string, CheckResult])[] = [];
  readonly #setup: Setup = {};

  constructor(context: Context, flags: Flags) {
    this.#context = context;
    this.#flags = flags;
  }

  async lookAtAll(own: OwnService | undefined): Promise<void> {
    const isSetUp = own === undefined ? await this.#lookAtSetup() : await this.#lookAtOwn(own);
    const { baseUrl } = this.#setup;
    const isReached = baseUrl !== undefined && (await this.#lookAtWay(baseUrl));
    if (baseUrl === undefined) {
      for (const [name] of WAY) await this.#add(name, () => skipped('needs a base address'));
    }
    if (own === undefined) {
      await this.#add('token', () =>
        isSetUp ? checkToken(this.#context, this.#flags, this.#setup) : skipped('needs the store'),
      );
    } else {
      await this.#add('token', () => ok('of the sandbox'));
    }
    await this.#lookAtListings(isReached);
  }

  /** JSON is written as a whole; lines were as they came. Throws an error of the kind of the first failure. */
  async conclude(): Promise<void> {
    if (this.#flags.format === 'json') {
      await writeFactsAsJson(this.#context.stdout, this.#results.map(factsOf));
    }
    const failures = this.#results.filter(([, { status }]) => status === 'failed');
    const [first] = failures;
    if (first === undefined) return;
    const [name, { failure }] = first;
    const kinds = [UsageError, AuthError, NotFoundError, ServiceError, OutputError];
    const Kind = kinds.find((kind) => failure instanceof kind) ?? ServiceError;
    const many = failures.length === 1 ? '1 check' : `${failures.length} checks`;
    throw new Kind(`${many} of ${this.#results.length} failed, first: ${name}`, { cause: failure });
  }

  async #lookAtSetup(): Promise<boolean> {
    const { status } = await this.#add('store', () => checkStore(this.#context, this.#setup));
    await this.#add('base address', () => checkAddress(this.#context, this.#flags, this.#setup));
    return status !== 'failed';
  }

  async #lookAtOwn({ baseUrl, token }: OwnService): Promise<boolean> {
    Object.assign(this.#setup, { baseUrl, token });
    await this.#add('store', () => skipped('not used with --sandbox'));
    await this.#add('base address', () => ok(`${baseUrl.href} (--sandbox)`));
    return true;
  }

  /** Step by step; after one that fails there is no next. */
  async #lookAtWay(baseUrl: URL): Promise<boolean> {
    let checks: NetworkChecks | undefined;
    const probe = await this.#context.networkProbe();
    const proxy = await this.#add('proxy', () => {
      checks = new NetworkChecks(this.#context, probe, baseUrl);
      return checks.proxy();
    });
    let isOpen = proxy.status === 'ok';
    for (const [name, step] of WAY.slice(1)) {
      const result = await this.#add(name, () =>
        isOpen ? step!(checks!) : skipped('not tried, since a step before it failed'),
      );
      isOpen &&= result.status !== 'failed';
    }
    return isOpen;
  }

  async #lookAtListings(isReached: boolean): Promise<void> {
    const { baseUrl, token } = this.#setup;
    for (const resource of [issued, received, customers, funds]) {
      await this.#add(resource.name, () => {
        if (token === undefined || baseUrl === undefined) return skipped('needs a base address and a token');
        if (!isReached) return skipped('not tried, since the service is not reached');
        return checkListing(this.#context, resource, { baseUrl, token });
      });
    }
  }

  async #add(name: string, at: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
    const result = this.#clean(await look(at));
    this.#results.push([name, result]);
    if (this.#flags.format !== 'json') {
      const screen = screenOf(this.#context, this.#flags.color);
      await this.#context.stdout.write(describeCheck(name, result, screen));
    }
    return result;
  }

  /** Nothing secret leaves, whichever error it may be in. */
  #clean(result: CheckResult): CheckResult {
    const { redact } = this.#context.secrets;
    const mend = result.mend === undefined ? undefined : redact(result.mend);
    return { ...result, says: redact(result.says), mend };
  }
}

/** The steps on the way to the service, in order. */
const WAY: readonly (readonly [name: string, step?: (checks: NetworkChecks) => Promise<CheckResult>])[] = [
  ['proxy'],
  ['DNS', (checks) => checks.lookup()],
  ['TCP', (checks) => checks.connect()],
  ['TLS', (checks) => checks.handshake()],
  ['clock', (checks) => checks.clock()],
];

function factsOf([check, result]: readonly [name: string, CheckResult]): Facts {
  const { status, says, mend = null, milliseconds = null, bytes = null } = result;
  return { check, status, says, mend, milliseconds, bytes };
}

/** What the checks of the set-up find out, for those after them. */
interface Setup {
  store?: ConfigStore;
  baseUrl?: URL;
  /** Never shown. */
  token?: string;
}

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
async function checkStore(context: Context, setup: Setup): Promise<CheckResult> {
  const store = await context.config();
  setup.store = store;
  const { file, profileNames } = store;
  if (file === undefined) {
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  }
  const modes = await storePermissions(file);
  if (modes === undefined) return ok(`${file}: not there, nothing is stored`);
  const profiles = profileNames.length === 1 ? '1 profile' : `${profileNames.length} profiles`;
  return ok(`${file}: mode ${modes.file}, in a folder of mode ${modes.folder}; ${profiles}`);
}

/** Where the service is said to be. Throws UsageError where nobody says, or not well; AuthError for a profile that is gone. */
function checkAddress({ env }: Pick<Context, 'env'>, flags: GlobalFlags, setup: Setup): CheckResult {
  const { store } = setup;
  const stated = statedAddress({ flags, env, parseBaseUrl });
  const profile = store && chooseProfile(flags.profile, env, store);
  const own = stated === undefined && profile && profileAddress(profile, { store, parseBaseUrl });
  const baseUrl = stated ?? (own || undefined);
  if (baseUrl === undefined) {
    throw new UsageError('there is no base address: nobody has said where the service is', {
      hint: 'Log in with `folio auth login --base-url https://<host>/v1`, or set FOLIO_BASE_URL, or try --sandbox.',
    });
  }
  setup.baseUrl = baseUrl;
  const source = own
    ? `profile ${profile.name}`
    : flags.baseUrl === undefined
      ? 'FOLIO_BASE_URL'
      : '--base-url';
  return ok(`${baseUrl.href} (${source})`);
}

/** The token: where it comes from, what form it has, when it ends. Throws AuthError where there is none, or none that is good. */
async function checkToken(context: Context, flags: GlobalFlags, setup: Setup): Promise<CheckResult> {
  const { env, stdin, signal, clock } = context;
  const store = setup.store ?? (await context.config());
  const connection = await resolveConnection({ flags, env, store, stdin, signal, parseBaseUrl });
  const { token } = connection;
  if (token === undefined) {
    requireConnection(connection, clock.now());
    throw new AuthError('there is no token');
  }
  context.secrets.hide([token.reveal()]);
  const ending = checkExpiry(token, clock.now(), 'folio auth login');
  setup.token = token.reveal();
  const says = describeToken(connection, setup.token, clock.now());
  return ending === undefined ? ok(says) : warning(says, 'Ask the operator of the service for a new one.');
}

function describeToken({ tokenSource, profile }: Connection, token: string, now: number): string {
  const source = profile === undefined || tokenSource === 'FOLIO_TOKEN' ? tokenSource : `profile ${profile}`;
  const claims = decodeToken(token);
  if (claims === undefined) return `from ${source}: opaque, does not say when it ends`;
  const whose = claims.organizationId === undefined ? '' : ` for organization ${claims.organizationId}`;
  const { expiresAt } = claims;
  const end =
    expiresAt === undefined ? 'does not say when it ends' : `ends ${describeMoment(expiresAt, now)}`;
  return `from ${source}: a JSON Web Token${whose}, ${end}`;
}

/** Makes one call to a listing, for one record, without a retry. Rejects as the listing would. */
async function checkListing(
  context: Context,
  resource: Resource,
  to: { readonly baseUrl: URL; readonly token: string },
): Promise<CheckResult> {
  const client = await makeClient(context, to, { retries: 0, concurrency: 1 });
  try {
    const { clock, signal } = context;
    const start = clock.now();
    const total = await probeListing(client, resource, signal);
    const milliseconds = clock.now() - start;
    const { bytes } = client.stats;
    const many = total === undefined ? '' : `; there are ${total} ${resource.records}`;
    return ok(`answers in ${milliseconds} ms with ${bytes} bytes${many}`, { milliseconds, bytes });
  } finally {
    await client.close();
  }
}

const STYLES: Readonly<Record<CheckResult['status'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'alarm',
  skipped: 'dim',
};

/** Cells of the longest status and of the longest name of a check. */
const [STATUS, NAME] = [9, 14];
/** Cells that a text needs to be read in lines. */
const NARROWEST = 30;

/** The lines about one check: on a terminal no wider than it, elsewhere one for what was found and one for what to do. */
function describeCheck(name: string, { status, says, mend }: CheckResult, screen: Screen): string {
  const margin = ' '.repeat(STATUS + NAME);
  const lines = [
    ...wrapped(visible(says), screen),
    ...(mend === undefined ? [] : wrapped(`→ ${visible(mend)}`, screen)),
  ];
  const word = status.padEnd(STATUS);
  const head = (screen.color ? paint(word, STYLES[status]) : word) + name.padEnd(NAME);
  return lines.map((line, at) => `${at === 0 ? head : margin}${line}\n`).join('');
}

interface Screen {
  readonly width: number;
  readonly color: boolean;
}

function screenOf({ stdout, env }: Context, color: boolean): Screen {
  const width = stdout.isTerminal ? (stdout.columns ?? 80) : Infinity;
  return { width, color: useColor(env, stdout.isTerminal, color) };
}

function wrapped(text: string, { width }: Screen): string[] {
  return wrapText(text, Math.max(NARROWEST, width - STATUS - NAME))
    .trimEnd()
    .split('\n');
}
