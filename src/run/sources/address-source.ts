import type { QueryPair } from '../../api/address.ts';
import { UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { checkJson } from '../../json/scanner.ts';
import type { ApiClient } from '../../api/client.ts';
import { getCustomer, isCustomerPath } from '../../resources/items.ts';
import { resources } from '../../resources/index.ts';
import type { Resource } from '../../resources/resource.ts';
import type { ServiceSource } from '../part.ts';
import { ListingSource } from './listing-source.ts';

/** An address of the service: a path below the base address, and what follows it. */
interface ServiceAddress {
  readonly path: string;
  /** The version before it, such as `v1`, which the base address has as well. */
  readonly version: string | undefined;
  readonly query: readonly QueryPair[];
}

/** Reads what `get` was given: a path, perhaps with a query. Throws UsageError for another service's address. */
export function readAddress(address: string, more: readonly QueryPair[]): ServiceAddress {
  const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    throw new UsageError(`get ${JSON.stringify(address)}: expected a path below the base address`, {
      hint: 'Give a path such as /customers. No other service is asked, so that the token goes nowhere else.',
    });
  }
  const [, version, below] = /^\/*(?:(v\d+)(?=\/))?\/*(.*)$/s.exec(path)!;
  return { path: `/${below}`, version, query: [...new URLSearchParams(search), ...more] };
}

/** The body of one answer, as the only record. */
export function bodySource({ path, version, query }: ServiceAddress): ServiceSource {
  return {
    kind: 'service',
    name: path,
    version,
    records: 'one answer',
    read: async function* ({ session, context }) {
      const body = await fetchBody(session.client, { path, query, signal: context.signal });
      yield { records: wholeBody(body), next: undefined };
    },
  };
}

interface BodyRequest extends Omit<ServiceAddress, 'version'> {
  readonly signal: AbortSignal;
}

/** The body at a path. What a status means there is what it means to the command for that path. */
function fetchBody(client: ApiClient, request: BodyRequest): Promise<Buffer> {
  if (isCustomerPath(request.path)) return getCustomer(client, { ...request, parse: checkedJson });
  const isListing = resources.some(({ path }) => path === request.path);
  return client.get({ ...request, parse: checkedJson, isListing });
}

function wholeBody(bytes: Buffer): RecordBatch {
  return {
    bytes,
    count: 1,
    spaced: true,
    bounds: Int32Array.of(0, bytes.length),
    ids: Int32Array.of(-1, -1),
  };
}

/** The listing that the path names. Throws UsageError where it names none. */
export function listingAt({ path, version, query }: ServiceAddress): ServiceSource {
  for (const resource of resources) {
    const id = idIn(resource, path);
    if (id === undefined) continue;
    const source = new ListingSource({ resource, id: id === '' ? undefined : id, flags: { param: query } });
    return Object.assign(source, { version });
  }
  const paths = resources.map((resource) => resource.path).join(', ');
  throw new UsageError(`get --paginate: ${path} is no listing`, { hint: `The listings are ${paths}.` });
}

/** The id in a path that the resource's path matches, '' where it takes none, undefined where it does not match. */
function idIn(resource: Resource, path: string): string | undefined {
  const [before = '', after] = resource.path.split('{id}');
  if (after === undefined) return path === before ? '' : undefined;
  const id = path.startsWith(before) ? path.slice(before.length) : '';
  return id === '' || id.includes('/') ? undefined : decoded(id, path);
}

function decoded(id: string, path: string): string {
  try {
    return decodeURIComponent(id);
  } catch (cause) {
    throw new UsageError(`get ${JSON.stringify(path)}: expected a path below the base address`, {
      hint: 'Percent-encode special characters, such as %20 for a space.',
      cause,
    });
  }
}

/** The body itself; one that is not JSON is a fault, not data (spec 4). */
function checkedJson(body: Buffer): Buffer {
  checkJson(body);
  return body;
}
