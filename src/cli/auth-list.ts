import { decodeToken } from '../config/json-web-token.ts';
import type { ConfigStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { FolioError } from '../errors.ts';
import { writeFactsAsJson, writeFactTable } from './auth-facts.ts';
import type { Facts } from './auth-facts.ts';
import type { FactFlags } from './profile-flags.ts';
import type { GlobalFlags } from './global-flags.ts';
import { Notices } from './notices.ts';

/** `folio auth list`: the profiles as the store has them; one that is broken has the reason in its row. */
export async function runAuthList(context: Context, flags: GlobalFlags & FactFlags): Promise<void> {
  const store = await context.config();
  const rows = store.profileNames.map((name) => rowOf(store, name));
  await (flags.format === 'json' ? writeFactsAsJson : writeFactTable)(context.stdout, rows);
  if (rows.length === 0) {
    new Notices(context, flags).remark(
      'There are no profiles: folio auth login --base-url https://<host>/v1',
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
