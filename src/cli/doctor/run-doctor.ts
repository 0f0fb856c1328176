import type { Context } from '../../context.ts';
import { AuthError, NotFoundError, OutputError, ServiceError, UsageError } from '../../errors.ts';
import { customers } from '../../resources/customers.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import { writeFactsAsJson, type Facts } from '../auth-facts.ts';
import type { FactFlags } from '../profile-flags.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { startOwnService } from '../own-service.ts';
import { look, ok, skipped, type CheckResult } from './check.ts';
import { checkListing } from './listing-checks.ts';
import { NetworkChecks } from './network-checks.ts';
import { describeCheck, screenOf } from './report.ts';
import { checkAddress, checkStore, checkToken, type Setup } from './setup-checks.ts';

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
