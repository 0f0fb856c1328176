import { isJsonObject } from '../json/json-object.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import type { ListEncoding } from '../api/address.ts';
import { RefusedQuery, UnknownFiscalIds } from '../api/status-failure.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import type { Delivery } from '../paging/page.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { existsWithoutIds, type ListingQuery, type OpenListingOptions } from './listing-pages.ts';
import type { Resource } from './resource.ts';

/** What a walk by fiscal IDs is made of. */
export interface FiscalIdWalkOptions {
  readonly resource: Resource;
  /** With at least one fiscal ID. */
  readonly query: ListingQuery;
  readonly options: OpenListingOptions;
  /** Walks the listing of one query, as it stands. */
  readonly openQuery: (
    resource: Resource,
    query: ListingQuery,
    options: OpenListingOptions,
  ) => AsyncGenerator<Delivery>;
}

/** The service's 400 to a query with fiscal IDs. */
type Refusal = UnknownFiscalIds | RefusedQuery;

/** What the service said to one fiscal ID alone. */
export interface OwnAnswer {
  readonly id: string;
  readonly batches: readonly RecordBatch[];
  readonly status: WalkStatus;
  /** The refusal, where nobody has the ID. */
  readonly refusal?: Refusal;
}

/** Asks for fiscal IDs one by one: a single ID has no spelling, but that a service may know a parameter by its brackets. */
export class FiscalIdsAlone {
  /** The refusal of the only ID, where it was asked for before. */
  plainRefusal: Refusal | undefined;
  readonly #walk: FiscalIdWalkOptions;
  /** Whether the service took an ID without brackets. */
  #takesPlain = false;
  #isQueryFine: Promise<boolean> | undefined;

  constructor(walk: FiscalIdWalkOptions) {
    this.#walk = walk;
  }

  /**
   * What the service says to each of these IDs, several requests at once, in their order.
   *
   * @param limit records of each, at most
   */
  async *each(ids: readonly string[], limit: number | undefined): AsyncGenerator<OwnAnswer> {
    const { concurrency, signal } = this.#walk.options;
    const ask = (id: string, within: AbortSignal): Promise<OwnAnswer> =>
      this.#own(id, { limit, signal: within });
    yield* mapInOrder(ids, ask, { concurrency, ahead: concurrency, signal });
  }

  /** Whether a refusal is one of the IDs, and not the rest of the query. Asks for the listing without them, once. */
  async refuses(refusal: Refusal): Promise<boolean> {
    if (refusal instanceof UnknownFiscalIds) return true;
    const { resource, query, options } = this.#walk;
    // Where this request fails, too, the service's first answer counts.
    this.#isQueryFine ??= existsWithoutIds(resource, query, options).catch(() => false);
    return this.#isQueryFine;
  }

  async #own(id: string, request: OwnRequest): Promise<OwnAnswer> {
    const { listEncoding } = this.#walk.query;
    const plain =
      this.plainRefusal === undefined
        ? await this.#ownAs(id, 'comma', request)
        : { id, batches: [], status: this.#walk.options.status.part(), refusal: this.plainRefusal };
    this.#takesPlain ||= plain.refusal === undefined;
    const mayBeBracketed = listEncoding === undefined || listEncoding === 'brackets';
    if (this.#takesPlain || !mayBeBracketed || namesAll(plain.refusal, [id])) return plain;
    const bracketed = await this.#ownAs(id, 'brackets', request);
    const seen = new FiscalIdsSeen([id]);
    for (const records of bracketed.batches) await runCooperatively(seen.look(records), request.signal);
    // Without a record of the ID, the service may have ignored the parameter.
    return seen.has(id) ? bracketed : plain;
  }

  /** What the service says to one ID in one spelling. */
  async #ownAs(id: string, listEncoding: ListEncoding, { limit, signal }: OwnRequest): Promise<OwnAnswer> {
    const { resource, query, options, openQuery } = this.#walk;
    const status = options.status.part();
    const own = { ...query, fiscalIds: [id], listEncoding, limit };
    const batches: RecordBatch[] = [];
    try {
      for await (const { records } of openQuery(resource, own, {
        ...options,
        ...{ status, signal },
      })) {
        batches.push(records);
      }
      return { id, batches, status };
    } catch (error) {
      if (!isRefusal(error) || !(await this.refuses(error))) throw error;
      return { id, batches, status, refusal: error };
    }
  }
}

interface OwnRequest {
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
}

/** Whether an error is the service's 400 to a query with fiscal IDs. */
export function isRefusal(error: unknown): error is Refusal {
  return error instanceof UnknownFiscalIds || error instanceof RefusedQuery;
}

/** Whether a refusal names each of the IDs: then the service has read the list. */
export function namesAll(refusal: unknown, ids: readonly string[]): boolean {
  if (!(refusal instanceof UnknownFiscalIds)) return false;
  const named = new Set(refusal.fiscalIds.map(foldFiscalId));
  return ids.every((id) => named.has(foldFiscalId(id)));
}

/** Records of a page that are looked at in one step. */
const STEP = 64;
/** The longest value that may be a fiscal ID. */
const MAX_LENGTH = 40;
/** How deep in a record its fiscal ID may stand. */
const MAX_DEPTH = 4;

/**
 * Finds out of which fiscal IDs an answer has records. The specification does not say where a record has the ID of its
 * customer or issuer (spec 4.9), so every column counts in which all records have one of the IDs that were asked for.
 */
export class FiscalIdsSeen {
  readonly #asked: ReadonlySet<string>;
  readonly #unknown = new Set<string>();
  /** The columns that may be the one, each with the IDs seen in it; undefined before the first record. */
  #columns: Map<string, Set<string>> | undefined;

  constructor(fiscalIds: readonly string[]) {
    this.#asked = new Set(fiscalIds.map(foldFiscalId));
  }

  /** Notes an ID that the service says nobody has. */
  addUnknown(fiscalId: string): void {
    this.#unknown.add(foldFiscalId(fiscalId));
  }

  /** Looks at the next records. Returns false where there is no such column: some may be records of other IDs. */
  *look(records: RecordBatch): CooperativeTask<boolean> {
    for (let index = 0; index < records.count; index++) {
      if (index % STEP === STEP - 1) yield;
      const found = new Map<string, string>();
      this.#find(JSON.parse(recordBytes(records, index).toString()), '', { found, depth: 0 });
      this.#columns ??= new Map([...found.keys()].map((column) => [column, new Set()]));
      for (const [column, ids] of this.#columns) {
        const id = found.get(column);
        if (id === undefined) this.#columns.delete(column);
        else ids.add(id);
      }
    }
    return this.#columns === undefined || this.#columns.size > 0;
  }

  /** Of how many IDs there were records: in each of the columns, where it could be several. */
  get count(): number {
    const counts = [...(this.#columns?.values() ?? [])].map(({ size }) => size);
    return counts.length === 0 ? 0 : Math.min(...counts);
  }

  /** Whether the service said of an ID that nobody has it, or sent records of it. */
  has(fiscalId: string): boolean {
    const id = foldFiscalId(fiscalId);
    const columns = [...(this.#columns?.values() ?? [])];
    return this.#unknown.has(id) || (columns.length > 0 && columns.every((ids) => ids.has(id)));
  }

  #find(
    value: unknown,
    column: string,
    { found, depth }: { readonly found: Map<string, string>; readonly depth: number },
  ): void {
    if (isJsonObject(value)) {
      if (depth === MAX_DEPTH) return;
      for (const [name, member] of Object.entries(value))
        this.#find(member, `${column}.${name}`, { found, depth: depth + 1 });
    } else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const id = text.length > MAX_LENGTH ? '' : foldFiscalId(text);
      if (this.#asked.has(id)) found.set(column, id);
    }
  }
}
