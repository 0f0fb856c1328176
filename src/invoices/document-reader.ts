import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { CellReader, isFilled, type Cell } from '../json/cells.ts';
import { ListReader } from '../json/record-lists.ts';
import type { RecordBatch } from '../json/records.ts';
import { type ColumnNames, describeRole, howToMap, ofAll, ofProfile, type Role } from './fields.ts';
import { Document, type Reads } from './document.ts';

/** How many records, in all and of each of several profiles, are read with all columns, to learn which columns exist. */
const RECORDS_SAMPLED = 500;

/** What the records of one of several profiles have not had so far. */
interface UnseenOfProfile {
  readonly roles: Set<Role>;
  /** The indexes of names that stand for a role in some profile, with the role. */
  readonly names: Map<number, Role>;
  /** Reads the first records, to learn which columns exist. */
  readonly sampler: CellReader;
  /** Whether they have a column, with or without a value. */
  readonly hasColumn: (column: string) => boolean;
  sampled: number;
}

/** What an answer needs of each profile. A name of `namesElsewhere` counts only where the profile has the role in another column. */
interface ReadsOfProfiles extends Reads {
  readonly namesElsewhere?: readonly string[];
}

/** The number in the listing, from 1, of the nth record of a question. */
export type PlaceOf = (nth: number) => number;

/** Reads records one after the other as documents, and knows which roles and columns none of them had. */
export class DocumentReader extends Document {
  records = 0;
  readonly meanings: ColumnNames;
  readonly #reader: CellReader;
  readonly #reads: Required<Reads>;
  /** The roles and names that no record had a value of so far. */
  readonly #unseenRoles: Set<Role>;
  readonly #unseenNames: Set<number>;
  readonly #ofProfiles = new Map<string, UnseenOfProfile>();
  /** For the names that are within the objects of a list, the list. */
  readonly #lists = new Map<number, string>();
  readonly #listReaders = new Map<string, ListReader>();
  readonly #columns = new CellReader();
  /** How many records were seen, read or not. */
  #seen = 0;

  constructor(meanings: ColumnNames, reads: Reads) {
    super(meanings, reads, (column) => this.#reader.cell(column));
    const { roles, names = [] } = reads;
    this.meanings = meanings;
    this.#reads = { roles, names };
    this.#reader = new CellReader(this.columns);
    this.#unseenRoles = new Set(roles);
    this.#unseenNames = new Set(names.keys());
  }

  /** Learns the columns of records that are not folded. */
  sample(batch: RecordBatch): void {
    this.#sampleColumns(batch);
    this.#searchNames(batch, false);
  }

  fold(batch: RecordBatch, take: (index: number) => void, placeOf: PlaceOf = (nth) => nth): void {
    this.#sampleColumns(batch);
    for (let index = 0; index < batch.count; index++) {
      this.#move(batch, index, placeOf);
      take(index);
    }
  }

  /** Searches records for the names that none had so far. */
  findNames(batch: RecordBatch): void {
    this.records += batch.count;
    if (this.#unseenNames.size > 0) this.#sampleColumns(batch);
    this.#searchNames(batch, true);
  }

  has(role: Role): boolean {
    return this.#reads.roles.includes(role) && !this.#unseenRoles.has(role);
  }

  /** Whether the records have one of the role's columns, even if without a value. */
  hasColumnOf(role: Role): boolean {
    return this.has(role) || this.columnsOf(role).some((name) => this.hasColumn(name));
  }

  /** Whether the records that were sampled have the column, even if without a value. */
  hasColumn(column: string): boolean {
    return this.columnsThere.includes(column);
  }

  get columnsThere(): readonly string[] {
    return this.#columns.columns;
  }

  /** The names of which no record had a value; empty where there were no records. */
  get namesWithoutValue(): string[] {
    return this.records === 0 ? [] : [...this.#unseenNames].map((at) => this.#reads.names[at]!);
  }

  /** The names that no record had at all, not even as null or in a list; empty where there were no records. */
  get missingNames(): string[] {
    if (this.#seen === 0) return [];
    const columnsOf = (at: number): readonly string[] =>
      ofAll(this.locations).flatMap(({ ofName }) => [this.#reads.names[at]!, ...ofName[at]!.columns]);
    const lists = [...this.#listReaders];
    const had = (at: number): boolean =>
      lists.some(([key, list]) => key.startsWith(`${at} `) && list.had) ||
      columnsOf(at).some((column) => this.#reader.had(column));
    return [...this.#unseenNames].filter((at) => !had(at)).map((at) => this.#reads.names[at]!);
  }

  /** The names of what is within objects of a list, each with the list. */
  get namesInLists(): (readonly [name: string, list: string])[] {
    return [...this.#lists].map(([at, list]) => [this.#reads.names[at]!, list]);
  }

  /**
   * The cells of the name with this index in the objects of the list that it is within; undefined where it is within none.
   *
   * @param isRead false for a record that is sampled alone: its lists are not among `namesInLists`
   */
  listed(at: number, isRead = true): readonly (Cell | undefined)[] | undefined {
    const name = this.#reads.names[at]!;
    const above = this.#reader.above(name);
    if (above === undefined) return undefined;
    const key = `${at} ${above.path}`;
    const column = name.replaceAll('\\.', '.').slice(above.path.length + 1);
    const list = this.#listReaders.get(key) ?? new ListReader(column);
    this.#listReaders.set(key, list);
    const cells = list.read(above.text);
    if (cells?.length === 0) return [undefined];
    if (cells !== undefined && isRead) this.#lists.set(at, above.path);
    return cells;
  }

  /** `a due date in dueBy or dueByDate`. */
  describe(role: Role): string {
    return describeRole(this.locations.usual.fields, role);
  }

  /**
   * Throws UsageError where no record has one of the roles: an answer without it would be wrong and not say so, such as a sum of
   * amounts whose currencies are unknown.
   *
   * @param what the beginning of the message: `no figures`
   * @param record what was read: `document of 1-9`
   */
  refuseWithout(roles: readonly Role[], what: string, record = 'record'): void {
    const missing = roles.find((role) => !this.hasColumnOf(role));
    if (missing === undefined) return;
    throw new UsageError(`${what}: no ${record} has ${this.describe(missing)}`, {
      hint: howToMap(missing),
      details: { code: 'column missing', role: missing, columns: this.columnsOf(missing) },
    });
  }

  /**
   * A failure for each of several profiles none of whose records has one of the roles, or one of the names that stand for a role: the
   * answer is that of the other profiles, and would not say so. `flag` is that of the question.
   */
  profilesWithout(flag: string, reads: ReadsOfProfiles, isOf = (_profile: string) => true): Finding[] {
    return [...this.#ofProfiles].flatMap(([profile, unseen]): Finding[] => {
      const missing = isOf(profile) ? this.#missingIn(profile, unseen, reads) : undefined;
      if (missing === undefined) return [];
      const { name, role } = missing;
      const { fields } = ofProfile(this.locations, profile);
      const columns = fields.columns[role];
      const lack = name === role ? describeRole(fields, role) : `a column ${name}`;
      const text = `${flag}: the answer is not whole: no record of ${profile} has ${lack}`;
      const isElsewhere = name !== role && columns.some(unseen.hasColumn);
      const hint = isElsewhere
        ? `Write ${role}, which stands for the column of each profile.`
        : howToMap(role);
      const details = { code: 'column missing', role, columns } as const;
      return [{ level: 'failure', kind: 'incomplete', text, hint, details }];
    });
  }

  /** The first of these roles and names that no record of a profile has, with the role that the name stands for. */
  #missingIn(
    profile: string,
    unseen: UnseenOfProfile,
    { roles, names = [], namesElsewhere = [] }: ReadsOfProfiles,
  ): { readonly name: string; readonly role: Role } | undefined {
    const { fields, ofName } = ofProfile(this.locations, profile);
    const hasRole = (role: Role): boolean => fields.columns[role].some(unseen.hasColumn);
    const missing = roles.find((role) => unseen.roles.has(role) && !hasRole(role));
    if (missing !== undefined) return { name: missing, role: missing };
    for (const [at, role] of unseen.names) {
      const name = this.#reads.names[at]!;
      if ([name, ...ofName[at]!.columns].some(unseen.hasColumn)) continue;
      if (names.includes(name) || (namesElsewhere.includes(name) && hasRole(role))) return { name, role };
    }
    return undefined;
  }

  #move(batch: RecordBatch, index: number, placeOf: PlaceOf): void {
    this.#reader.moveTo(batch, index);
    this.show(placeOf(++this.records));
    for (const role of this.#unseenRoles) if (this.cell(role) !== undefined) this.#unseenRoles.delete(role);
    if (this.profile !== undefined) this.#noteUnseen(this.#unseenOf(this.profile), batch, index);
    this.#noteNames(true);
  }

  #noteUnseen(unseen: UnseenOfProfile, batch: RecordBatch, index: number): void {
    if (unseen.sampled++ < RECORDS_SAMPLED) unseen.sampler.moveTo(batch, index);
    for (const role of unseen.roles) if (this.cell(role) !== undefined) unseen.roles.delete(role);
    for (const at of unseen.names.keys()) if (isFilled(this.named(at))) unseen.names.delete(at);
  }

  #unseenOf(profile: string): UnseenOfProfile {
    const known = this.#ofProfiles.get(profile);
    if (known !== undefined) return known;
    const { roles, names } = this.#reads;
    const sampler = new CellReader();
    const unseen = {
      roles: new Set(roles),
      names: new Map(
        [...names.keys()].flatMap((at) => {
          const role = this.#roleInAny(at);
          return role === undefined ? [] : [[at, role]];
        }),
      ),
      sampler,
      hasColumn: (column: string) => sampler.columns.includes(column),
      sampled: 0,
    };
    this.#ofProfiles.set(profile, unseen);
    return unseen;
  }

  #roleInAny(nameAt: number): Role | undefined {
    const roles = ofAll(this.locations).map(({ ofName }) => ofName[nameAt]!.role);
    return roles.find((role) => role !== undefined);
  }

  #sampleColumns(batch: RecordBatch): void {
    const count = Math.min(batch.count, RECORDS_SAMPLED - this.#seen);
    for (let index = 0; index < count; index++) this.#columns.moveTo(batch, index);
    this.#seen += batch.count;
  }

  #searchNames(batch: RecordBatch, isRead: boolean): void {
    for (let index = 0; index < batch.count && this.#unseenNames.size > 0; index++) {
      this.#reader.moveTo(batch, index);
      // Nothing here needs its place.
      this.show(0);
      this.#noteNames(isRead);
    }
  }

  #noteNames(isRead: boolean): void {
    for (const at of this.#unseenNames) {
      if (isFilled(this.named(at))) this.#unseenNames.delete(at);
      else if (!this.#lists.has(at)) this.listed(at, isRead);
    }
  }
}
