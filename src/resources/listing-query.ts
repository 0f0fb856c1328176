import { listPairs, type ListEncoding, type QueryPair } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import type { KeyColumns } from '../json/identity.ts';
import type { Resource } from './resource.ts';

/** What the user asked of a listing, already checked. Undefined is "not said": then nothing is sent. */
export interface ListingQuery {
  /** Takes the place of `{id}` in the resource's path. */
  readonly id?: string | undefined;
  readonly fiscalIds: readonly string[];
  readonly sortBy?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly params: readonly QueryPair[];
  /** Undefined leaves it to folio: commas, or what the service understands where it does not understand those. */
  readonly listEncoding?: ListEncoding | undefined;
  /** True where each unknown fiscal ID is to be found, also where the listing does not name it. */
  readonly strict?: boolean | undefined;
  /** The columns by which a record is known, in place of `id`. */
  readonly key?: readonly string[] | undefined;
  readonly page?: number | undefined;
  readonly nextToken?: string | undefined;
  /** Records a request. */
  readonly pageSize?: number | undefined;
  /** Records in all, at most. */
  readonly limit?: number | undefined;
}

/** The parameters that are the same for every page of a listing, in the service's own spelling. */
export function filterParameters(resource: Resource, query: ListingQuery): QueryPair[] {
  const parameters: QueryPair[] = [];
  if (query.sortBy !== undefined) parameters.push(['options_sortBy', query.sortBy]);
  if (query.sortOrder !== undefined && resource.sortDirections !== undefined) {
    const [ascending, descending] = resource.sortDirections;
    parameters.push(['options_sortOrder', query.sortOrder === 'asc' ? ascending : descending]);
  }
  if (resource.fiscalIds !== undefined && query.fiscalIds.length > 0) {
    parameters.push(
      ...listPairs(resource.fiscalIds.parameter, query.fiscalIds, query.listEncoding ?? 'comma'),
    );
  }
  for (const parameter of query.params) parameters.push(checked(resource, parameter));
  return parameters;
}

/** Parameters of which the walk itself takes care. */
const OWN = ['options_page', 'options_pageSize', 'options_nextToken'];

function checked(resource: Resource, parameter: QueryPair): QueryPair {
  const [name] = parameter;
  const reason = resource.refusedParameters[name];
  if (reason !== undefined) throw new UsageError(`--param ${name}: ${reason}`);
  if (OWN.includes(name)) {
    throw new UsageError(`--param ${name}: folio walks the pages itself`, {
      hint: 'Leave it out; listings have --page, --page-size, --limit and, on customers, --next-token.',
    });
  }
  return parameter;
}

/** Records a request: what the user said; else as many as a limit takes, evenly spread; else the whole export’s. */
export function requestSize(resource: Resource, { pageSize, limit }: ListingQuery): number {
  const { paging } = resource;
  const most = pageSize ?? paging.walkSize;
  if (limit === undefined) return most;
  if (limit <= most) return limit;
  if (pageSize !== undefined) return pageSize;
  const pages = Math.ceil(limit / most);
  // Each page is a record smaller than the one before it, so that it can begin in that one.
  const evenly = (count: number): number => Math.ceil(limit / count) + count - 1;
  const compressedOver = paging.kind === 'numbered' ? paging.compressedOver : undefined;
  // Larger pages, but compressed ones, and fewer.
  if (compressedOver !== undefined && evenly(pages) - pages < compressedOver) return evenly(pages - 1);
  return Math.min(most, evenly(pages));
}

/** How records of a listing are known where it has to be told whether one came before. */
export function keyColumns(resource: Resource, { key }: Pick<ListingQuery, 'key'>): KeyColumns {
  const { paging, naturalKey } = resource;
  // The documents of a fund may come without a total, and cursors never have one.
  const exact = paging.kind === 'cursor' || paging.recordsIn === 'assignedDocuments';
  return { named: key, natural: naturalKey, exact };
}

/** Whether parameters that are sent as they are ask for an order. */
export function asksForOrder(params: ListingQuery['params']): boolean {
  return params.some(([name]) => name === 'options_sortBy' || name === 'options_sortOrder');
}
