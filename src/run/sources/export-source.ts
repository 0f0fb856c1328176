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
import type { Resource } from '../../resources/resource.ts';
import type { QuestionFlags } from '../flags.ts';
import type { Part, Source, Run } from '../run.ts';
import { fromSource, serviceOrder, type FromRequest } from './from-source.ts';

/** An export, and the questions about it. */
interface QueriedExport {
  /** For messages. */
  readonly shown: string;
  readonly resource: Resource;
  /** The questions of the flags; undefined where a question of the command's own is about documents. */
  readonly questions: QuestionFlags | undefined;
}

/** An export of a listing: a file, or what comes from standard input. */
export function exportSource(request: FromRequest): Source {
  const { from, resource, id, flags, ifPartial } = request;
  const { name, records } = resource;
  const shown = from === STANDARD_INPUT ? 'standard input' : from;
  const queried = { shown, resource, questions: ifPartial === 'accept' ? flags : undefined };
  /** Set when it is first needed: standard input is read once. */
  let opened: ReturnType<typeof openExport> | undefined;
  /** The records of each of several profiles: the file is read once, by whichever needs it first. */
  let apart: Promise<ReadonlyMap<string, RecordSpool>> | undefined;

  const openExport = async (context: Context) => {
    const isInput = from === STANDARD_INPUT;
    const file = await (isInput
      ? ExportFile.ofInput(context, pipedInto(context, name))
      : ExportFile.open(from));
    return { file, profiles: await file.profiles() };
  };

  return fromSource(request, {
    reads: readsOfExport('--from', from),
    async held(context) {
      serviceOrder(flags, false);
      const { file, profiles } = await (opened ??= openExport(context));
      const [owner] = (profiles === undefined ? (await file.delivered())?.profiles : undefined) ?? [];
      return { shown, profiles, owner };
    },
    async check({ context, notices, flags: { profile } }: Run, chosen) {
      const { file, profiles = [] } = await (opened ??= openExport(context));
      const { finding, delivered } = await file.check(profile === undefined ? [] : chosen);
      if (finding !== undefined) notices.add(finding);
      const { resource: exported, readAt, only = [], expanded, args = [] } = delivered ?? {};
      if (exported !== name && resources.some((one) => one.name === exported))
        throw new UsageError(`${shown} is of ${exported}, as its receipt says, not of ${name}`, {
          hint: 'Name the export of this listing, or ask for the other one.',
        });
      if (id !== undefined && args.length > 0 && !args.includes(id))
        throw new UsageError(`${shown} is not of the fund ${id}: its receipt says folio ${args.join(' ')}`, {
          hint: 'Name the export of this fund, or ask for the other one.',
        });
      if (expanded !== undefined) refuseRows(expanded, queried);
      const lack = finding?.level === 'failure' ? errorOf(finding) : undefined;
      // Where reading will fail, a warning about the records, such as of their day, would be false.
      const [read] = await Promise.allSettled([file.records().next()]);
      const origins =
        read.status === 'rejected' ? [] : [{ shown: `${shown} has the ${records}`, readAt, only }];
      const hasProfileColumn = profiles.length > 0;
      const ownRecords = async (part: Part): Promise<Records> => {
        const all = withoutRows(file.records(), part, queried);
        if (!hasProfileColumn || part.profile === undefined) return all;
        if (chosen.length === 1) return recordsOfProfile(all, part.profile);
        apart ??= recordsByProfile(paced(all, part.context), chosen);
        return (await apart).get(part.profile)!.read();
      };
      return {
        lack,
        origins,
        export: { shown, delivered },
        hasProfileColumn,
        async records(part) {
          const own = await ownRecords(part);
          // --columns may have left them out.
          const mayLackKinds = delivered === undefined || delivered.chosen !== undefined;
          return mayLackKinds ? withKinds(own, part, queried) : own;
        },
      };
    },
    async close() {
      const spools = await apart?.catch(() => undefined);
      for (const collected of spools?.values() ?? []) await collected.close();
      await (await opened?.catch(() => undefined))?.file.close();
    },
  });
}

/** The same records. Warns if amounts depend on document types or cancellations, and the records have no column for them. */
async function* withKinds(
  read: Records,
  { meanings, notices }: Part,
  { shown, questions }: QueriedExport,
): AsyncGenerator<RecordBatch> {
  const { sum = [], open, overdue } = questions ?? {};
  const isOfAmounts = (column: string): boolean => meaningOf(column, meanings).roles.some(isAmountRole);
  // A fund has no type.
  const haveTypes = meanings.fields.usual.columns.documentType.length > 0;
  const matters = haveTypes && (questions === undefined || open || overdue || sum.some(isOfAmounts));
  const reader = new DocumentReader(meanings, { roles: KIND_ROLES, names: [] });
  for await (const batch of read) {
    if (matters && reader.missingKinds.length > 0) reader.fold(batch, () => {});
    yield batch;
  }
  if (reader.records === 0) return;
  for (const one of reader.missingKinds) notices.warn(`${shown} has no ${one}`);
}

/**
 * The same records. Throws like `refuseRows` for records that are rows of --expand, and warns of records that may be, where no
 * receipt tells.
 */
async function* withoutRows(
  read: Records,
  { run, source }: Part,
  queried: QueriedExport,
): AsyncGenerator<RecordBatch> {
  const { shown, resource, questions } = queried;
  const areDocuments = questions === undefined || (questions.sum ?? questions.changesSince) !== undefined;
  if (!areDocuments) return yield* read;
  const lists = resource.columns.flatMap(([column, type]) => (type === 'list' ? [column] : []));
  let isUntold = source.export?.delivered === undefined;
  for await (const batch of read) {
    const expanded = listBesideItsColumns(batch);
    if (expanded !== undefined) refuseRows(expanded, queried);
    const list = isUntold ? objectInPlaceOf(batch, lists) : undefined;
    if (list !== undefined && !areOfRows(list, questions)) {
      isUntold = false;
      const why = `as --expand ${list} leaves it: then a document of several counts several times`;
      run.notices.warn(`${shown} has an object in place of the list ${list}, ${why}`);
    }
    yield batch;
  }
}

/** Throws UsageError for rows of --expand under a question about documents: one of several rows would count several times. */
function refuseRows(expanded: string, { shown, questions }: QueriedExport): void {
  if (areOfRows(expanded, questions)) return;
  throw new UsageError(
    `${shown} has a row for each of ${expanded}, so a document of several would count several times`,
    { hint: `Export it without --expand, or sum a column of the rows, such as ${expanded}.amount.` },
  );
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
