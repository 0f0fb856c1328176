import type { Context } from '../../context.ts';
import { errorOf, UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { paced, sliceRecords } from '../../json/records.ts';
import type { Collected } from '../../output/collected.ts';
import type { Delivery } from '../../paging/page.ts';
import { ExportFile, STANDARD_INPUT } from '../../query/exports/export-file.ts';
import {
  profilesInExport,
  readExport,
  recordsByProfile,
  recordsOfProfile,
} from '../../query/exports/read-export.ts';
import { checkExport, deliveredForm, readsOfExport } from '../../query/exports/read-receipt.ts';
import type { FieldsOf, RoleColumns } from '../../invoices/fields.ts';
import { chooseHeld, refuseProfiles, type ProfilesAsked } from '../../profiles/choice.ts';
import type { SortColumn } from '../../query/question-syntax.ts';
import type { Records } from '../../query/questions.ts';
import type { Resource } from '../../resources/resource.ts';
import type { FilterFlags, QuestionFlags } from '../flags.ts';
import { listsIn, readFiscalIds } from './listing-source.ts';
import { fieldsOf } from '../open-questions.ts';
import type { LocalSource, Part } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { Run } from '../run.ts';
import type { DatabaseRecords } from '../sync/database-records.ts';

interface ExportSourceOptions {
  readonly file: string;
  readonly resource: Resource;
  /** What the service would choose and order by is chosen and ordered here. */
  readonly filters?: FilterFlags | undefined;
  readonly field?: QuestionFlags['field'];
  /** Whose records are asked for; without it all are read, and say themselves whose they are. */
  readonly whose?: ProfilesAsked;
  /** What reads the file, where it is no export but a database. */
  readonly database?: DatabaseRecords;
}

/**
 * The records of an export, for --from: those that the service would give, in the order asked for. Nothing is sent, and no
 * token is needed.
 */
export class ExportSource implements LocalSource {
  readonly kind = 'local';
  readonly #options: ExportSourceOptions;
  #fiscalIds: readonly string[] = [];
  #isNewestFirst = false;
  #isSeveral = false;
  /** Whose records are read, where the file has those of several. */
  #profiles: readonly string[] = [];
  /** The records of each of several, from the first that is read. */
  #apart: Promise<ReadonlyMap<string, Collected>> | undefined;
  #headings: ReadonlyMap<string, string> | undefined;
  /** What standard input brought, once it is asked for. */
  #input: Promise<ExportFile> | undefined;
  /** What the receipt of the file says of it. */
  #checked: Finding | undefined;

  constructor(options: ExportSourceOptions) {
    this.#options = options;
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  get name(): string {
    return this.resource.name;
  }

  get records(): string {
    return this.resource.records;
  }

  get reads(): readonly ReadPath[] {
    const { file, database, resource, filters } = this.#options;
    const own = database === undefined ? readsOfExport('--from', file) : database.reads;
    return [...own, ...listsIn(`--${resource.fiscalIds?.flag}`, filters?.fiscalIds)];
  }

  async profiles(context: Context): Promise<readonly string[]> {
    const { database, whose = { names: undefined, all: false } } = this.#options;
    if (database !== undefined) {
      await database.open(context);
      return database.profiles;
    }
    this.#refuseOrderAlone();
    this.#sortKeys();
    const held = await profilesInExport(await this.#export(context));
    if (held === undefined) {
      refuseProfiles(this.#shown, whose);
      return [];
    }
    if (held.length === 0) return whose.names ?? [];
    this.#isSeveral = true;
    this.#profiles = await chooseHeld({ shown: this.#shown, held }, whose, context);
    return this.#profiles;
  }

  /** Whether its records say of which profile they are. To be asked once its profiles are known. */
  get isSeveral(): boolean {
    return this.#isSeveral;
  }

  get headings(): ReadonlyMap<string, string> | undefined {
    return this.#headings;
  }

  /** A file keeps its order; a database has that of the service. */
  preferNewest(): boolean {
    const { database, resource, filters: { sortBy, sortOrder } = {} } = this.#options;
    const isOrdered = (sortBy ?? sortOrder) !== undefined;
    this.#isNewestFirst = database?.hasDates === true && resource.newestFirst !== undefined && !isOrdered;
    return this.#isNewestFirst;
  }

  async open({ context, notices }: Run): Promise<void> {
    const { file, resource, filters = {}, database } = this.#options;
    await database?.open(context);
    this.#refuseOrderAlone();
    for (const stale of database?.stale ?? []) notices.warn(stale);
    if (database?.age !== undefined) notices.remark(database.age);
    this.#checked = database === undefined ? await checkExport(file) : undefined;
    if (this.#checked !== undefined) notices.add(this.#checked);
    this.#headings = database === undefined ? (await deliveredForm(file))?.headings : undefined;
    const { fiscalIds } = filters;
    if (fiscalIds !== undefined) {
      this.#fiscalIds = await readFiscalIds(`--${resource.fiscalIds?.flag}`, fiscalIds, context.stdin);
    }
    this.#sortKeys();
  }

  async *read(options: Part, limit = Infinity): AsyncGenerator<Delivery> {
    const { status } = options;
    let seen = 0;
    for await (const batch of await this.#chosen(options)) {
      const records = sliceRecords(batch, 0, Math.max(0, limit - seen));
      seen += batch.count;
      status.records += records.count;
      if (records.count > 0) yield { records, next: undefined };
    }
    status.totalAtEnd = seen;
  }

  /** Throws IncompleteError where the receipt of the file says that it does not hold all. */
  check(): void {
    if (this.#checked?.level === 'failure') throw errorOf(this.#checked);
  }

  async close(): Promise<void> {
    const apart = await this.#apart?.catch(() => undefined);
    for (const collected of apart?.values() ?? []) await collected.close();
    const input = await this.#input?.catch(() => undefined);
    await input?.close();
  }

  get #shown(): string {
    return this.#options.file === STANDARD_INPUT ? 'standard input' : this.#options.file;
  }

  /** The file, or what standard input brought: it is read once, and kept. */
  async #export(context: Context): Promise<string | ExportFile> {
    if (this.#options.file !== STANDARD_INPUT) return this.#options.file;
    const { argv } = context;
    const flags = argv.findIndex((word) => word.startsWith('-'));
    const command = flags > 0 ? argv.slice(0, flags).join(' ') : this.name;
    const piped = `folio ${this.name} --format jsonl | folio ${command} --from -`;
    return (this.#input ??= ExportFile.ofInput(context, piped));
  }

  async #chosen({ context, profile }: Part): Promise<Records> {
    const { resource, field, filters: { fiscalIds, sortBy } = {} } = this.#options;
    const records = await this.#stored(context, profile);
    if ((fiscalIds ?? sortBy) === undefined) return records;
    const fields = await fieldsOf(context, { resource, field, settings: { profile, sandbox: false } });
    const answered = this.#fiscalIds.length === 0 ? records : await this.#ofCounterparties(records, fields);
    const keys = this.#sortKeys(fields.usual.columns);
    if (keys.length === 0) return answered;
    return (await import('../../query/sort.ts')).sortQuestion(keys, context.signal).answer(answered);
  }

  async #stored(context: Context, profile: string | undefined): Promise<Records> {
    const { database, filters } = this.#options;
    if (database === undefined) {
      const records = readExport(await this.#export(context));
      if (!this.#isSeveral || profile === undefined) return records;
      if (this.#profiles.length === 1) return recordsOfProfile(records, profile);
      this.#apart ??= recordsByProfile(paced(records, context), this.#profiles);
      return (await this.#apart).get(profile)!.read();
    }
    if (profile === undefined) throw new Error('a database is read a profile at a time');
    return database.read(context, profile, this.#isNewestFirst ? 'desc' : filters?.sortOrder);
  }

  async #ofCounterparties(records: Records, fields: FieldsOf): Promise<Records> {
    const { WhereFilter, whereQuestion } = await import('../../query/where/where.ts');
    const { counterpartyTest } = await import('../../query/where/invoice-tests.ts');
    const test = counterpartyTest(fields, `--${this.resource.fiscalIds?.flag}`, this.#fiscalIds);
    return whereQuestion(new WhereFilter([test], []), { what: this.records, locale: 'en-US' }).answer(
      records,
    );
  }

  /** An order without a key turns the service's own, which only a database keeps, and only where it is by date. */
  #refuseOrderAlone(): void {
    const { database, resource, filters: { sortBy, sortOrder } = {} } = this.#options;
    if (sortOrder === undefined || sortBy !== undefined) return;
    if (database?.hasDates === true && resource.byDate?.usual !== undefined) return;
    throw new UsageError(`--sort-order ${sortOrder} turns an order of the service, and a file is read`, {
      hint: 'Sort by a column of the file, as in --sort dueBy,-totalAmount.',
    });
  }

  /** The columns that the service means by its key. Throws UsageError for a key that no column is known for. */
  #sortKeys({ date = [], due = [], total = [] }: Partial<RoleColumns> = {}): readonly SortColumn[] {
    const { filters: { sortBy, sortOrder } = {}, resource } = this.#options;
    if (sortBy === undefined) return [];
    const columns = { NUMBER: [resource.label], DATE: date, DUE_BY: due, AMOUNT: total }[
      sortBy.toUpperCase()
    ];
    if (columns === undefined) {
      throw new UsageError(`--sort-by ${sortBy} is a key of the service, and a file is read`, {
        hint: 'Sort by a column of the file, as in --sort dueBy,-totalAmount.',
      });
    }
    // A record has one of them, and those that it does not have make no difference.
    return columns.map((column) => ({ column, descending: sortOrder === 'desc', isKnown: true }));
  }
}

/**
 * Throws UsageError where the export has rows of --expand, by its receipt, and its documents are to be added up or told one by one:
 * a document of several rows would count several times.
 *
 * @param questions what is asked of its records; undefined where it is asked what the documents are
 */
export async function refuseRows(file: string, questions?: QuestionFlags): Promise<void> {
  const expanded = (await deliveredForm(file))?.expanded;
  if (expanded === undefined) return;
  const { sum = [], changesSince } = questions ?? {};
  const isOfRows = changesSince === undefined && sum.every((column) => column.startsWith(`${expanded}.`));
  if (questions !== undefined && isOfRows) return;
  throw new UsageError(
    `${file} has a row for each of ${expanded}, so a document of several would count several times`,
    { hint: `Export it without --expand, or sum a column of the rows, such as ${expanded}.amount.` },
  );
}
