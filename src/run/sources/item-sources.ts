import type { QueryPair } from '../../api/address.ts';
import { UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { fetchCustomer, fetchFund, fetchPortalLink } from '../../resources/items.ts';
import type { ServicePart, ServiceSource } from '../part.ts';

export function customerSource(id: string): ServiceSource {
  return itemSource('customer', ({ session, context }) => fetchCustomer(session.client, id, context.signal));
}

/** How a customer's portal is asked for; the specification does not show it. */
interface PortalFlags {
  /** The parameter that carries the id. */
  readonly idParam?: string | undefined;
  readonly param?: readonly QueryPair[] | undefined;
}

/** The link to a customer's portal. Throws UsageError where nothing says whose. */
export function portalLinkSource(
  id: string | undefined,
  { idParam = 'customerId', param = [] }: PortalFlags,
): ServiceSource {
  const query: readonly QueryPair[] = id === undefined ? param : [[idParam, id], ...param];
  if (query.length === 0) {
    throw new UsageError('customers portal-link needs a customer', {
      hint: 'Give the customer’s ID, or --param.',
    });
  }
  return itemSource('portal link', ({ session }) => fetchPortalLink(session.client, query));
}

export function fundSource(id: string): ServiceSource {
  return itemSource('fund', ({ session, context, status, serviceErrors }) => {
    const {
      client,
      limits: { concurrency },
    } = session;
    const onErrors = serviceErrors.add;
    return fetchFund({ client, id, concurrency, status, signal: context.signal, onErrors });
  });
}

/** A single record, which comes with one answer or is made of several. */
function itemSource(name: string, fetch: (options: ServicePart) => Promise<RecordBatch>): ServiceSource {
  return {
    kind: 'service',
    name,
    records: 'one record',
    read: async function* (options) {
      yield { records: await fetch(options), next: undefined };
    },
  };
}
