import { parseBaseUrl } from '../../api/base-url.ts';
import { chooseProfile } from '../../config/choose-profile.ts';
import { decodeToken } from '../../config/json-web-token.ts';
import { requireConnection } from '../../config/require-connection.ts';
import { profileAddress, resolveConnection, statedAddress } from '../../config/resolve-connection.ts';
import type { Connection } from '../../config/resolve-connection.ts';
import { storePermissions } from '../../config/store-permissions.ts';
import type { ConfigStore } from '../../config/store.ts';
import { checkExpiry, describeMoment } from '../../config/token-expiry.ts';
import type { Context } from '../../context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { ok, warning, type CheckResult } from './check.ts';

/** What the checks of the set-up find out, for those after them. */
export interface Setup {
  store?: ConfigStore;
  baseUrl?: URL;
  /** Never shown. */
  token?: string;
}

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
export async function checkStore(context: Context, setup: Setup): Promise<CheckResult> {
  const store = await context.config();
  setup.store = store;
  const { file, profileNames } = store;
  if (file === undefined) {
    return warning('there is no home folder, so nothing can be stored', 'set FOLIO_CONFIG_DIR to a folder');
  }
  const modes = await storePermissions(file);
  if (modes === undefined) return ok(`${file}: not there, nothing is stored`);
  const profiles = profileNames.length === 1 ? '1 profile' : `${profileNames.length} profiles`;
  return ok(`${file}: mode ${modes.file}, in a folder of mode ${modes.folder}; ${profiles}`);
}

/** Where the service is said to be. Throws UsageError where nobody says, or not well; AuthError for a profile that is gone. */
export function checkAddress({ env }: Pick<Context, 'env'>, flags: GlobalFlags, setup: Setup): CheckResult {
  const { store } = setup;
  const stated = statedAddress({ flags, env, parseBaseUrl });
  const profile = store && chooseProfile(flags.profile, env, store);
  const own = stated === undefined && profile && profileAddress(profile, { store, parseBaseUrl });
  const baseUrl = stated ?? (own || undefined);
  if (baseUrl === undefined) {
    throw new UsageError('there is no base address: nobody has said where the service is', {
      hint: 'folio auth login --base-url https://<host>/v1, or set FOLIO_BASE_URL, or try --sandbox',
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
export async function checkToken(context: Context, flags: GlobalFlags, setup: Setup): Promise<CheckResult> {
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
  return ending === undefined ? ok(says) : warning(says, 'ask the operator of the service for a new one');
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
