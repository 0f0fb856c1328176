import { promises } from 'node:fs';
import type { InputStream } from '../../context.ts';
import { UsageError, systemReason } from '../../errors.ts';
import { typedText } from '../../output/files/typed-text.ts';
import type { Delivery } from '../../paging/page.ts';
import { asksForOrder, filterParameters, type ListingQuery } from '../../resources/listing-pages.ts';
import { openListing } from '../../resources/open-listing.ts';
import type { Resource } from '../../resources/resource.ts';
import type { ExtentFlags, FilterFlags } from '../flags.ts';
import type { Begins, ServicePart, ServiceSource } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { Run } from '../run.ts';
import type { FlagDefaults } from '../settings.ts';

export interface ListingSourceOptions {
  readonly resource: Resource;
  readonly id?: string | undefined;
  readonly flags?: Omit<FilterFlags, 'fiscalIds'> & ExtentFlags;
  /** IDs, `@file` or `@-`. */
  readonly fiscalIds?: readonly string[] | undefined;
}

/** A listing of the service, with the filters and the extent of the command line. */
export class ListingSource implements ServiceSource {
  readonly kind = 'service';
  readonly resource: Resource;
  readonly name: string;
  readonly records: string;
  readonly #options: ListingSourceOptions;
  #fiscalIds: readonly string[] = [];
  #isNewestFirst = false;

  constructor(options: ListingSourceOptions) {
    this.#options = options;
    this.resource = options.resource;
    ({ name: this.name, records: this.records } = options.resource);
  }

  get filter(): { readonly fiscalIds: readonly string[]; readonly strict: boolean } {
    return { fiscalIds: this.#fiscalIds, strict: this.#options.flags?.strict === true };
  }

  get reads(): readonly ReadPath[] {
    return listsIn(`--${this.resource.fiscalIds?.flag}`, this.#options.fiscalIds);
  }

  begins(prefersNewest: boolean): Begins {
    const { sortBy, sortOrder, page, param = [] } = this.#options.flags ?? {};
    if ((sortBy ?? sortOrder ?? page) !== undefined || asksForOrder(param)) return undefined;
    this.#isNewestFirst = prefersNewest && this.resource.newestFirst !== undefined;
    return this.#isNewestFirst ? 'newest' : (this.resource.begins ?? 'unsorted');
  }

  /** Reads the fiscal IDs, which may come from standard input, and checks the query. Throws UsageError. */
  async open({ context }: Run): Promise<void> {
    const { fiscalIds } = this.#options;
    if (fiscalIds !== undefined) {
      const flag = `--${this.resource.fiscalIds?.flag}`;
      this.#fiscalIds = await readFiscalIds(flag, fiscalIds, context.stdin);
    }
    filterParameters(this.resource, this.query({}));
  }

  /** The query of the flags, checked. Throws UsageError. */
  query(defaults: Pick<FlagDefaults, 'listEncoding' | 'pageSize' | 'key'>): ListingQuery {
    const { resource, id, flags = {} } = this.#options;
    return {
      id,
      fiscalIds: this.#fiscalIds,
      sortBy: sortKey(resource, flags.sortBy),
      sortOrder: flags.sortOrder,
      params: flags.param ?? [],
      listEncoding: defaults.listEncoding,
      strict: flags.strict,
      key: defaults.key,
      page: flags.page,
      nextToken: flags.nextToken,
      pageSize: flags.pageSize ?? defaults.pageSize,
      limit: flags.limit,
    };
  }

  async *read(part: ServicePart, limit: number | undefined): AsyncGenerator<Delivery> {
    const { context, session, serviceErrors, status, notices } = part;
    const { client, limits, defaults } = session;
    const { resource } = this;
    const newest = this.#isNewestFirst ? resource.newestFirst : undefined;
    const query = { ...this.query(defaults), ...newest, limit };
    try {
      yield* openListing(resource, query, {
        client,
        status,
        concurrency: limits.concurrency,
        signal: context.signal,
        onErrors: serviceErrors.add,
        onDetail: (text) => notices.detail(text),
      });
    } catch (error) {
      throw serviceErrors.explain(error, resource.fiscalIds);
    }
  }
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

/** Each value is an ID, several with commas, `@file` or `@-` (standard input) with an ID a line. In order, each once. */
export async function readFiscalIds(
  flag: string,
  values: readonly string[],
  stdin: InputStream,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const hint = 'Name a file with one ID on each line, or @- for standard input.';
  const name = values.find((value) => !value.startsWith('@') && /\p{L}/u.test(value) && !/\d/.test(value));
  if (name !== undefined) throw namedCounterparty(flag, name);
  for (const value of values) {
    const text = value.startsWith('@') ? await readTyped(flag, value, { stdin, hint }) : value;
    for (const id of text.split(/[\n,]/).map((part) => part.trim())) if (id !== '') ids.add(id);
  }
  if (ids.size === 0) {
    throw new UsageError(`${flag}: no fiscal ID given`, { hint: 'Leave the flag out to get everything.' });
  }
  return [...ids];
}

function namedCounterparty(flag: string, name: string): UsageError {
  const isPlain = /^[\p{L}\p{N}_.-]+$/u.test(name);
  const where = (column: string): string => {
    const condition = `${column}~${name}`;
    return `--where ${isPlain ? condition : `'${condition.replaceAll("'", '.')}'`}`;
  };
  const [payable, find] =
    flag === '--customer-fiscal-id'
      ? ['', `customers --columns fiscalId,name ${where('name')}`]
      : [' --payable', `received --columns issuer.fiscalId,issuer.name ${where('issuer.name')}`];
  return new UsageError(`${flag} ${name}: a fiscal ID has digits, and this is a name`, {
    hint: `Find the ID by name: folio ${find}. What is owed, by name: folio aging${payable} ${where('counterpartyName')}.`,
  });
}

export function listsIn(flag: string, values: readonly string[] = []): readonly ReadPath[] {
  const files = values.filter((value) => value.startsWith('@') && value !== '@-');
  return files.map((value) => ({ path: value.slice(1), is: `the list of ${flag}` }));
}

/** The text that `value` names: `@file`, or `@-` for standard input. `hint` is for a file that cannot be read. Throws UsageError. */
export async function readTyped(
  flag: string,
  value: string,
  { stdin, hint }: { readonly stdin: InputStream; readonly hint: string },
): Promise<string> {
  if (value === '@-') return stdin.readAll();
  try {
    return typedText(await promises.readFile(value.slice(1)));
  } catch (cause) {
    throw new UsageError(`${flag} ${value}: ${systemReason(cause)}`, { hint, cause });
  }
}
