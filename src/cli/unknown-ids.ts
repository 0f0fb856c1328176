import { RefusedQuery } from '../api/refused-query.ts';
import { UnknownFiscalIds } from '../api/unknown-fiscal-ids.ts';
import type { Context } from '../context.ts';
import { NotFoundError } from '../errors.ts';
import { existsWithoutIds } from '../resources/exists-without-ids.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import type { Resource } from '../resources/resource.ts';
import type { PartialResults } from './partial-results.ts';
import type { Session } from './session.ts';

export interface AskedWithIds {
  readonly context: Context;
  readonly resource: Resource;
  readonly session: Session;
  readonly query: ListingQuery;
  readonly partial: PartialResults;
}

/**
 * What ended a listing, told in the user's words where none of the fiscal IDs exist: with the IDs as they were typed. A
 * refusal that does not say whether it was the IDs is looked into, by one more request.
 */
export async function inUsersWords(error: unknown, asked: AskedWithIds): Promise<unknown> {
  const { query, partial } = asked;
  if (error instanceof UnknownFiscalIds) {
    return noneExist(
      error.fiscalIds.map((id) => partial.typed(id)),
      error,
      asked,
    );
  }
  if (!(error instanceof RefusedQuery) || query.fiscalIds.length === 0) return error;
  const { context, resource, session } = asked;
  const { client } = session;
  // Where this fails too, what the service said first is what counts.
  const exists = await existsWithoutIds(resource, query, { client, signal: context.signal }).catch(
    () => false,
  );
  return exists ? noneExist(query.fiscalIds, error, asked) : error;
}

function noneExist(ids: readonly string[], cause: Error, { resource }: AskedWithIds): NotFoundError {
  const whose = resource.fiscalIds?.whose ?? 'party';
  return new NotFoundError(`no ${whose} has any of these fiscal IDs: ${ids.join(', ')}`, {
    hint:
      cause instanceof UnknownFiscalIds
        ? cause.hint
        : 'check them against a listing without the filter; if they exist, try another --list-encoding',
    cause,
  });
}
