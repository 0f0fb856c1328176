import type { ApiClient } from '../api/api-client.ts';
import type { QueryPair } from '../api/query-string.ts';
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

/** Hands on what a page says went wrong although it came. */
export function partialErrors(request: PageRequest, body: Buffer, members: ReadonlyMap<string, Span>): void {
  const errors = members.get('errors');
  if (errors !== undefined) request.onErrors(body.subarray(...errors));
}
