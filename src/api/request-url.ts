import { UsageError } from '../errors.ts';
import { queryString } from './query-string.ts';
import type { QueryPair } from './query-string.ts';

/**
 * The address of a request: `path`, which begins with a slash and is percent-encoded, below the base address, and the
 * query. Throws UsageError for a path that an address would not keep as it is (`..`, a backslash, a query of
 * its own, a line break), since it could lead out of the base address.
 */
export function requestUrl(baseUrl: URL, path: string, query: readonly QueryPair[]): URL {
  const written = baseUrl.pathname + path;
  const url = new URL(baseUrl.origin + written);
  if (!path.startsWith('/') || url.pathname !== written) {
    throw new UsageError(`${JSON.stringify(path)} is not a path below the base address`, {
      hint: 'Give it like /invoices/issued, special characters percent-encoded, the query with --param',
    });
  }
  url.search = queryString(query);
  return url;
}
