import type { QueryPair } from '../api/address.ts';
import type { ApiClient } from '../api/client.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { checkJson } from '../json/scanner.ts';
import type { RecordBatch } from '../json/records.ts';
import { written } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { getCustomer, isCustomerPath } from '../resources/items.ts';
import { resources } from '../resources/index.ts';
import type { Resource } from '../resources/resource.ts';
import { ListingSource } from './listing-source.ts';
import { discardNotice, type OutputFlags } from './output-plan.ts';
import type { RequestFlags } from './parse-values.ts';
import { askPart, type Part, type ServiceSource } from './part.ts';
import { exportRecords } from './pipeline.ts';
import { inRun, type GlobalFlags } from './run.ts';

/** How an address of the service is asked for. */
export interface GetFlags {
  readonly paginate?: boolean;
  readonly param?: readonly QueryPair[];
}

export interface Get {
  readonly everywhere: GlobalFlags;
  readonly output: OutputFlags;
  readonly request: RequestFlags;
  readonly get: GetFlags;
}

/** `get`: the body as it was served, or with --paginate the records of the listing that the path names. */
export async function rawGet(context: Context, address: string, flags: Get): Promise<void> {
  const { everywhere, output, request, get } = flags;
  const { path, query } = readAddress(address, get.param ?? []);
  if (get.paginate) {
    const source = listingAt(path, query);
    return exportRecords(context, { source, everywhere, output, request });
  }
  refuseFlagsOfRecords(output);
  const source = bodySource(path, query);
  const { name, records } = source;
  await inRun(context, { everywhere, request, name, records, output: output.output }, (run) =>
    askPart(run, { source }, (part) => deliverBody(part, output.output)),
  );
}

/** A body as it was served has no records to lay out. */
function refuseFlagsOfRecords(flags: OutputFlags): void {
  const given = {
    '--format': flags.format,
    '--columns': flags.columns,
    '--list-columns': flags.listColumns,
    '--delimiter': flags.delimiter,
    '--no-header': !flags.header,
    '--excel': flags.excel,
    '--wide': flags.wide,
    '--raw': flags.raw,
  };
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    throw new UsageError(`${flag} goes with --paginate: without it, get hands over the body as served`, {
      hint: `Leave ${flag} out, or add --paginate.`,
    });
  }
}

/** The body of one answer, as the only record. */
function bodySource(path: string, query: readonly QueryPair[]): ServiceSource {
  return {
    kind: 'service',
    name: path,
    records: 'one answer',
    read: async function* ({ session, context }) {
      const body = await fetchBody(session.client, { path, query, signal: context.signal });
      yield { records: wholeBody(body), next: undefined };
    },
  };
}

interface BodyRequest {
  readonly path: string;
  readonly query: readonly QueryPair[];
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
    ...{ bytes, count: 1, spaced: true },
    bounds: Int32Array.of(0, bytes.length),
    ids: Int32Array.of(-1, -1),
  };
}

async function deliverBody({ context, notices, read }: Part, output: string | undefined): Promise<void> {
  const destination = await openDestination(output, context, discardNotice(notices, output));
  await written(destination, async () => {
    for await (const { records } of read(undefined)) await destination.write(records.bytes);
  });
}

/** The listing that the path names. Throws UsageError where it names none. */
function listingAt(path: string, query: readonly QueryPair[]): ListingSource {
  for (const resource of resources) {
    const id = idIn(resource, path);
    if (id === undefined) continue;
    return new ListingSource({ resource, id: id === '' ? undefined : id, filters: { param: query } });
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

function readAddress(address: string, more: readonly QueryPair[]): { path: string; query: QueryPair[] } {
  const [, path = '', search = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    throw new UsageError(`get ${JSON.stringify(address)}: expected a path below the base address`, {
      hint: 'Give a path such as /customers. No other service is asked, so that the token goes nowhere else.',
    });
  }
  const below = `/${path.replace(/^\/+/, '')}`.replace(/^\/v1(?=\/)/, '');
  return { path: below, query: [...new URLSearchParams(search), ...more] };
}

/** The body itself; one that is not JSON is a fault, not data (spec 4). */
function checkedJson(body: Buffer): Buffer {
  checkJson(body);
  return body;
}
