import { readFile } from 'node:fs/promises';
import type { GlobalFlags, ListingFlags } from '../cli/flags.ts';
import type { MakeResult } from './open-questions.ts';
import type { Context, InputStream } from '../context.ts';
import { UsageError, systemReason } from '../errors.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import type { Resource } from '../resources/resource.ts';

/**
 * The fiscal IDs that a flag names: each value is an ID, several with commas between them, `@file` or `@-` (standard
 * input), with one ID a line there. In the order given, each once.
 */
async function readFiscalIds(
  flag: string,
  values: readonly string[],
  stdin: InputStream,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const value of values) {
    const text = value.startsWith('@') ? await readList(flag, value.slice(1), stdin) : value;
    for (const id of text.split(/[\n,]/).map((part) => part.trim())) if (id !== '') ids.add(id);
  }
  if (ids.size === 0) {
    throw new UsageError(`${flag}: no fiscal ID given`, { hint: 'Leave the flag out to get everything.' });
  }
  return [...ids];
}

async function readList(flag: string, file: string, stdin: InputStream): Promise<string> {
  if (file === '-') return stdin.readAll();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag} @${file}: ${systemReason(error)}`, {
      hint: 'Name a file with one ID on each line, or @- for standard input.',
      cause: error,
    });
  }
}

/** How the service writes a fiscal ID in its answers: without dots and dash (spec 2.4). */
export function normalizedFiscalId(id: string): string {
  return id.replace(/[.\-\s]/g, '').toUpperCase();
}

/** A listing as the command line asks for it. */
export interface ListingRun {
  readonly resource: Resource;
  readonly id: string | undefined;
  readonly flags: ListingFlags & GlobalFlags;
  /** Asks something else of the records than the flags could; by the settings of the profile. */
  readonly makeResult?:
    ((asked: { readonly profile: string | undefined }) => Promise<MakeResult>) | undefined;
  /** xlsx: what the sheet is called, where it is not of the records themselves. */
  readonly sheet?: string;
}

/** What the flags ask of the listing, checked. Throws UsageError. */
export async function readQuery(context: Context, run: ListingRun): Promise<ListingQuery> {
  return queryOf(run, await fiscalIdsOf(context, run));
}

/** The fiscal IDs that the flags name. To be read once a run: they may come from standard input. Throws UsageError. */
export async function fiscalIdsOf(
  context: Context,
  { resource, flags }: ListingRun,
): Promise<readonly string[]> {
  const given = flags.customerFiscalId ?? flags.issuerFiscalId;
  return given === undefined ? [] : readFiscalIds(`--${resource.fiscalIds?.flag}`, given, context.stdin);
}

/** What the flags ask of the listing, checked. Throws UsageError. */
export function queryOf({ resource, id, flags }: ListingRun, fiscalIds: readonly string[]): ListingQuery {
  if (flags.all && flags.limit !== undefined) {
    throw new UsageError('--all and --limit do not go together', { hint: 'Leave one of them out.' });
  }
  if (flags.page !== undefined && flags.all) {
    throw new UsageError('--all and --page do not go together', { hint: 'Leave one of them out.' });
  }
  return {
    id,
    fiscalIds,
    sortBy: sortKey(resource, flags.sortBy),
    sortOrder: flags.sortOrder,
    params: flags.param ?? [],
    listEncoding: flags.listEncoding,
    strict: flags.strict,
    key: flags.key,
    page: flags.page,
    nextToken: flags.nextToken,
    pageSize: flags.pageSize,
    limit: flags.limit,
  };
}

/** The keys that are known in the service's spelling; another one as it was typed. */
function sortKey({ sortBy }: Resource, typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  if (typed === '')
    throw new UsageError('--sort-by "": expected a key', {
      hint: sortBy && `Give one of ${sortBy.known.join(', ')}.`,
    });
  return sortBy?.known.find((key) => key === typed.toUpperCase()) ?? typed;
}
