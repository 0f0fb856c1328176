import { listPairs, type ListEncoding, type QueryPair } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import type { Resource } from './resource.ts';

/** What the user asked of a listing, already checked. Undefined is "not said": then nothing is sent. */
export interface ListingQuery {
  /** Takes the place of `{id}` in the resource's path. */
  readonly id?: string | undefined;
  readonly fiscalIds: readonly string[];
  readonly sortBy?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly params: readonly QueryPair[];
  readonly listEncoding: ListEncoding;
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
    parameters.push(...listPairs(resource.fiscalIds.parameter, query.fiscalIds, query.listEncoding));
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
  const most = pageSize ?? resource.paging.walkSize;
  if (limit === undefined) return most;
  if (limit <= most) return limit;
  if (pageSize !== undefined) return pageSize;
  const pages = Math.ceil(limit / most);
  // Each page is a record smaller than the one before it, so that it can begin in that one.
  const evenly = Math.ceil(limit / pages) + pages - 1;
  // A size with small divisors, in case that pages must shrink.
  return Math.min(most, Math.ceil(evenly / 10) * 10);
}
