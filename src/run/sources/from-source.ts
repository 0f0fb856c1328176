import type { Context } from '../../context.ts';
import { IncompleteError, UsageError, type FolioError } from '../../errors.ts';
import { UnknownFiscalIds } from '../../api/status-failure.ts';
import type { Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { sliceRecords } from '../../json/records.ts';
import type { HeldProfiles } from '../../profiles/choice.ts';
import { shownFlags, withoutFilterOf } from '../../query/exports/read-receipt.ts';
import type { SortColumn } from '../../query/question-syntax.ts';
import type { Records } from '../../query/questions.ts';
import type { Resource } from '../../resources/resource.ts';
import type { FilterFlags, QuestionFlags } from '../flags.ts';
import { filterOf } from '../open-questions.ts';
import type { OpenSource, Part, Source, Wanted, Run } from '../run.ts';
import type { ReadPath } from '../paths.ts';
import type { Origin } from '../run-state.ts';
import { listsIn, readFiscalIds } from './listing-source.ts';

export interface FromRequest {
  readonly from: string;
  readonly resource: Resource;
  /** The fund, where the resource is the documents of one fund. */
  readonly id?: string | undefined;
  /** The order that the user chose, and the questions about the records. */
  readonly flags?: Pick<FilterFlags, 'sortBy' | 'sortOrder' | 'strict'> & QuestionFlags;
  /** IDs, `@file` or `@-`. */
  readonly fiscalIds?: readonly string[] | undefined;
  /**
   * What to do if the export is only a part of its listing: accept it (also rows of --expand), or let a question about documents
   * warn or fail. An export that has all records of the fiscal IDs in the filter is not a part.
   */
  readonly ifPartial: 'accept' | 'warn' | 'fail';
}

/** What was read earlier: a file or a database. */
interface Stored {
  readonly reads: readonly ReadPath[];
  readonly held: (context: Context) => Promise<HeldProfiles>;
  /** Checks what is read, once the profiles are chosen. Throws UsageError. */
  readonly check: (run: Run, profiles: readonly string[]) => Promise<Checked>;
  readonly close: () => Promise<void>;
}

interface Checked extends Pick<OpenSource, 'order' | 'export' | 'hasProfileColumn'> {
  /** When its records were read, and the flags that left others out. */
  readonly origins: readonly Origin[];
  /** Why records are missing. */
  readonly lack?: FolioError | undefined;
  /** The records of the part's profile, or all where they have none. */
  readonly records: (part: Part, wanted: Wanted) => Promise<Records>;
}

/** Records read earlier, for --from: those that the service would give, in its order. Sends nothing, and needs no token. */
export function fromSource(
  { resource, id, flags, fiscalIds, ifPartial }: FromRequest,
  stored: Stored,
): Source {
  const { name, records } = resource;
  const flag = `--${resource.fiscalIds?.flag}`;
  const known = { kind: 'local', name, records, resource } as const;
  return {
    ...known,
    reads: [...stored.reads, ...listsIn(flag, fiscalIds ?? [])],
    held: stored.held,
    async open(run, profiles) {
      const ids = fiscalIds === undefined ? [] : await readFiscalIds(flag, fiscalIds, run.context.stdin);
      const { origins, lack, records: recordsOf, ...learnt } = await stored.check(run, profiles);
      run.day.add(origins);
      const lacks = lack === undefined ? [] : [lack];
      for (const { shown, only } of ifPartial === 'accept' ? [] : origins) {
        const isFailure = ifPartial === 'fail';
        const left = isFailure ? withoutFilterOf(ids, only) : only;
        if (left.length === 0) continue;
        const text = `${shown}, but only a part of them: ${shownFlags(left)}`;
        const hint = `Export all of them. Where the question is about one party alone, export them with ${flag} <id>, and name it here, too.`;
        if (!isFailure) run.notices.warn(text);
        else if (lacks.length === 0) lacks.push(new IncompleteError(text, { hint }));
      }
      return {
        ...known,
        ...learnt,
        fiscalIds: ids,
        isStrict: flags?.strict === true,
        async *read(part, wanted) {
          part.lacks.push(...lacks);
          const { limit = Infinity } = wanted;
          const unknown = new Map(ids.map((id) => [foldFiscalId(id), id]));
          const all = await recordsOf(part, wanted);
          const filter = await filterOf(part, {}, { fiscalIds: ids, found: (id) => unknown.delete(id) });
          let seen = 0;
          for await (const batch of await inServiceOrder(part, filter?.answer(all) ?? all, flags)) {
            const some = sliceRecords(batch, 0, Math.max(0, limit - seen));
            seen += batch.count;
            part.status.records += some.count;
            if (some.count > 0) yield { records: some };
          }
          part.status.totalAtEnd = seen;
          if (id !== undefined && seen === 0)
            part.notices.warn(`no document in these records is of a fund ${id}`);
          const missing = [...unknown.values()];
          // As the service answers. Where records are missing, they may have the IDs.
          if (missing.length > 0 && seen === 0 && lacks.length === 0)
            throw part.serviceErrors.explain(new UnknownFiscalIds(missing, []));
          part.serviceErrors.addUnknown(missing);
        },
      };
    },
    close: stored.close,
  };
}

async function inServiceOrder(part: Part, records: Records, flags: FromRequest['flags']): Promise<Records> {
  const columns = serviceOrder(flags);
  if (columns.length === 0) return records;
  const { sortQuestion } = await import('../../query/sort.ts');
  // The service sorts amounts as numbers, whatever their currencies.
  const options = { meanings: part.meanings, currencyOf: () => undefined };
  return sortQuestion(columns, part.context.signal, options).answer(records);
}

/**
 * The roles for the key of --sort-by. Throws UsageError for an unknown key, and for a
 * direction where there is no order to turn.
 */
export function serviceOrder(
  { sortBy, sortOrder }: Pick<FilterFlags, 'sortBy' | 'sortOrder'> = {},
  canTurn = true,
): readonly SortColumn[] {
  const hint = 'Sort by a column of the file, as in --sort dueBy,-totalAmount.';
  if (sortBy === undefined) {
    if (sortOrder === undefined || canTurn) return [];
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
