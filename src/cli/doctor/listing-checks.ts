import type { ApiClient } from '../../api/api-client.ts';
import type { Context } from '../../context.ts';
import { WalkAccount } from '../../paging/walk-account.ts';
import { openListing } from '../../resources/open-listing.ts';
import type { Resource } from '../../resources/resource.ts';
import { makeClient } from '../make-client.ts';
import { ok, type CheckResult } from './check.ts';

/** Makes one call to a listing, for one record, without a retry. Rejects as the listing would. */
export async function checkListing(
  context: Context,
  resource: Resource,
  to: { readonly baseUrl: URL; readonly token: string },
): Promise<CheckResult> {
  const client = await makeClient(context, to, { retries: 0, concurrency: 1 });
  try {
    const { clock } = context;
    const account = new WalkAccount();
    const start = clock.now();
    await readOne(context, resource, { client, account });
    const milliseconds = clock.now() - start;
    const { bytes } = client.stats;
    const total = account.totalAtEnd === undefined ? '' : `; ${account.totalAtEnd} ${resource.records}`;
    return ok(`answers in ${milliseconds} ms with ${bytes} bytes${total}`, { milliseconds, bytes });
  } finally {
    await client.close();
  }
}

async function readOne(
  { signal }: Context,
  resource: Resource,
  { client, account }: { readonly client: ApiClient; readonly account: WalkAccount },
): Promise<void> {
  const query = { fiscalIds: [], params: [], listEncoding: 'comma', limit: 1 } as const;
  const options = { client, concurrency: 1, account, signal, onErrors: () => {} };
  for await (const delivery of openListing(resource, query, options)) {
    if (delivery.records.count > 0) return;
  }
}
