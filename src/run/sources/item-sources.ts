import { unescape } from 'node:querystring';
import type { QueryPair } from '../../api/address.ts';
import { UsageError } from '../../errors.ts';
import { batchWithoutIds, type RecordBatch } from '../../json/records.ts';
import { checkJson } from '../../json/scanner.ts';
import { resources } from '../../resources/listings.ts';
import {
  fetchCustomer,
  fetchFund,
  fetchPortalLink,
  getCustomer,
  isCustomerPath,
} from '../../resources/items.ts';
import type { ServicePart, Source, Wanted } from '../run.ts';
import type { Session } from '../session.ts';
import { listingSource } from './listing-source.ts';

export function customerSource(id: string): Source {
  return itemSource('customer', ({ session, context }) => fetchCustomer(session.client, id, context.signal));
}

/** The parameters of a customer's portal, which the specification does not show. */
interface PortalFlags {
  readonly idParam?: string | undefined;
  readonly param?: readonly QueryPair[] | undefined;
}

/** The link to a customer's portal. Throws UsageError where nothing names the customer. */
export function portalLinkSource(
  id: string | undefined,
  { idParam = 'customerId', param = [] }: PortalFlags,
): Source {
  const query: readonly QueryPair[] = id === undefined ? param : [[idParam, id], ...param];
  if (query.length === 0) {
    throw new UsageError('customers portal-link needs a customer', {
      hint: 'Give the customer’s ID, or --param.',
    });
  }
  return itemSource('portal link', ({ session }) => fetchPortalLink(session.client, query));
}

export function fundSource(id: string): Source {
  return itemSource('fund', ({ session, context, status, serviceErrors }) => {
    const { client, limits } = session;
    const { signal } = context;
    const { concurrency } = limits;
    return fetchFund(id, { client, concurrency, status, signal, onErrors: serviceErrors.add });
  });
}

/** A single record, from one response or merged from several. */
function itemSource(
  name: string,
  fetch: (part: ServicePart) => Promise<RecordBatch>,
  records = 'one record',
): Source {
  const known = { kind: 'service', name, records } as const;
  const read = async function* (part: ServicePart) {
    yield { records: await fetch(part) };
  };
  return { ...known, open: async () => ({ ...known, read }) };
}

interface ServiceAddress {
  readonly path: string;
  /** The version at the start of the path, such as `v1`, which the base address has, too. */
  readonly version: string | undefined;
  readonly query: readonly QueryPair[];
}

/** Reads the path of `get`, perhaps with a query. Throws UsageError for another service's address. */
export function readAddress(address: string, more: readonly QueryPair[]): ServiceAddress {
  const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    throw new UsageError(`get ${JSON.stringify(address)}: expected a path below the base address`, {
      hint: 'Give a path such as /customers. folio reads no other service, so that the token goes nowhere else.',
    });
  }
  const [, version, below] = /^\/*(?:(v\d+)(?=\/))?\/*(.*)$/s.exec(path)!;
  return { path: `/${below}`, version, query: [...new URLSearchParams(search), ...more] };
}

/** The body of one response, as the only record. A status means what it means to the command for that path. */
export function bodySource({ path, version, query }: ServiceAddress): Source {
  const isListing = resources.some((resource) => resource.path === path);
  const fetch = async ({ session, context: { signal } }: ServicePart) => {
    checkVersion(version, path, session);
    const { client } = session;
    const parse = (body: Buffer): Buffer => {
      // A body that is not JSON is an error (spec 4).
      checkJson(body);
      return body;
    };
    const request = { path, query, signal, parse };
    const bytes = await (isCustomerPath(path)
      ? getCustomer(client, request)
      : client.get({ ...request, isListing }));
    return batchWithoutIds(bytes, Int32Array.of(0, bytes.length), true);
  };
  return itemSource(path, fetch, 'one answer');
}

/** The listing that the path names. Throws UsageError where it names none. */
export function listingAt({ path, version, query }: ServiceAddress): Source {
  for (const resource of resources) {
    const match = new RegExp(`^${resource.path.replace('{id}', '([^/]+)')}$`).exec(path);
    if (match === null) continue;
    // Leniently: a lone percent sign is one.
    const id = match[1] && unescape(match[1]);
    const source = listingSource({ resource, id, flags: { param: query } });
    return {
      ...source,
      async open(run, profiles) {
        const opened = await source.open(run, profiles);
        const read = (part: ServicePart, wanted: Wanted) => {
          checkVersion(version, resource.name, part.session);
          return opened.read(part, wanted);
        };
        return { ...opened, read };
      },
    };
  }
  const paths = resources.map((resource) => resource.path).join(', ');
  throw new UsageError(`get --paginate: ${path} is not a listing`, { hint: `The listings are ${paths}.` });
}

/** Throws UsageError where a path names another version than the base address has. */
function checkVersion(version: string | undefined, name: string, { baseUrl }: Session): void {
  const { pathname, href } = baseUrl;
  if (version === undefined || pathname.endsWith(`/${version}`)) return;
  throw new UsageError(`${name} is wanted in ${version}, and the base address is ${href}`, {
    hint: `Leave /${version} out, or name a base address that ends with it.`,
  });
}
