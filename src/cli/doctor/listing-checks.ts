import type { Context } from '../../context.ts';
import { probeListing } from '../../resources/probe-listing.ts';
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
