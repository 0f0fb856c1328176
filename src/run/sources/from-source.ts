import type { Context } from '../../context.ts';
import { IncompleteError, UsageError, type FolioError } from '../../errors.ts';
import type { Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { sliceRecords } from '../../json/records.ts';
import type { HeldProfiles } from '../../profiles/choice.ts';
import type { SortColumn } from '../../query/question-syntax.ts';
import type { Records } from '../../query/questions.ts';
import type { Resource } from '../../resources/resource.ts';
import type { FilterFlags, QuestionFlags } from '../flags.ts';
import { filterOf } from '../open-questions.ts';
import type { Part, Source, Wanted } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { Origin, Run } from '../run.ts';
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

/** What was read earlier: a file or a database. */
interface Stored {
  readonly reads: readonly ReadPath[];
  readonly held: (context: Context) => Promise<HeldProfiles>;
  /** Checks what is read, once the profiles are chosen. Throws UsageError. */
  readonly check: (run: Run, profiles: readonly string[]) => Promise<Checked>;
  /** The records of the part's profile, or all where they have none. */
  readonly records: (part: Part, wanted: Wanted) => Promise<Records>;
  readonly close: () => Promise<void>;
}

interface Checked {
  /** When its records were read, and which part of the listing they are. */
  readonly origins: readonly Origin[];
  /** Why they are not all that there were. */
  readonly lack?: FolioError | undefined;
}

/** Records read earlier, for --from: those that the service would give, in its order. Sends nothing, and needs no token. */
export function fromSource({ resource, flags, fiscalIds, ofPart }: FromRequest, stored: Stored): Source {
  const { name, records } = resource;
  const flag = `--${resource.fiscalIds?.flag}`;
  let lack: FolioError | undefined;
  const source: Source = {
    kind: 'local',
    name,
    records,
    resource,
    reads: [...stored.reads, ...listsIn(flag, fiscalIds)],
    isStrict: flags?.strict === true,
    held: stored.held,
    async open(run, profiles) {
      const ids = await readFiscalIds(flag, fiscalIds, run.context.stdin);
      source.fiscalIds = ids;
      const checked = await stored.check(run, profiles);
      ({ lack } = checked);
      run.day.add(checked.origins);
      if (ofPart === 'answer') return;
      for (const { shown, only } of checked.origins) {
        const isFailure = ofPart === 'failure';
        const left = isFailure ? only.filter((one) => !isOfFilter(one, flag, ids)) : only;
        if (left.length === 0) continue;
        const text = `${shown}, but a part of them alone: ${left.join(' ')}`;
        const hint = `Export all of them. Where the question is about one party alone, export them with ${flag} <id>, and name it here, too.`;
        if (isFailure) lack ??= new IncompleteError(text, { hint });
        else run.notices.warn(text);
      }
    },
    async *read(part, wanted) {
      if (lack !== undefined) part.lacks.push(lack);
      const { limit = Infinity } = wanted;
      const unknown = new Map(source.fiscalIds?.map((id) => [foldFiscalId(id), id]));
      const all = await stored.records(part, wanted);
      let seen = 0;
      for await (const batch of await chosen(part, all, (id) => unknown.delete(id))) {
        const some = sliceRecords(batch, 0, Math.max(0, limit - seen));
        seen += batch.count;
        part.status.records += some.count;
        if (some.count > 0) yield { records: some };
      }
      part.status.totalAtEnd = seen;
      part.serviceErrors.addUnknown([...unknown.values()]);
    },
    close: stored.close,
  };

  /** The records as the service would choose and order them. `found` is called with the fiscal ID of each that a filter keeps. */
  const chosen = async (part: Part, all: Records, found: (fiscalId: string) => void): Promise<Records> => {
    const filter = await filterOf(part, {}, { fiscalIds: source.fiscalIds, found });
    const kept = filter?.answer(all) ?? all;
    const columns = serviceOrder(flags);
    if (columns.length === 0) return kept;
    const { sortQuestion } = await import('../../query/sort.ts');
    // The service compares amounts of several currencies.
    const options = { names: part.names, currencyOf: () => undefined };
    return sortQuestion(columns, part.context.signal, options).answer(kept);
  };
  return source;
}

/** Whether a flag of the export left in it all records of the fiscal IDs. */
function isOfFilter(exported: string, flag: string, ids: readonly string[]): boolean {
  if (ids.length === 0 || !exported.startsWith(`${flag} `)) return false;
  const all = exported
    .slice(flag.length + 1)
    .split(',')
    .map(foldFiscalId);
  return ids.every((id) => all.includes(foldFiscalId(id)));
}

/**
 * The roles that the service means by the key of --sort-by. Throws UsageError for a key that folio does not know, and for a direction
 * where there is no order to turn.
 */
export function serviceOrder(
  { sortBy, sortOrder }: Pick<FilterFlags, 'sortBy' | 'sortOrder'> = {},
  hasOrder = true,
): readonly SortColumn[] {
  const hint = 'Sort by a column of the file, as in --sort dueBy,-totalAmount.';
  if (sortBy === undefined) {
    if (sortOrder === undefined || hasOrder) return [];
    const text = `--sort-order ${sortOrder} turns an order of the service, and a file is read`;
    throw new UsageError(text, { hint });
  }
  const column = ROLES_OF_KEYS.get(sortBy.toUpperCase());
  if (column !== undefined) return [{ column, descending: sortOrder === 'desc' }];
  throw new UsageError(`--sort-by ${sortBy} is a key of the service, and a file is read`, { hint });
}

const ROLES_OF_KEYS: ReadonlyMap<string, Role> = new Map([
  ['NUMBER', 'number'],
  ['DATE', 'date'],
  ['DUE_BY', 'due'],
  ['AMOUNT', 'total'],
]);
