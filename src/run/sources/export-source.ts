import type { Context } from '../../context.ts';
import { errorOf, UsageError } from '../../errors.ts';
import { DocumentReader, KIND_ROLES } from '../../invoices/document-reader.ts';
import { isAmountRole, meaningOf } from '../../invoices/fields.ts';
import { paced, selectRecords, type RecordBatch } from '../../json/records.ts';
import { RecordSpool } from '../../output/spool.ts';
import { listBesideItsColumns, objectInPlaceOf } from '../../query/exports/expanded-rows.ts';
import { ExportFile, ofProfiles, ownersOf } from '../../query/exports/export-file.ts';
import { readsOfExport, STANDARD_INPUT } from '../../query/exports/read-receipt.ts';
import type { Records } from '../../query/questions.ts';
import { resources } from '../../resources/listings.ts';
import type { QuestionFlags } from '../flags.ts';
import type { Part, Source, Run } from '../run.ts';
import { fromSource, serviceOrder, type FromRequest } from './from-source.ts';

/** An export of a listing: a file, or what comes from standard input. */
export function exportSource(request: FromRequest): Source {
  const { from, resource, id, flags, ifPartial } = request;
  const { name, records } = resource;
  const shown = from === STANDARD_INPUT ? 'standard input' : from;
  // A question of the command's own is about documents.
  const questions = ifPartial === 'accept' ? flags : undefined;
  const areDocuments = questions === undefined || (questions.sum ?? questions.changesSince) !== undefined;
  /** Set when it is first needed: standard input is read once. */
  let opened: Promise<ExportFile> | undefined;
  /** The records of each profile. The file is read once, for the first of them. */
  let apart: Promise<ReadonlyMap<string, RecordSpool>> | undefined;
  let chosen: readonly string[] = [];
  let [hasProfileColumn, mayLackKinds] = [false, false];
  /** Warns once that records may be rows of --expand. */
  let warnOfRows: ((list: string) => void) | undefined;

  const fileOf = (context: Context): Promise<ExportFile> => {
    const open = () =>
      from === STANDARD_INPUT ? ExportFile.ofInput(context, pipedInto(context, name)) : ExportFile.open(from);
    return (opened ??= open());
  };

  /** Throws UsageError for rows of --expand under a question about documents: one of several rows would count several times. */
  const refuseRowsOf = (expanded: string): void => {
    if (areOfRows(expanded, questions)) return;
    throw new UsageError(
      `${shown} has a row for each of ${expanded}, so a document of several would count several times`,
      { hint: `Export it without --expand, or sum a column of the rows, such as ${expanded}.amount.` },
    );
  };

  /** Warns if amounts depend on document types or cancellations, and the records have no column for them. */
  const withKinds = async function* (
    read: Records,
    { meanings, notices }: Part,
  ): AsyncGenerator<RecordBatch> {
    const { sum = [], asSent, open, overdue } = questions ?? {};
    const isOfAmounts = (column: string): boolean => isAmountRole(meaningOf(column, meanings).role);
    const matters = questions === undefined || open || overdue || (asSent !== true && sum.some(isOfAmounts));
    const reader = new DocumentReader(meanings, { roles: KIND_ROLES, names: [] });
    for await (const batch of read) {
      if (matters && reader.untold.length > 0) reader.fold(batch, () => {});
      yield batch;
    }
    if (reader.records === 0) return;
    for (const one of reader.untold) notices.warn(`${shown} has no ${one}`);
  };

  /** Throws like `refuseRowsOf` for records that are rows, and warns of records that may be rows. */
  const withoutRows = async function* (read: Records): AsyncGenerator<RecordBatch> {
    const lists = resource.columns.flatMap(([column, type]) => (type === 'list' ? [column] : []));
    for await (const batch of read) {
      const expanded = listBesideItsColumns(batch);
      if (expanded !== undefined) refuseRowsOf(expanded);
      const list = warnOfRows && objectInPlaceOf(batch, lists);
      if (list !== undefined && !areOfRows(list, questions)) {
        warnOfRows?.(list);
        warnOfRows = undefined;
      }
      yield batch;
    }
  };

  return fromSource(request, {
    reads: readsOfExport('--from', from),
    async held(context) {
      serviceOrder(flags, false);
      const file = await fileOf(context);
      const profiles = await file.profiles();
      hasProfileColumn = profiles !== undefined && profiles.length > 0;
      const [owner] = (profiles === undefined ? file.delivered?.profiles : undefined) ?? [];
      return { shown, profiles, owner };
    },
    async check({ context, notices, flags: { profile } }: Run, profiles) {
      chosen = profiles;
      const file = await fileOf(context);
      const { finding, delivered } = await file.check(profile === undefined ? [] : profiles);
      if (finding !== undefined) notices.add(finding);
      const { resource: exported, readAt, only = [], expanded, words = [] } = delivered ?? {};
      if (exported !== name && resources.some((one) => one.name === exported))
        throw new UsageError(`${shown} is of ${exported}, as its receipt says, not of ${name}`, {
          hint: 'Name the export of this listing, or ask for the other one.',
        });
      if (id !== undefined && words.length > 0 && !words.includes(id))
        throw new UsageError(`${shown} is not of the fund ${id}: its receipt says folio ${words.join(' ')}`, {
          hint: 'Name the export of this fund, or ask for the other one.',
        });
      if (expanded !== undefined) refuseRowsOf(expanded);
      // --columns may have left them out.
      mayLackKinds = delivered === undefined || delivered.chosen !== undefined;
      const text = `${shown} has an object in place of the list`;
      if (delivered === undefined)
        warnOfRows = (list) =>
          notices.warn(
            `${text} ${list}, as --expand ${list} leaves it: then a document of several counts several times`,
          );
      const lack = finding?.level === 'failure' ? errorOf(finding) : undefined;
      // Where reading will fail, a warning about the records, such as of their day, would be false.
      const [read] = await Promise.allSettled([file.records().next()]);
      const origins =
        read.status === 'rejected' ? [] : [{ shown: `${shown} has the ${records}`, readAt, only }];
      return { lack, origins, export: { shown, delivered }, hasProfileColumn };
    },
    async records(part) {
      const { context, profile } = part;
      const sent = (await fileOf(context)).records();
      const read = mayLackKinds ? withKinds(sent, part) : sent;
      const all = areDocuments ? withoutRows(read) : read;
      if (!hasProfileColumn || profile === undefined) return all;
      if (chosen.length === 1) return recordsOfProfile(all, profile);
      apart ??= recordsByProfile(paced(all, context), chosen);
      return (await apart).get(profile)!.read();
    },
    async close() {
      const spools = await apart?.catch(() => undefined);
      for (const collected of spools?.values() ?? []) await collected.close();
      await (await opened?.catch(() => undefined))?.close();
    },
  });
}

/** How records are piped into the command line, for messages. */
function pipedInto({ argv }: Context, name: string): string {
  const flags = argv.findIndex((word) => word.startsWith('-'));
  const command = flags > 0 ? argv.slice(0, flags).join(' ') : name;
  return `folio ${name} --format jsonl | folio ${command} --from -`;
}

async function* recordsOfProfile(records: Records, profile: string): AsyncGenerator<RecordBatch> {
  for await (const batch of records) {
    const own = ofProfiles(batch, [profile]);
    if (own.count > 0) yield own;
  }
}

/** The records of each of the profiles, put aside. The caller closes them. */
async function recordsByProfile(
  records: Records,
  profiles: readonly string[],
): Promise<ReadonlyMap<string, RecordSpool>> {
  const all = new Map(profiles.map((profile) => [profile, new RecordSpool()]));
  try {
    for await (const batch of records) {
      const owners = ownersOf(batch);
      for (const [profile, collected] of all) {
        const own = owners.flatMap((name, index) => (name === profile ? [index] : []));
        if (own.length > 0) await collected.add(selectRecords(batch, own));
      }
    }
    return all;
  } catch (error) {
    for (const collected of all.values()) await collected.close();
    throw error;
  }
}

/** Whether the questions are about the objects of a list, one row each. */
function areOfRows(list: string, questions: QuestionFlags | undefined): boolean {
  if (questions === undefined) return false;
  const { sum = [], changesSince } = questions;
  return changesSince === undefined && sum.every((column) => column.startsWith(`${list}.`));
}
