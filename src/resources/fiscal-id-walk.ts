import { LIST_ENCODINGS, queryString, type ListEncoding } from '../api/address.ts';
import { readPartialErrors } from '../api/error-body.ts';
import { UnknownFiscalIds } from '../api/status-failure.ts';
import { RefusedQuery, UsageError } from '../errors.ts';
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
  openListing,
  probeListing,
  type ListingQuery,
  type OpenListingOptions,
} from './listing-pages.ts';
import type { Resource } from './resource.ts';

/** Bytes of an address, at most: servers and gateways refuse longer ones from 8,192 on. */
const MAX_ADDRESS = 8_000;
/** What an address has besides its path and filters: the base address, the page, its size. */
const ALLOWANCE = 400;
/** IDs are requested one by one until this many are unknown, and none is known. */
const MOST_UNKNOWN = 20;

/** The service's 400 to a query with fiscal IDs. */
type Refusal = UnknownFiscalIds | RefusedQuery;

/** The answer to one fiscal ID alone. */
interface OwnAnswer {
  readonly id: string;
  readonly batches: readonly RecordBatch[];
  readonly status: WalkStatus;
  /** The refusal, if the ID does not exist. */
  readonly refusal?: Refusal;
}

/**
 * Walks a listing by fiscal IDs, with as many of them at a time as an address can hold. A record of several requests is delivered
 * once. Unknown IDs go to `onErrors` in the service's form. If all are unknown, it throws UnknownFiscalIds.
 *
 * The specification does not say how a list is written (spec 4.9). A service that takes `a,b` for one ID refuses it, since
 * nobody has such an ID. Other spellings fail silently: of `x=a&x=b`, many programs read the last or the first, and
 * `x[]=a` they may ignore. So an answer in another spelling than commas counts only for the IDs that its records show:
 * - the others are requested again in the same spelling, last first, where it brought the records of two or more IDs;
 * - otherwise in the next spelling, and in the end one by one, which leaves nothing to be understood in two ways.
 */
export function openByFiscalIds(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  return new FiscalIdWalk(resource, query, options).walk();
}

class FiscalIdWalk {
  readonly #resource: Resource;
  readonly #query: ListingQuery;
  readonly #options: OpenListingOptions;
  /** The spelling in which the service was seen to read several IDs. */
  #understood: ListEncoding | undefined;
  #delivered: UniqueRecords | undefined;
  /** Whether the service answered for at least one ID. */
  #answered = false;
  /** IDs that were requested one by one. */
  readonly #alone = new Set<string>();
  readonly #unknown = new Set<string>();
  #warnings: readonly string[] = [];
  /** Records delivered from answers with records of other IDs, less those that came again in other answers. */
  #strays = 0;
  /** The refusal of the only ID, where it was requested before. */
  #plainRefusal: Refusal | undefined;
  /** Whether the service took an ID without brackets. */
  #takesPlain = false;
  #isQueryFine: Promise<boolean> | undefined;

  constructor(resource: Resource, query: ListingQuery, options: OpenListingOptions) {
    this.#resource = resource;
    this.#query = query;
    this.#options = options;
  }

  async *walk(): AsyncGenerator<Delivery> {
    const { fiscalIds, listEncoding, strict = false } = this.#query;
    const spellings = listEncoding === undefined ? LIST_ENCODINGS : [listEncoding];
    let unproven = fiscalIds;
    for (const spelling of spellings) {
      // A single ID is not a list: another spelling is the same request, except for brackets, which come last.
      if (unproven.length < 2 && spelling !== spellings[0]) break;
      unproven = yield* this.#walkLists(unproven, spelling);
      if (this.#understood !== spelling) continue;
      unproven = yield* this.#walkLists(unproven.toReversed(), spelling);
      break;
    }
    if (unproven.length > 0 && this.#left > 0) yield* this.#oneByOne(unproven);
    if (!this.#answered && this.#unknown.size > 0)
      throw new UnknownFiscalIds([...this.#unknown], this.#warnings);
    if (this.#strays > 0) this.#addIncomplete(this.#strays);
    // This listing does not report which of several IDs are unknown.
    if (strict && !this.#resource.fiscalIds!.namesUnknown) {
      const ids = fiscalIds.filter((id) => !this.#alone.has(id) && !this.#unknown.has(id));
      for await (const _ of this.#answersOf(ids, 1)) continue;
    }
    this.#reportUnknown();
  }

  /** Requests IDs in one spelling, in as many requests as it takes. Returns those for which the answers prove nothing. */
  async *#walkLists(ids: readonly string[], spelling: ListEncoding): AsyncGenerator<Delivery, string[]> {
    const lists = ids.length === 0 ? [] : this.#cutToAddresses(ids, spelling);
    if (this.#query.page !== undefined && lists.length > 1) refusePage(ids);
    const unproven: string[] = [];
    for (const list of lists) unproven.push(...(yield* this.#walkList(list, spelling)));
    return unproven;
  }

  /**
   * Requests a list. Returns the IDs for which the answer proves nothing. A service that does not understand commas refuses the
   * list, so that an answer is one for each of its IDs; of another spelling it may read a part, so that an answer counts for
   * the IDs that its records show.
   */
  async *#walkList(
    ids: readonly string[],
    spelling: ListEncoding,
  ): AsyncGenerator<Delivery, readonly string[]> {
    const { status: all, signal } = this.#options;
    const left = this.#left;
    const isPlain = spelling === 'comma' || (spelling === 'repeat' && ids.length === 1);
    const seen = isPlain ? undefined : new FiscalIdsSeen(ids);
    // The only answer is delivered as it comes, page by page, with its total and the places of its records.
    const isOnly = isPlain && ids.length === this.#query.fiscalIds.length;
    const status = isOnly ? all : all.subwalk();
    const onErrors = (errors: Buffer): void => {
      for (const id of readPartialErrors(errors).missingFiscalIds) seen?.addUnknown(id);
      this.#options.onErrors(errors);
    };
    const query = { ...this.#query, fiscalIds: ids, listEncoding: spelling, limit: left };
    // A part of a list proves little: it is delivered once its total was checked.
    const isPart = seen !== undefined && (left < Infinity || query.page !== undefined);
    const held: RecordBatch[] = [];
    let count = 0;
    let isForeign = false;
    if (!isOnly) await this.#beginAnswer();
    try {
      const options = { ...this.#options, status, onErrors };
      for await (const delivery of openListing(this.#resource, query, options)) {
        const { records } = delivery;
        isForeign = seen !== undefined && !(await runCooperatively(seen.read(records), signal));
        if (isForeign) break;
        count += records.count;
        if (isOnly) yield delivery;
        else if (isPart) held.push(records);
        else yield* this.#deliver(records);
      }
    } catch (error) {
      if (count > 0) throw error;
      return this.#unprovenBy(error, ids, spelling);
    }
    if (ids.length > 1 && (seen === undefined || seen.count > 1)) this.#noteSpelling(spelling);
    const unproven = seen === undefined ? [] : ids.filter((id) => !seen.has(id));
    const isCut = isPart && (count >= left || query.page !== undefined);
    const needsTotal = isCut && unproven.length > 0 && spelling !== this.#understood;
    if (isForeign || (needsTotal && !(await this.#isTotalOf(ids, status)))) {
      all.addCalls(status);
      if (!isPart) this.#strays += count;
      return ids;
    }
    if (!isOnly) all.addSubwalk(status);
    for (const records of held) yield* this.#deliver(records);
    this.#answered ||= count > 0 || seen === undefined;
    // Where the service is known to read lists in this spelling, an empty answer is one for all of the IDs.
    return isCut || (spelling === this.#understood && count === 0) ? [] : unproven;
  }

  /** The IDs for which a failed request of a list proves nothing. Throws the error where it is not a refusal of the IDs. */
  async #unprovenBy(
    error: unknown,
    ids: readonly string[],
    spelling: ListEncoding,
  ): Promise<readonly string[]> {
    if (!(await this.#refusesIds(error))) throw error;
    const isRead = spelling === this.#understood && !(error instanceof UnknownFiscalIds);
    if (isRead || namesAll(error, ids)) {
      this.#addUnknown(ids, error);
      return [];
    }
    if (this.#query.fiscalIds.length === 1 && spelling !== 'brackets') this.#plainRefusal = error as Refusal;
    return ids;
  }

  /** Requests each of these IDs by itself, and delivers its records. */
  async *#oneByOne(ids: readonly string[]): AsyncGenerator<Delivery> {
    const { status, onDetail } = this.#options;
    const isOne = this.#query.fiscalIds.length === 1;
    if (this.#query.page !== undefined && !isOne) refusePage(ids);
    if (!isOne)
      onDetail?.(`${ids.length} fiscal IDs are requested one by one: the service may read lists in part`);
    for await (const { id, batches, status: own } of this.#answersOf(ids, this.#left)) {
      const left = this.#left;
      await this.#beginAnswer();
      for (const records of batches) yield* this.#deliver(records);
      status.addSubwalk(own);
      if (this.#left > 0) continue;
      const { totalAtEnd = 0 } = own;
      // Only the service could tell which records of several IDs come first in the order of the listing.
      if (!isOne && (totalAtEnd > left || id !== ids.at(-1)))
        this.#addIncomplete(Math.max(1, totalAtEnd - left));
      return;
    }
  }

  /**
   * The answers to each of these IDs alone, several requests at once, in their order.
   *
   * @param limit records of each, at most
   */
  async *#answersOf(ids: readonly string[], limit: number): AsyncGenerator<OwnAnswer> {
    const { concurrency, signal } = this.#options;
    const request = (id: string, within: AbortSignal): Promise<OwnAnswer> =>
      this.#answerOf(id, limit, within);
    let unknown = 0;
    for await (const answer of mapInOrder(ids, request, { concurrency, ahead: concurrency, signal })) {
      this.#alone.add(answer.id);
      if (answer.refusal === undefined) this.#answered = true;
      else this.#addUnknown([answer.id], answer.refusal);
      yield answer;
      if (!this.#answered && ++unknown >= MOST_UNKNOWN) return;
    }
  }

  /** Requests one ID. A single value has no list spelling, but a service may expect the parameter with brackets. */
  async #answerOf(id: string, limit: number, signal: AbortSignal): Promise<OwnAnswer> {
    const { listEncoding } = this.#query;
    const requestAs = async (spelling: ListEncoding): Promise<OwnAnswer> => {
      const status = this.#options.status.subwalk();
      const batches: RecordBatch[] = [];
      const query = { ...this.#query, fiscalIds: [id], listEncoding: spelling, limit };
      const options = { ...this.#options, status, signal };
      try {
        if (spelling === 'comma' && this.#plainRefusal !== undefined) throw this.#plainRefusal;
        for await (const { records } of openListing(this.#resource, query, options)) batches.push(records);
        return { id, batches, status };
      } catch (error) {
        if (!(await this.#refusesIds(error))) throw error;
        return { id, batches, status, refusal: error as Refusal };
      }
    };
    const plain = await requestAs('comma');
    this.#takesPlain ||= plain.refusal === undefined;
    const mayBeBracketed = listEncoding === undefined || listEncoding === 'brackets';
    if (this.#takesPlain || !mayBeBracketed || namesAll(plain.refusal, [id])) return plain;
    const bracketed = await requestAs('brackets');
    const seen = new FiscalIdsSeen([id]);
    for (const records of bracketed.batches) await runCooperatively(seen.read(records), signal);
    // Without a record of the ID, the service may have ignored the parameter.
    return seen.has(id) ? bracketed : plain;
  }

  /**
   * Whether an error is a refusal of the IDs, and not of the rest of the query. Requests the listing without them, once: where
   * the service answers, none of the IDs exist, whatever the refusal said (spec 4.2 rule 2).
   */
  async #refusesIds(error: unknown): Promise<boolean> {
    if (error instanceof UnknownFiscalIds) return true;
    if (!(error instanceof RefusedQuery)) return false;
    // Where this request fails, too, the service's first answer counts.
    const { client, signal } = this.#options;
    const query = { ...this.#query, fiscalIds: [] };
    this.#isQueryFine ??= probeListing(client, this.#resource, { signal, query }).then(
      () => true,
      () => false,
    );
    return this.#isQueryFine;
  }

  /** Whether the total of a list is that of its IDs together. */
  async #isTotalOf(ids: readonly string[], { totalAtEnd }: WalkStatus): Promise<boolean> {
    let total = 0;
    for await (const { status } of this.#answersOf(ids, 1)) total += status.totalAtEnd ?? 0;
    return total === totalAtEnd;
  }

  /** Begins with the records of another request, of which some may have been delivered. */
  async #beginAnswer(): Promise<void> {
    // The totals of the requests do not tell how many records they share.
    this.#delivered ??= await UniqueRecords.of(keyColumns(this.#resource, this.#query), { isCounted: false });
    this.#delivered.beginPass('pass');
  }

  /** Delivers the records that were not delivered before. */
  async *#deliver(records: RecordBatch): AsyncGenerator<Delivery> {
    const { status, signal } = this.#options;
    const unseen = this.#delivered!.deduplicate(records, { moved: false });
    const deduplicated = await runCooperatively(unseen, signal);
    const fresh = sliceRecords(deduplicated.fresh, 0, this.#left);
    status.records += fresh.count;
    status.repeat(deduplicated.duplicates);
    this.#strays -= deduplicated.duplicates;
    if (fresh.count > 0) yield { records: fresh };
  }

  /** How many more records are wanted. */
  get #left(): number {
    return (this.#query.limit ?? Infinity) - this.#options.status.records;
  }

  /** The IDs in parts that an address can hold, all of about the same length. */
  #cutToAddresses(ids: readonly string[], spelling: ListEncoding): (readonly string[])[] {
    const query = { ...this.#query, fiscalIds: ids, listEncoding: spelling };
    const length = this.#resource.path.length + queryString(filterParameters(this.#resource, query)).length;
    const parts = Math.ceil(length / (MAX_ADDRESS - ALLOWANCE));
    if (parts === 1 || ids.length === 1) return [ids];
    const size = Math.ceil(ids.length / parts);
    const cut: (readonly string[])[] = [];
    for (let from = 0; from < ids.length; from += size)
      cut.push(...this.#cutToAddresses(ids.slice(from, from + size), spelling));
    return cut;
  }

  #addUnknown(ids: readonly string[], refusal: unknown): void {
    for (const id of ids) this.#unknown.add(id);
    if (refusal instanceof UnknownFiscalIds) this.#warnings = refusal.warnings;
  }

  #addIncomplete(records: number): void {
    const { status } = this.#options;
    status.setIncomplete(status.incomplete + records, 'ids');
  }

  #noteSpelling(spelling: ListEncoding): void {
    const isNew = this.#understood !== spelling;
    this.#understood = spelling;
    if (!isNew || spelling === 'comma' || this.#query.listEncoding !== undefined) return;
    this.#options.onDetail?.(
      `the service takes no list with commas: sent as the setting listEncoding ${spelling} does`,
    );
  }

  /** Reports the unknown IDs in the form of the service (spec 2.4). */
  #reportUnknown(): void {
    const errors = [...this.#unknown].map((fiscalId) => ({
      _type: 'EmptyResponseError',
      requestName: 'byFiscalId',
      requestParams: { fiscalId },
    }));
    this.#options.onErrors(Buffer.from(JSON.stringify(errors)));
  }
}

/** Whether a refusal names each of the IDs: then the service has read the list. */
function namesAll(refusal: unknown, ids: readonly string[]): boolean {
  if (!(refusal instanceof UnknownFiscalIds)) return false;
  const named = new Set(refusal.fiscalIds.map(foldFiscalId));
  return ids.every((id) => named.has(foldFiscalId(id)));
}

function refusePage(ids: readonly string[]): never {
  throw new UsageError(`--page does not go with ${ids.length} fiscal IDs: they take several requests`, {
    hint: 'Give fewer IDs, or leave out --page.',
  });
}
