import type { QueryPair } from '../api/address.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { RecordBatch } from '../json/records.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { fetchCustomer, fetchFund, fetchPortalLink } from '../resources/items.ts';
import { checkComplete } from './completeness.ts';
import { deliver } from './pipeline.ts';
import { discardNotice } from './output-plan.ts';
import type { GlobalFlags } from '../cli/flags.ts';
import { listColumns } from './list-columns.ts';
import { Notices } from './notices.ts';
import type { OutputFlags } from '../cli/flags.ts';
import { planOutput } from './output-plan.ts';
import { PartialResults } from './completeness.ts';
import { Progress } from './progress.ts';
import type { RequestFlags } from '../cli/flags.ts';
import { openSession, type Session } from './session.ts';

export interface ItemFlags extends OutputFlags, RequestFlags {
  readonly idParam?: string;
  readonly param?: readonly QueryPair[];
}

type AllItemFlags = ItemFlags & GlobalFlags;

/** `customers get`. */
export async function getCustomer(context: Context, id: string, flags: AllItemFlags): Promise<void> {
  await deliverItem(context, flags, async function* ({ client }) {
    yield await fetchCustomer(client, id, context);
  });
}

/** `customers portal-link`. */
export async function getPortalLink(
  context: Context,
  id: string | undefined,
  flags: AllItemFlags,
): Promise<void> {
  const query: QueryPair[] = [...(flags.param ?? [])];
  if (id !== undefined) query.unshift([flags.idParam ?? 'customerId', id]);
  if (query.length === 0) {
    throw new UsageError('customers portal-link: whose portal?', {
      hint: 'Give the customer’s ID, or --param.',
    });
  }
  await deliverItem(context, flags, async function* ({ client }) {
    yield await fetchPortalLink(client, query);
  });
}

/** `funds get`. */
export async function getFund(context: Context, id: string, flags: AllItemFlags): Promise<void> {
  const account = new WalkStatus();
  const partial = new PartialResults([], context.secrets.redact);
  await deliverItem(context, flags, async function* ({ client, concurrency }) {
    const onErrors = (errors: Buffer): void => partial.add(errors);
    yield await fetchFund({ client, id, concurrency, status: account, signal: context.signal, onErrors });
  });
  partial.announce(new Notices(context, flags), undefined);
  checkComplete(account, []);
}

type Fetch = (session: Session) => AsyncGenerator<RecordBatch>;

async function deliverItem(context: Context, flags: AllItemFlags, fetch: Fetch): Promise<void> {
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: 'one record' }, async (progress, site) => {
    const observe = progress.track(notices).asked;
    const session = await openSession(context, { flags, notices, observe });
    try {
      if (flags.listColumns) return await listColumns(site, fetch(session), { output: flags.output });
      const plan = await planOutput(site, { flags, defaults: session.defaults, single: true });
      await deliver(site, plan, fetch(session), discardNotice(notices, plan.target));
    } finally {
      await session.close();
    }
  });
}
