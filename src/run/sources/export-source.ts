import type { Context } from '../../context.ts';
import { errorOf, UsageError, type FolioError } from '../../errors.ts';
import { paced, selectRecords, type RecordBatch } from '../../json/records.ts';
import { RecordSpool } from '../../output/spool.ts';
import { ExportFile, STANDARD_INPUT } from '../../query/exports/export-file.ts';
import {
  listBesideItsColumns,
  objectInPlaceOf,
  ofProfiles,
  ownersOf,
  profilesInExport,
  readExport,
} from '../../query/exports/read-export.ts';
import { checkExport, readsOfExport } from '../../query/exports/read-receipt.ts';
import { resources } from '../../resources/index.ts';
import type { QuestionFlags } from '../flags.ts';
import type { HeldProfiles, Source } from '../part.ts';
import type { Run } from '../run.ts';
import type { Origin } from '../run-day.ts';
import { FromSource, type FromRequest } from './from-source.ts';

export class ExportSource extends FromSource<FromRequest> {
  /** Whether each record says whose it is. */
  hasProfileColumn = false;
  /** The records of each of several, from the first that is read: the file is read once. */
  #apart: Promise<ReadonlyMap<string, RecordSpool>> | undefined;
  /** What standard input brought, once it is needed. */
  #input: Promise<ExportFile> | undefined;
  #checked: Awaited<ReturnType<typeof checkExport>> = {};
  /** Warns once that records may be rows of --expand. */
  #warnOfRows: ((list: string) => void) | undefined;
  readonly #shown: string;

  constructor(request: FromRequest) {
    super(request, readsOfExport('--from', request.from));
    this.#shown = request.from === STANDARD_INPUT ? 'standard input' : request.from;
  }

  /** Undefined where the command has a question of its own, which is about documents. */
  get #questions(): QuestionFlags | undefined {
    return this.request.ofPart === 'answer' ? this.request.flags : undefined;
  }

  async held(context: Context): Promise<HeldProfiles> {
    this.checkOrder(false);
    const profiles = await profilesInExport(await this.#file(context));
    this.hasProfileColumn = profiles !== undefined && profiles.length > 0;
    return { shown: this.#shown, profiles };
  }

  get export(): NonNullable<Source['export']> {
    return { shown: this.#shown, delivered: this.#checked.delivered };
  }

  protected override async check(run: Run): Promise<readonly Origin[]> {
    this.#checked = await checkExport(this.request.from);
    const { finding, delivered } = this.#checked;
    if (finding !== undefined) run.notices.add(finding);
    const { resource, readAt, only = [] } = delivered ?? {};
    if (resource !== this.name && resources.some(({ name }) => name === resource))
      throw new UsageError(`${this.#shown} is of ${resource}, as its receipt says, not of ${this.name}`, {
        hint: 'Name the export of this listing, or ask for the other one.',
      });
    if (delivered?.expanded !== undefined) this.#refuseRowsOf(delivered.expanded);
    const text = `${this.#shown} has an object in place of the list`;
    if (delivered === undefined)
      this.#warnOfRows = (list) =>
        run.notices.warn(
          `${text} ${list}, as --expand ${list} leaves it: then a document of several counts several times`,
        );
    return [{ shown: `${this.#shown} has the ${this.records}`, readAt, only }];
  }

  override failure(): FolioError | undefined {
    const { finding } = this.#checked;
    return finding?.level === 'failure' ? errorOf(finding) : super.failure();
  }

  async close(): Promise<void> {
    const apart = await this.#apart?.catch(() => undefined);
    for (const collected of apart?.values() ?? []) await collected.close();
    const input = await this.#input?.catch(() => undefined);
    await input?.close();
  }

  protected override async stored(
    context: Context,
    profile: string | undefined,
  ): Promise<AsyncIterable<RecordBatch>> {
    const all = readExport(await this.#file(context));
    const questions = this.#questions;
    const areDocuments = questions === undefined || (questions.sum ?? questions.changesSince) !== undefined;
    const records = areDocuments ? this.#withoutRows(all) : all;
    if (!this.hasProfileColumn || profile === undefined) return records;
    if (this.profiles.length === 1) return recordsOfProfile(records, profile);
    this.#apart ??= recordsByProfile(paced(records, context), this.profiles);
    return (await this.#apart).get(profile)!.read();
  }

  /** Throws UsageError for rows of --expand under a question about documents: one of several rows would count several times. */
  #refuseRowsOf(expanded: string): void {
    if (areOfRows(expanded, this.#questions)) return;
    throw new UsageError(
      `${this.#shown} has a row for each of ${expanded}, so a document of several would count several times`,
      { hint: `Export it without --expand, or sum a column of the rows, such as ${expanded}.amount.` },
    );
  }

  /** Throws as that where records show that they are rows, and warns where they may be. */
  async *#withoutRows(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    const lists = this.resource.columns.flatMap(([name, type]) => (type === 'list' ? [name] : []));
    for await (const batch of records) {
      const expanded = listBesideItsColumns(batch);
      if (expanded !== undefined) this.#refuseRowsOf(expanded);
      const list = this.#warnOfRows && objectInPlaceOf(batch, lists);
      if (list !== undefined && !areOfRows(list, this.#questions)) {
        this.#warnOfRows?.(list);
        this.#warnOfRows = undefined;
      }
      yield batch;
    }
  }

  /** The file, or what standard input brought: it is read once, and kept. */
  async #file(context: Context): Promise<string | ExportFile> {
    const { from } = this.request;
    if (from !== STANDARD_INPUT) return from;
    const { argv } = context;
    const flags = argv.findIndex((word) => word.startsWith('-'));
    const command = flags > 0 ? argv.slice(0, flags).join(' ') : this.name;
    const piped = `folio ${this.name} --format jsonl | folio ${command} --from -`;
    return (this.#input ??= ExportFile.ofInput(context, piped));
  }
}

async function* recordsOfProfile(
  records: AsyncIterable<RecordBatch>,
  profile: string,
): AsyncGenerator<RecordBatch> {
  for await (const batch of records) {
    const own = ofProfiles(batch, [profile]);
    if (own.count > 0) yield own;
  }
}

/** The records of each of the profiles, put aside. The caller closes them. */
async function recordsByProfile(
  records: AsyncIterable<RecordBatch>,
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

/** Whether the questions are about the objects of a list, of which each is a row. */
function areOfRows(list: string, questions: QuestionFlags | undefined): boolean {
  if (questions === undefined) return false;
  const { sum = [], changesSince } = questions;
  return changesSince === undefined && sum.every((column) => column.startsWith(`${list}.`));
}
