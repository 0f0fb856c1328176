import { LIST_ENCODINGS, queryString, type ListEncoding } from '../api/address.ts';
import { readPartialErrors } from '../api/error-body.ts';
import { RefusedQuery, UnknownFiscalIds } from '../api/status-failure.ts';
import { UsageError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { runCooperatively } from '../json/cooperative-task.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import type { Delivery } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { FiscalIdsSeen } from './fiscal-ids-seen.ts';
import {
  filterParameters,
  keyColumns,
  probeListing,
  type ListingQuery,
  type OpenListingOptions,
} from './listing-pages.ts';
import type { Resource } from './resource.ts';

/** Bytes of an address, at most: servers and gateways refuse longer ones from 8,192 on. */
const MAX_ADDRESS = 8_000;
/** What an address has besides its path and filters: the base address, the page, its size, the order. */
const ALLOWANCE = 400;
/** Unknown fiscal IDs, asked for one by one, after which the others are not asked for where none was known. */
const MOST_UNKNOWN = 20;

/** Walks the listing of one query, as it stands. */
type OpenQuery = (
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
) => AsyncGenerator<Delivery>;

/** The service's 400 to a query with fiscal IDs. */
type Refusal = UnknownFiscalIds | RefusedQuery;

/** What the service said to one fiscal ID alone. */
interface OwnAnswer {
  readonly id: string;
  readonly batches: readonly RecordBatch[];
  readonly status: WalkStatus;
  /** The refusal, where nobody has the ID. */
  readonly refusal?: Refusal;
}

/**
 * Walks a listing by fiscal IDs, with as many of them at a time as an address can hold. A record of several requests is given
 * once. IDs that nobody has go to `onErrors` in the service's form. Where nobody has any, throws UnknownFiscalIds.
 *
 * The specification does not say how a list is written (spec 4.9). A service that takes `a,b` for one ID refuses it, since
 * nobody has such an ID. Other spellings fail without a word: of `x=a&x=b`, many programs read the last or the first, and
 * `x[]=a` they may ignore. So an answer in another spelling than commas counts only for the IDs that its records show:
 * - the others are asked for again in the same spelling, last first, where it brought the records of two or more IDs;
 * - otherwise in the next spelling, and in the end one by one, which leaves nothing to be understood in two ways.
 */
export class FiscalIdWalk {
  readonly #resource: Resource;
  readonly #query: ListingQuery;
  readonly #options: OpenListingOptions;
  readonly #openQuery: OpenQuery;
  /** The spellings that may be understood, the likeliest first. */
  #spellings: readonly ListEncoding[];
  /** The spelling in which the service was seen to read several IDs. */
  #understood: ListEncoding | undefined;
  #given: UniqueRecords | undefined;
  /** Whether the service answered for at least one ID. */
  #answered = false;
  /** IDs that were asked for alone. */
  readonly #asked = new Set<string>();
  readonly #unknown = new Set<string>();
  #warnings: readonly string[] = [];
  /** Records given of answers that turned out to hold those of other IDs, and how many of them came again. */
  #strays = { given: 0, again: 0 };

  /** The refusal of the only ID, where it was asked for before. */
  #plainRefusal: Refusal | undefined;
  /** Whether the service took an ID without brackets. */
  #takesPlain = false;
  #isQueryFine: Promise<boolean> | undefined;

  /** @param query with at least one fiscal ID */
  constructor(
    { resource, query, options }: { resource: Resource; query: ListingQuery; options: OpenListingOptions },
    openQuery: OpenQuery,
  ) {
    this.#resource = resource;
    this.#query = query;
    this.#options = options;
    this.#openQuery = openQuery;
    this.#spellings = query.listEncoding === undefined ? LIST_ENCODINGS : [query.listEncoding];
  }

  async *walk(): AsyncGenerator<Delivery> {
    const { fiscalIds, strict = false } = this.#query;
    const spelling = this.#spellings[0]!;
    const isPlain = spelling === 'comma' || (fiscalIds.length === 1 && spelling === 'repeat');
    const isWhole = isPlain && this.#cut(fiscalIds, spelling).length === 1 && (yield* this.#plain());
    if (!isWhole) yield* this.#inParts();
    if (strict && !this.#resource.fiscalIds!.namesUnknown) await this.#findUnknown();
    this.#tellUnknown();
  }

  /** Walks a query that is one address. Returns false where the service does not understand its list. */
  async *#plain(): AsyncGenerator<Delivery, boolean> {
    const { fiscalIds } = this.#query;
    let begun = false;
    try {
      for await (const delivery of this.#open(this.#query, this.#options)) {
        begun = true;
        yield delivery;
      }
      return true;
    } catch (error) {
      if (begun || !isRefusal(error) || !(await this.#refusesIds(error))) throw error;
      if (namesAll(error, fiscalIds)) throw this.#noneOf(fiscalIds, error);
      if (fiscalIds.length === 1) this.#plainRefusal = error;
      this.#spellings = this.#spellings.slice(1);
      return false;
    }
  }

  async *#inParts(): AsyncGenerator<Delivery> {
    const { fiscalIds, page, listEncoding } = this.#query;
    if (page !== undefined && this.#cut(fiscalIds, listEncoding ?? 'repeat').length > 1)
      this.#refusePage(fiscalIds);
    // The totals of the parts do not tell how many records they share.
    this.#given = await UniqueRecords.of({ ...keyColumns(this.#resource, this.#query), exact: true });
    let open = fiscalIds;
    for (const spelling of this.#spellings) {
      if (open.length < 2 && listEncoding !== 'brackets') break;
      open = yield* this.#spelled(open, spelling);
      if (this.#understood !== spelling) continue;
      if (spelling === 'comma') {
        this.#noteUnknown(open, undefined);
        open = [];
      } else open = yield* this.#spelled(open.toReversed(), spelling);
      break;
    }
    if (open.length > 0 && this.#left > 0) yield* this.#oneByOne(open);
    if (!this.#answered && this.#unknown.size > 0) throw this.#noneOf([...this.#unknown], undefined);
    const { given, again } = this.#strays;
    if (again < given) this.#noteIncomplete(given - again);
  }

  /** Asks for IDs in one spelling, in as many requests as it takes. Returns those for which it proves nothing. */
  async *#spelled(ids: readonly string[], spelling: ListEncoding): AsyncGenerator<Delivery, string[]> {
    const open: string[] = [];
    for (const part of ids.length === 0 ? [] : this.#cut(ids, spelling)) {
      if (this.#left <= 0) break;
      open.push(...(yield* this.#list(part, spelling)));
    }
    return open;
  }

  async *#list(ids: readonly string[], spelling: ListEncoding): AsyncGenerator<Delivery, readonly string[]> {
    const left = this.#left;
    const status = this.#options.status.part();
    const isUnderstood = spelling === this.#understood;
    const seen = spelling === 'comma' ? undefined : new FiscalIdsSeen(ids);
    const onErrors = (errors: Buffer): void => {
      for (const id of readPartialErrors(errors).missingFiscalIds) seen?.addUnknown(id);
      this.#options.onErrors(errors);
    };
    const query = { ...this.#query, fiscalIds: ids, listEncoding: spelling, limit: limitOf(left) };
    // A part of a list proves little: it is given once its total was checked.
    const isPart = seen !== undefined && (left < Infinity || query.page !== undefined);
    const held: RecordBatch[] = [];
    let given = 0;
    let isForeign = false;
    this.#given?.beginPass('pass');
    try {
      for await (const { records } of this.#open(query, { ...this.#options, status, onErrors })) {
        isForeign ||=
          seen !== undefined && !(await runCooperatively(seen.look(records), this.#options.signal));
        if (isForeign && (isPart || given === 0)) break;
        given += records.count;
        if (isPart) held.push(records);
        else yield* this.#fresh(records);
      }
    } catch (error) {
      if (given > 0 || !isRefusal(error) || !(await this.#refusesIds(error))) throw error;
      const isRead = isUnderstood && !(error instanceof UnknownFiscalIds);
      if (!isRead && !namesAll(error, ids)) return ids;
      this.#noteUnknown(ids, error);
      return [];
    }
    if (seen !== undefined && seen.count > 1) this.#tellSpelling(spelling);
    const open = seen === undefined ? [] : ids.filter((id) => !seen.has(id));
    const isCut = isPart && (given >= left || query.page !== undefined);
    const isUnproven = isCut && open.length > 0 && spelling !== this.#understood;
    if (isForeign || (isUnproven && !(await this.#isTotalOf(ids, status)))) {
      this.#options.status.addCalls(status);
      if (!isPart) this.#strays.given += given;
      return ids;
    }
    this.#options.status.addPart(status);
    for (const records of held) yield* this.#fresh(records);
    this.#answered ||= seen === undefined || given > 0;
    if (seen === undefined) {
      if (ids.length > 1) this.#understood = spelling;
      return [];
    }
    // Of a list that is read whole, the IDs without records have none.
    return isCut || (isUnderstood && given === 0) ? [] : open;
  }

  /** Asks for each of these IDs by itself, and gives its records. */
  async *#oneByOne(ids: readonly string[]): AsyncGenerator<Delivery> {
    const isOne = this.#query.fiscalIds.length === 1;
    if (this.#query.page !== undefined && !isOne) this.#refusePage(ids);
    if (!isOne) {
      this.#options.onDetail?.(
        `fiscal IDs asked for one by one, as no list of them proves whole: ${ids.length}`,
      );
    }
    for await (const { id, batches, status } of this.#each(ids, limitOf(this.#left))) {
      const left = this.#left;
      this.#given?.beginPass('pass');
      for (const records of batches) {
        if (this.#strays.given > 0) this.#strays.again += records.count;
        yield* this.#fresh(records);
      }
      this.#options.status.addPart(status);
      if (this.#left > 0) continue;
      const { totalAtEnd = 0 } = status;
      // Which records of several IDs are the first ones in the order of the listing, only the service could say.
      if (!isOne && (totalAtEnd > left || id !== ids.at(-1)))
        this.#noteIncomplete(Math.max(1, totalAtEnd - left));
      return;
    }
  }

  /**
   * What the service says to each of these IDs alone, several requests at once, in their order.
   *
   * @param limit records of each, at most
   */
  async *#each(ids: readonly string[], limit: number | undefined): AsyncGenerator<OwnAnswer> {
    const { concurrency, signal } = this.#options;
    const ask = (id: string, within: AbortSignal): Promise<OwnAnswer> => this.#alone(id, limit, within);
    let unknown = 0;
    for await (const answer of mapInOrder(ids, ask, { concurrency, ahead: concurrency, signal })) {
      this.#asked.add(answer.id);
      if (answer.refusal === undefined) this.#answered = true;
      else this.#noteUnknown([answer.id], answer.refusal);
      yield answer;
      if (!this.#answered && ++unknown >= MOST_UNKNOWN) return;
    }
  }

  /** Asks for one ID, which has no spelling, but that a service may know a parameter by its brackets. */
  async #alone(id: string, limit: number | undefined, signal: AbortSignal): Promise<OwnAnswer> {
    const { listEncoding } = this.#query;
    const status = this.#options.status.part();
    const plain =
      this.#plainRefusal === undefined
        ? await this.#aloneAs('comma', { id, limit, signal })
        : { id, batches: [], status, refusal: this.#plainRefusal };
    this.#takesPlain ||= plain.refusal === undefined;
    const mayBeBracketed = listEncoding === undefined || listEncoding === 'brackets';
    if (this.#takesPlain || !mayBeBracketed || namesAll(plain.refusal, [id])) return plain;
    const bracketed = await this.#aloneAs('brackets', { id, limit, signal });
    const seen = new FiscalIdsSeen([id]);
    for (const records of bracketed.batches) await runCooperatively(seen.look(records), signal);
    // Without a record of the ID, the service may have ignored the parameter.
    return seen.has(id) ? bracketed : plain;
  }

  async #aloneAs(
    listEncoding: ListEncoding,
    { id, limit, signal }: { id: string; limit: number | undefined; signal: AbortSignal },
  ): Promise<OwnAnswer> {
    const status = this.#options.status.part();
    const batches: RecordBatch[] = [];
    const own = { ...this.#query, fiscalIds: [id], listEncoding, limit };
    try {
      for await (const { records } of this.#open(own, { ...this.#options, status, signal }))
        batches.push(records);
      return { id, batches, status };
    } catch (error) {
      if (!isRefusal(error) || !(await this.#refusesIds(error))) throw error;
      return { id, batches, status, refusal: error };
    }
  }

  /**
   * Whether a refusal is one of the IDs, and not the rest of the query. Asks for the listing without them, once: where the service
   * answers, none of the IDs exist, whatever the refusal said (spec 4.2 rule 2).
   */
  async #refusesIds(refusal: Refusal): Promise<boolean> {
    if (refusal instanceof UnknownFiscalIds) return true;
    // Where this request fails, too, the service's first answer counts.
    const { client, signal } = this.#options;
    const filters = filterParameters(this.#resource, { ...this.#query, fiscalIds: [] });
    this.#isQueryFine ??= probeListing(client, this.#resource, { signal, filters }).then(
      () => true,
      () => false,
    );
    return this.#isQueryFine;
  }

  /** Whether the total of a list is that of its IDs together. */
  async #isTotalOf(ids: readonly string[], { totalAtEnd }: WalkStatus): Promise<boolean> {
    let total = 0;
    for await (const { status } of this.#each(ids, 1)) total += status.totalAtEnd ?? 0;
    return total === totalAtEnd;
  }

  /** Finds out which of the IDs nobody has, since this listing does not say so of some among several. */
  async #findUnknown(): Promise<void> {
    const ids = this.#query.fiscalIds.filter((id) => !this.#asked.has(id) && !this.#unknown.has(id));
    for await (const _ of this.#each(ids, 1)) continue;
  }

  #open(query: ListingQuery, options: OpenListingOptions): AsyncGenerator<Delivery> {
    return this.#openQuery(this.#resource, query, options);
  }

  /** Gives the records that were not given before. */
  async *#fresh(records: RecordBatch): AsyncGenerator<Delivery> {
    const { status, signal } = this.#options;
    const given = (this.#given ??= new UniqueRecords());
    const deduplicated = await runCooperatively(given.deduplicate(records, false), signal);
    const fresh = sliceRecords(deduplicated.fresh, 0, this.#left);
    status.records += fresh.count;
    status.repeat(deduplicated.again);
    if (fresh.count > 0) yield { records: fresh };
  }

  /** How many more records are wanted. */
  get #left(): number {
    return (this.#query.limit ?? Infinity) - this.#options.status.records;
  }

  /** The IDs in parts that an address can hold. */
  #cut(fiscalIds: readonly string[], spelling: ListEncoding): string[][] {
    const { parameter } = this.#resource.fiscalIds!;
    const bare = { ...this.#query, fiscalIds: [] };
    const filters = queryString(filterParameters(this.#resource, bare)).length;
    const rest = MAX_ADDRESS - ALLOWANCE - filters - this.#resource.path.length - parameter.length;
    const parts: string[][] = [];
    let [part, length]: [string[], number] = [[], 0];
    for (const id of fiscalIds) {
      const more = queryString([[spelling === 'comma' ? '' : `${parameter}[]`, id]]).length + 1;
      if (part.length > 0 && length + more > rest) {
        parts.push(part);
        [part, length] = [[], 0];
      }
      part.push(id);
      length += more;
    }
    parts.push(part);
    return parts;
  }

  #noteUnknown(ids: readonly string[], refusal: unknown): void {
    for (const id of ids) this.#unknown.add(id);
    if (refusal instanceof UnknownFiscalIds) this.#warnings = refusal.warnings;
  }

  #noneOf(ids: readonly string[], refusal: unknown): UnknownFiscalIds {
    return new UnknownFiscalIds(ids, refusal instanceof UnknownFiscalIds ? refusal.warnings : this.#warnings);
  }

  #refusePage(ids: readonly string[]): never {
    throw new UsageError(`--page does not go with ${ids.length} fiscal IDs: they take several requests`, {
      hint: 'Give fewer IDs, or leave out --page.',
    });
  }

  #noteIncomplete(records: number): void {
    const { status } = this.#options;
    status.setIncomplete(status.incomplete + records, 'ids');
  }

  #tellSpelling(spelling: ListEncoding): void {
    if (this.#understood === spelling) return;
    this.#understood = spelling;
    if (this.#query.listEncoding !== undefined) return;
    this.#options.onDetail?.(
      `the service takes no list with commas: sent as the setting listEncoding ${spelling} does`,
    );
  }

  /** Reports the unknown IDs in the form of the service (spec 2.4). */
  #tellUnknown(): void {
    const errors = [...this.#unknown].map((fiscalId) => ({
      _type: 'EmptyResponseError',
      requestName: 'byFiscalId',
      requestParams: { fiscalId },
    }));
    this.#options.onErrors(Buffer.from(JSON.stringify(errors)));
  }
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof UnknownFiscalIds || error instanceof RefusedQuery;
}

/** Whether a refusal names each of the IDs: then the service has read the list. */
function namesAll(refusal: unknown, ids: readonly string[]): boolean {
  if (!(refusal instanceof UnknownFiscalIds)) return false;
  const named = new Set(refusal.fiscalIds.map(foldFiscalId));
  return ids.every((id) => named.has(foldFiscalId(id)));
}

function limitOf(left: number): number | undefined {
  return left === Infinity ? undefined : left;
}
