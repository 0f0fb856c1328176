import type { InputStream } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import {
  filterParameters,
  openListing,
  setsOrder,
  type ListingQuery,
} from '../../resources/listing-pages.ts';
import type { Resource } from '../../resources/resource.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { quoteUnlessCode } from '../../json/cells.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { Delivery } from '../../paging/page.ts';
import type { ExtentFlags, FilterFlags } from '../flags.ts';
import type { OpenSource, ServicePart, Source, Wanted } from '../run.ts';
import type { ReadPath } from '../paths.ts';
import type { FlagDefaults } from '../settings.ts';

export interface ListingRequest {
  readonly resource: Resource;
  readonly id?: string | undefined;
  readonly flags?: Omit<FilterFlags, 'fiscalIds'> & ExtentFlags;
  /** IDs, `@file` or `@-`. */
  readonly fiscalIds?: readonly string[] | undefined;
}

/** A listing of the service, with the filters and the extent of the command line. */
export function listingSource(request: ListingRequest): Source {
  const { resource, flags = {}, fiscalIds } = request;
  const { sortBy, sortOrder, page, param = [], strict = false } = flags;
  const { name, records } = resource;
  const flag = `--${resource.fiscalIds?.flag}`;
  const known = { kind: 'service', name, records, resource } as const;
  const isUsualOrder = (sortBy ?? sortOrder ?? page) === undefined && !setsOrder(param);
  return {
    ...known,
    reads: fiscalIds && listsIn(flag, fiscalIds),
    /** Reads the fiscal IDs, which may come from standard input, and checks the query. */
    async open({ context: { stdin } }) {
      const ids = fiscalIds === undefined ? [] : await readFiscalIds(flag, fiscalIds, stdin);
      filterParameters(resource, listingQuery(request, ids));
      return {
        ...known,
        fiscalIds: ids,
        isStrict: strict,
        order: isUsualOrder ? usualOrder(resource) : undefined,
        async *read(part: ServicePart, wanted: Wanted) {
          const { context, session, serviceErrors, status, notices } = part;
          const { client, limits, defaults } = session;
          const newest = wanted.newestFirst ? resource.newestFirst : undefined;
          const query = { ...listingQuery(request, ids, defaults), ...newest, limit: wanted.limit };
          // Loaded late: few listings are read by fiscal IDs.
          const open =
            ids.length === 0
              ? openListing
              : (await import('../../resources/fiscal-id-walk.ts')).openByFiscalIds;
          try {
            const records = open(resource, query, {
              client,
              status,
              concurrency: limits.concurrency,
              signal: context.signal,
              onErrors: serviceErrors.add,
              onDetail: (text) => notices.detail(text),
            });
            yield* ids.length === 0 ? records : withOthersTold(records, part, { flag, ids });
          } catch (error) {
            throw serviceErrors.explain(error);
          }
        },
      };
    },
  };
}

/** The same records. Warns of records with other fiscal IDs, which a service that ignores the filter sends. */
async function* withOthersTold(
  records: AsyncIterable<Delivery>,
  { meanings, notices }: ServicePart,
  { flag, ids }: { readonly flag: string; readonly ids: readonly string[] },
): AsyncGenerator<Delivery> {
  const { DocumentReader } = await import('../../invoices/document-reader.ts');
  const wanted = new Set(ids.map(foldFiscalId));
  const reader = new DocumentReader(meanings, { roles: ['counterpartyFiscalId'], names: [] });
  let others = 0;
  let first = '';
  try {
    for await (const delivery of records) {
      reader.fold(delivery.records, () => {
        const id = reader.text('counterpartyFiscalId');
        if (isFiscalId(id) && !wanted.has(foldFiscalId(id)) && others++ === 0) first = id;
      });
      yield delivery;
    }
  } finally {
    const text = `${others} of ${countOf(reader.records, 'record')} that the service sent are of other fiscal IDs`;
    if (others > 0) notices.warn(`${flag}: ${text}, such as ${quoteUnlessCode(first)}`);
  }
}

/** The query of the flags, and of the settings for what they leave open. Throws UsageError. */
export function listingQuery(
  { resource, id, flags = {} }: ListingRequest,
  fiscalIds: readonly string[] = [],
  { listEncoding, key, pageSize }: Pick<FlagDefaults, 'listEncoding' | 'pageSize' | 'key'> = {},
): ListingQuery {
  const { sortOrder, strict, page, nextToken, limit } = flags;
  return {
    id,
    fiscalIds,
    sortBy: flags.sortBy === undefined ? undefined : sortKey(resource, flags.sortBy),
    sortOrder,
    params: flags.param ?? [],
    listEncoding,
    strict,
    key,
    page,
    nextToken,
    pageSize: flags.pageSize ?? pageSize,
    limit,
  };
}

/** A known key in the service's spelling; any other key as typed. */
function sortKey({ sortBy }: Resource, typed: string): string {
  if (typed === '')
    throw new UsageError('--sort-by "": expected a key', {
      hint: sortBy && `Give one of ${sortBy.known.join(', ')}.`,
    });
  return sortBy?.known.find((key) => key === typed.toUpperCase()) ?? typed;
}

/** Each value is an ID, several with commas, `@file` or `@-` (standard input) with an ID a line. In order, each once. */
export async function readFiscalIds(
  flag: string,
  values: readonly string[],
  stdin: InputStream,
): Promise<readonly string[]> {
  const name = values.find((value) => !value.startsWith('@') && /\p{L}/u.test(value) && !/\d/.test(value));
  if (name !== undefined) {
    const listing = flag === '--customer-fiscal-id' ? 'customers' : 'received';
    throw new UsageError(`${flag} ${name}: a fiscal ID has digits, and this is a name`, {
      hint: `Find the ID by the name: \`folio ${listing} --where counterpartyName~<name>\`.`,
    });
  }
  const readFrom = async (value: string): Promise<string> => {
    const { readTyped } = await import('../../output/files/typed-text.ts');
    const hint = 'Name a file with one ID on each line, or @- for standard input.';
    return readTyped(flag, value, { stdin, hint });
  };
  const ids = new Set<string>();
  for (const value of values) {
    const text = value.startsWith('@') ? await readFrom(value) : value;
    for (const id of text.split(/[\n,]/).map((part) => part.trim())) if (id !== '') ids.add(id);
  }
  if (ids.size > 0) return [...ids];
  throw new UsageError(`${flag}: no fiscal ID given`, { hint: 'Leave the flag out to get everything.' });
}

export function listsIn(flag: string, values: readonly string[]): readonly ReadPath[] {
  const files = values.filter((value) => value.startsWith('@') && value !== '@-');
  return files.map((value) => ({ path: value.slice(1), what: `the list of ${flag}` }));
}

/** The order in which the service lists a resource by itself. */
export function usualOrder({ byDate, newestFirst }: Resource): NonNullable<OpenSource['order']> {
  const begins = byDate?.usual && ({ asc: 'oldest', desc: 'newest' } as const)[byDate.usual];
  return { begins: begins ?? 'unsorted', canTurn: newestFirst !== undefined };
}
