import type { Context } from '../../context.ts';
import { IncompleteError, UsageError, type FolioError } from '../../errors.ts';
import type { Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { sliceRecords, type RecordBatch } from '../../json/records.ts';
import type { Delivery } from '../../paging/page.ts';
import type { SortColumn } from '../../query/question-syntax.ts';
import type { Resource } from '../../resources/resource.ts';
import type { FilterFlags, QuestionFlags } from '../flags.ts';
import type { LocalSource, Part } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { Run } from '../run.ts';
import type { Origin } from '../run-day.ts';
import { listsIn, readFiscalIds } from './listing-source.ts';

export interface FromRequest {
  readonly from: string;
  readonly resource: Resource;
  /** The fund, where the resource is the documents of one fund. */
  readonly id?: string | undefined;
  /** The order that the user wants, and the questions about the records. */
  readonly flags?: Pick<FilterFlags, 'sortBy' | 'sortOrder' | 'strict'> & QuestionFlags;
  /** IDs, `@file` or `@-`. */
  readonly fiscalIds?: readonly string[] | undefined;
  /**
   * What an answer means that is made from a part of the listing: `answer`, as good as any, also from rows of --expand; `warning`; or
   * `failure`, unless the part is that of the fiscal IDs in the filter. The last two are about documents.
   */
  readonly ofPart: 'answer' | 'warning' | 'failure';
}

/** Records read earlier, for --from: those that the service would give, in its order. Sends nothing, and needs no token. */
export abstract class FromSource<Request extends FromRequest> implements LocalSource {
  readonly kind = 'local';
  readonly name: string;
  readonly records: string;
  readonly resource: Resource;
  readonly reads: readonly ReadPath[];
  protected readonly request: Request;
  /** Whose records are read, once it is open, where they say so. */
  protected profiles: readonly string[] = [];
  readonly #flag: string;
  #fiscalIds: readonly string[] = [];
  #lack: FolioError | undefined;

  constructor(request: Request, reads: readonly ReadPath[]) {
    const { resource, fiscalIds } = request;
    ({ name: this.name, records: this.records } = resource);
    this.resource = resource;
    this.request = request;
    this.#flag = `--${resource.fiscalIds?.flag}`;
    this.reads = [...reads, ...listsIn(this.#flag, fiscalIds)];
  }

  /** The records of a profile, or all where they have none. */
  protected abstract stored(
    context: Context,
    profile: string | undefined,
  ): Promise<AsyncIterable<RecordBatch>>;

  /** Checks what is read. Returns when its records were read, and which part of the listing they are. Throws UsageError. */
  protected abstract check(run: Run): Promise<readonly Origin[]>;

  get filter(): { readonly fiscalIds: readonly string[]; readonly strict: boolean } {
    return { fiscalIds: this.#fiscalIds, strict: this.request.flags?.strict === true };
  }

  async open(run: Run, profiles: readonly string[]): Promise<void> {
    const { ofPart, fiscalIds } = this.request;
    const { context, day, notices } = run;
    this.profiles = profiles;
    if (fiscalIds !== undefined) this.#fiscalIds = await readFiscalIds(this.#flag, fiscalIds, context.stdin);
    const origins = await this.check(run);
    day.add(origins);
    for (const { shown, only } of ofPart === 'answer' ? [] : origins) {
      const flags = ofPart === 'failure' ? only.filter((one) => !this.#isOfFilter(one)) : only;
      if (flags.length === 0) continue;
      const text = `${shown}, but a part of them alone: ${flags.join(' ')}`;
      const hint = `Export all of them. Where the question is about one party alone, export them with ${this.#flag} <id>, and name it here, too.`;
      if (ofPart === 'failure') this.#lack = new IncompleteError(text, { hint });
      else notices.warn(text);
    }
  }

  failure(): FolioError | undefined {
    return this.#lack;
  }

  /** Whether a flag of the export left in it all records that the filter keeps. */
  #isOfFilter(flag: string): boolean {
    if (this.#fiscalIds.length === 0 || !flag.startsWith(`${this.#flag} `)) return false;
    const exported = flag
      .slice(this.#flag.length + 1)
      .split(',')
      .map(foldFiscalId);
    return this.#fiscalIds.every((id) => exported.includes(foldFiscalId(id)));
  }

  async *read(part: Part, limit = Infinity): AsyncGenerator<Delivery> {
    const { status, serviceErrors } = part;
    const unknown = new Map(this.#fiscalIds.map((id) => [foldFiscalId(id), id]));
    let seen = 0;
    for await (const batch of await this.#chosen(part, (id) => unknown.delete(id))) {
      const records = sliceRecords(batch, 0, Math.max(0, limit - seen));
      seen += batch.count;
      status.records += records.count;
      if (records.count > 0) yield { records };
    }
    status.totalAtEnd = seen;
    serviceErrors.addUnknown([...unknown.values()]);
  }

  /** Throws UsageError for an order without a known column; `hasOrder`: the source has the order of the service. */
  protected checkOrder(hasOrder: boolean): void {
    const { sortBy, sortOrder } = this.request.flags ?? {};
    if (sortBy !== undefined) this.#sortColumns();
    else if (sortOrder !== undefined && !hasOrder) {
      throw new UsageError(`--sort-order ${sortOrder} turns an order of the service, and a file is read`, {
        hint: SORT_HINT,
      });
    }
  }

  /** The records as the service would choose and order them. `found` is called with the fiscal ID of each that a filter keeps. */
  async #chosen(
    { context, profile, names }: Part,
    found: (fiscalId: string) => void,
  ): Promise<AsyncIterable<RecordBatch>> {
    const { sortBy } = this.request.flags ?? {};
    const records = await this.stored(context, profile);
    if (this.#fiscalIds.length === 0 && sortBy === undefined) return records;
    let chosen = records;
    if (this.#fiscalIds.length > 0) {
      const { WhereFilter } = await import('../../query/where/where.ts');
      const { counterpartyTest } = await import('../../query/where/invoice-tests.ts');
      const test = counterpartyTest(this.#flag, this.#fiscalIds, found);
      chosen = new WhereFilter([test], { names: { fields: names.fields } }).answer(records);
    }
    const columns = this.#sortColumns();
    if (columns.length === 0) return chosen;
    const { sortQuestion } = await import('../../query/sort.ts');
    // The service compares amounts of several currencies.
    const options = { names, currencyOf: () => undefined };
    return sortQuestion(columns, context.signal, options).answer(chosen);
  }

  /** The role that the service means by its key. Throws UsageError for a key that folio does not know. */
  #sortColumns(): readonly SortColumn[] {
    const { sortBy, sortOrder } = this.request.flags ?? {};
    if (sortBy === undefined) return [];
    const roles = { NUMBER: 'number', DATE: 'date', DUE_BY: 'due', AMOUNT: 'total' } as const;
    const column: Role | undefined = roles[sortBy.toUpperCase() as keyof typeof roles];
    if (column !== undefined) return [{ column, descending: sortOrder === 'desc' }];
    throw new UsageError(`--sort-by ${sortBy} is a key of the service, and a file is read`, {
      hint: SORT_HINT,
    });
  }
}

const SORT_HINT = 'Sort by a column of the file, as in --sort dueBy,-totalAmount.';
