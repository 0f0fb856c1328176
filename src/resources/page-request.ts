import type { ApiClient } from '../api/api-client.ts';
import type { QueryPair } from '../api/query-string.ts';
import { BadBody } from '../json/bad-body.ts';
import type { Span } from '../json/span.ts';

/** What every page of a listing is asked with. */
export interface PageRequest {
  readonly path: string;
  readonly filters: readonly QueryPair[];
  readonly client: ApiClient;
  /** Receives the text of a page's `errors` (spec 2.4). */
  readonly onErrors: (errors: Buffer) => void;
  /** Receives each page's body, once it was found to be well formed. */
  readonly onBody?: ((body: Buffer) => void) | undefined;
}

/** Bytes of `errors`, which are parsed: an element for each of more fiscal IDs than an address can hold takes less. */
const MAX_ERRORS = 4 * 1024 * 1024;

/** Hands on what a page says went wrong although it came. Throws BadBody for more than can be read. */
export function partialErrors(request: PageRequest, body: Buffer, members: ReadonlyMap<string, Span>): void {
  const errors = members.get('errors');
  if (errors === undefined) return;
  const [start, end] = errors;
  if (end - start > MAX_ERRORS) {
    throw new BadBody(
      `expected at most ${MAX_ERRORS / 2 ** 20} MiB of "errors", found ${end - start} bytes`,
      start,
    );
  }
  request.onErrors(body.subarray(...errors));
}
