import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { CellReader, isFilled, type Cell } from '../json/cells.ts';
import { ListReader } from '../json/record-lists.ts';
import type { RecordBatch } from '../json/records.ts';
import { familyOf, IN_NO_SUM, validityOf, type Family, type Validity } from './document-types.ts';
import {
  type ByProfile,
  type Meanings,
  columnsNamed,
  describeRole,
  type Fields,
  fixedValue,
  howToMap,
  mapProfiles,
  ofAll,
  ofProfile,
  PROFILE_COLUMN,
  type Role,
  roleNamed,
} from './fields.ts';

/** What a question reads of each record. */
export interface Reads {
  readonly roles: readonly Role[];
  /** Columns by names that people use: `open` and the heading `due` are read from the columns of `fields`. */
  readonly names: readonly string[];
}

/** The roles that decide a document's family and validity, and so its worth. */
export const KIND_ROLES = ['documentType', 'status', 'cancelled'] as const satisfies readonly Role[];

/** The roles that identify a document: its number, kind and counterparty. */
export const DOCUMENT_ROLES = [
  ...KIND_ROLES,
  ...(['counterpartyName', 'counterpartyFiscalId', 'date', 'number', 'currency'] as const),
] as const satisfies readonly Role[];

/** Where a cell is: the index of its column; for a fixed value, the cell itself. */
type CellLocation = number | Cell;

/** The locations of the cells of roles and names in the records of one profile. */
interface ProfileLayout {
  readonly fields: Fields;
  readonly ofRole: ReadonlyMap<Role, readonly CellLocation[]>;
  readonly ofName: readonly NameLayout[];
}

interface NameLayout {
  readonly own: CellLocation;
  /** The columns that the name stands for, and their locations; undefined if it stands for itself. */
  readonly columns: readonly string[] | undefined;
  readonly meant: readonly CellLocation[];
  readonly role: Role | undefined;
}

/** What an answer needs of each profile. `namesElsewhere` count only where the profile has the role in another column. */
interface ReadsOfProfiles extends Partial<Reads> {
  readonly namesElsewhere?: readonly string[];
}

/**
 * Reads records one after the other as documents, each by the fields of its own profile, and records which roles and columns none
 * of them had. It is the document that it shows: keep its values, never the object. It reads only the cells that are needed, each
 * once.
 */
export class DocumentReader {
  /** How many records were read, not counting sampled ones. */
  records = 0;
  /** The number of the record in the listing, from 1. */
  place = 0;
  readonly meanings: Meanings;
  readonly #names: readonly string[];
  readonly #layouts: ByProfile<ProfileLayout>;
  #layout: ProfileLayout;
  readonly #profileAt: CellLocation | undefined;
  readonly #reader: CellReader;
  /** The cells of the record that were read so far; null for the others. */
  readonly #cells: (Cell | undefined | null)[];
  #family: Family | undefined;
  #validity: Validity | undefined;
  /**
   * For each name: whether some record has a column of its own, or an object of that name, and in which other column its meaning
   * was found.
   */
  readonly #clashes: { hasOwn: boolean; hasObject: boolean; meant: string | undefined }[];
  readonly #reads: Reads;
  readonly #unseen: Unseen;
  readonly #unseenOf = new Map<string, Unseen>();
  /** The list of each name within one, by the name's index. */
  readonly #lists = new Map<number, string>();

  constructor(meanings: Meanings, reads: Reads) {
    const { roles, names } = reads;
    const { fields } = meanings;
    const columns: string[] = [];
    const locate = (column: string): CellLocation => {
      const text = fixedValue(column);
      if (text !== undefined) return { kind: 'string', text };
      const at = columns.indexOf(column);
      return at === -1 ? columns.push(column) - 1 : at;
    };
    this.meanings = meanings;
    this.#reads = reads;
    this.#names = names;
    this.#profileAt = fields.byProfile && locate(PROFILE_COLUMN);
    this.#layouts = mapProfiles(fields, (own) => ({
      fields: own,
      ofRole: new Map(roles.map((role) => [role, own.columns[role].map(locate)])),
      ofName: names.map((name) => {
        const meant = columnsNamed(name, meanings, own);
        return {
          own: locate(name),
          columns: meant,
          meant: (meant ?? []).map(locate),
          role: roleNamed(name, meanings, own),
        };
      }),
    }));
    this.#layout = this.#layouts.usual;
    this.#reader = new CellReader(columns);
    this.#cells = columns.map(() => undefined);
    this.#clashes = names.map(() => ({ hasOwn: false, hasObject: false, meant: undefined }));
    this.#unseen = new Unseen(reads);
  }

  /** Calls `take` for each record, while it is shown. */
  fold(batch: RecordBatch, take: (index: number) => void): void {
    for (let index = 0; index < batch.count; index++) {
      this.moveTo(batch, index);
      this.records++;
      this.place = batch.places?.[index] ?? this.records;
      const { profile } = this;
      this.#unseen.note(this, batch, index);
      if (profile !== undefined) this.#unseenIn(profile).note(this, batch, index);
      this.#readLists(true);
      take(index);
    }
  }

  /** Finds columns in records that are not folded, and looks there for the names that no record had so far. */
  sample(batch: RecordBatch, isRead = false): void {
    for (let index = 0; index < batch.count; index++) {
      this.#unseen.sample(batch, index);
      if (this.#unseen.names.size === 0 && this.#profileAt === undefined) continue;
      this.moveTo(batch, index);
      if (this.profile !== undefined) this.#unseenIn(this.profile).sample(batch, index);
      this.#unseen.noteNames(this);
      this.#readLists(isRead);
    }
  }

  /** The same for records that are read only for these names. */
  findNames(batch: RecordBatch): void {
    this.records += batch.count;
    this.sample(batch, true);
  }

  /** Shows a record, and nothing more. */
  moveTo(batch: RecordBatch, index: number): void {
    this.#reader.moveTo(batch, index);
    this.#cells.fill(null);
    this.#family = this.#validity = undefined;
    if (this.#profileAt !== undefined) this.#layout = ofProfile(this.#layouts, this.profile);
  }

  get profile(): string | undefined {
    return this.#profileAt === undefined ? undefined : this.#cellAt(this.#profileAt)?.text;
  }

  get fields(): Fields {
    return this.#layout.fields;
  }

  /** The cell of the first of the role's columns that has a value. Missing, null and empty are one: undefined. */
  cell(role: Role): Cell | undefined {
    for (const location of this.#locationsOf(role)) {
      const cell = this.#cellAt(location);
      if (isFilled(cell)) return cell;
    }
    return undefined;
  }

  text(role: Role): string | undefined {
    return this.cell(role)?.text;
  }

  /** The column of `cell(role)`. */
  columnOf(role: Role): string | undefined {
    const at = this.#locationsOf(role).findIndex((location) => isFilled(this.#cellAt(location)));
    return at === -1 ? undefined : this.fields.columns[role][at];
  }

  /**
   * The cell of the name with this index: from the column of that name, or from those that it stands for. An object of that name,
   * such as the customer, holds what the name stands for, and is not a value of it. Throws UsageError if records have a column of
   * that name with another meaning.
   */
  named(at: number): Cell | undefined {
    const { own, meant, columns } = this.#layout.ofName[at]!;
    const ownCell = this.#cellAt(own);
    if (columns === undefined) return ownCell;
    const found = meant.findIndex((location) => isFilled(this.#cellAt(location)));
    if (meant[found] === own) return ownCell;
    const clash = this.#clashes[at]!;
    const isObject = ownCell?.kind === 'array' && ownCell.text.startsWith('{');
    clash.hasObject ||= isObject;
    // A column of the role itself does not count where it is empty.
    const isPresent = meant.includes(own) ? isFilled(ownCell) : ownCell !== undefined;
    clash.hasOwn ||= !isObject && isPresent;
    if (found !== -1) clash.meant = columns[found];
    if (clash.hasOwn && clash.meant !== undefined)
      refuseClash(this.#names[at]!, clash.meant, this.meanings.rowsOf);
    if (found !== -1) return this.#cellAt(meant[found]!);
    return isObject ? undefined : ownCell;
  }

  namedCells(from: number, to: number): (Cell | undefined)[] {
    const cells: (Cell | undefined)[] = [];
    for (let at = from; at < to; at++) cells.push(this.named(at));
    return cells;
  }

  roleOfName(at: number): Role | undefined {
    return this.#layout.ofName[at]!.role;
  }

  get currency(): string | undefined {
    return bareCurrency(this.text('currency'));
  }

  get family(): Family {
    return (this.#family ??= familyOf(this.text('documentType')));
  }

  get validity(): Validity {
    return (this.#validity ??= validityOf(this.text('status'), this.text('cancelled')));
  }

  /** Whether sums include it: not a delivery guide, quote or order, and not void. */
  get isInSums(): boolean {
    return this.validity !== 'void' && !IN_NO_SUM.has(this.family);
  }

  /**
   * The cells of the name with this index in the objects of its list; undefined if the name is not within a list.
   *
   * @param isRead false for a record that is sampled alone: its lists are not among `namesInLists`
   */
  listed(at: number, isRead = true): readonly (Cell | undefined)[] | undefined {
    const name = this.#names[at]!;
    const above = this.#reader.above(name);
    if (above === undefined) return undefined;
    const column = name.replaceAll('\\.', '.').slice(above.path.length + 1);
    const lists = this.#unseenIn(this.profile).lists[at]!;
    const list = lists.get(above.path) ?? new ListReader(column);
    lists.set(above.path, list);
    const cells = list.read(above.text);
    if (cells?.length === 0) return [undefined];
    if (cells !== undefined && isRead) this.#lists.set(at, above.path);
    return cells;
  }

  has(role: Role): boolean {
    return this.#reads.roles.includes(role) && !this.#unseen.roles.has(role);
  }

  /** Whether the records have one of the role's columns, even if without a value. */
  hasColumnOf(role: Role): boolean {
    return this.has(role) || this.#hasAny(this.#columnsOf(role));
  }

  /** Whether records have one of the columns, even if without a value. False for rows of chosen columns: they have all. */
  #hasAny(columns: readonly string[], unseen = this.#unseen): boolean {
    const isThere = (column: string): boolean =>
      unseen.columnsThere.includes(column) || (unseen === this.#unseen && this.#reader.had(column));
    return this.meanings.isChosen !== true && columns.some(isThere);
  }

  /** The columns of the role in the records of any profile. */
  #columnsOf(role: Role): string[] {
    return ofAll(this.#layouts).flatMap(({ fields }) => fields.columns[role]);
  }

  /** The columns that the first records have, even if without a value. */
  get columnsThere(): readonly string[] {
    return this.#unseen.columnsThere;
  }

  /** The names without a value in any record; empty if there were no records. */
  get namesWithoutValue(): string[] {
    return this.#unseen.seen === 0 ? [] : [...this.#unseen.names].map((at) => this.#names[at]!);
  }

  /** The names that no record had, not even as null or in a list; empty if there were no records. */
  get missingNames(): string[] {
    const wasThere = (at: number): boolean =>
      [this.#unseen, ...this.#unseenOf.values()].some((unseen) => unseen.hadInList(at)) ||
      this.#columnsOfName(at).some((column) => this.#reader.had(column));
    return this.namesWithoutValue.filter((name) => !wasThere(this.#names.indexOf(name)));
  }

  #columnsOfName(at: number, layouts = ofAll(this.#layouts)): string[] {
    const own = this.#clashes[at]!.hasObject ? [] : [this.#names[at]!];
    return [...own, ...layouts.flatMap(({ ofName }) => ofName[at]!.columns ?? [])];
  }

  /** The names within the objects of a list, each with its list. */
  get namesInLists(): (readonly [name: string, list: string])[] {
    return [...this.#lists].map(([at, list]) => [this.#names[at]!, list]);
  }

  /** The roles that decide the kind of a document and have no value so far, each with the consequence. */
  get missingKinds(): readonly string[] {
    const lacks = (...roles: Role[]): boolean => !roles.some((role) => this.has(role));
    return [
      ...(lacks('documentType') ? ['documentType: credit notes count as invoices'] : []),
      ...(lacks('status', 'cancelled') ? ['status: cancelled documents count as open'] : []),
    ];
  }

  /** One of the role's columns that the records have; undefined where they have none. */
  columnThere(role: Role): string | undefined {
    return this.#columnsOf(role).find((one) => this.columnsThere.includes(one));
  }

  /** The message that no record has the role: `no record has a due date in dueBy or dueByDate`, with a hint. */
  noneHas(role: Role, record = 'record') {
    const text = `no ${record} has ${describeRole(this.#layouts.usual.fields, role)}`;
    const details = { code: 'column missing', role, columns: this.#columnsOf(role) } as const;
    return { text, hint: this.#howToFind(role), details };
  }

  #howToFind(role: Role): string {
    const whole = 'A whole export, without --columns, tells a missing column from one without values.';
    return this.meanings.isChosen ? `${howToMap(role)} ${whole}` : howToMap(role);
  }

  /**
   * Throws UsageError if no record has one of the roles: without it, an answer would be wrong without a warning, such as a sum of
   * amounts whose currencies are unknown.
   *
   * @param what the beginning of the message: `no figures`
   * @param record what was read: `document of 1-9`
   */
  refuseWithout(roles: readonly Role[], what: string, record = 'record'): void {
    const missing = roles.find((role) => !this.hasColumnOf(role));
    if (missing === undefined) return;
    const { text, ...rest } = this.noneHas(missing, record);
    throw new UsageError(`${what}: ${text}`, rest);
  }

  /**
   * A failure for each profile, of several, whose records all lack one of the roles, or one of the names that stand for a role:
   * the answer covers only the other profiles, and must say so. A missing column that other profiles have is only a
   * warning. `flag` is the flag of the question.
   */
  profilesWithout(flag: string, reads: ReadsOfProfiles, isOf = (_profile: string) => true): Finding[] {
    return [...this.#unseenOf].flatMap(([profile, unseen]): Finding[] => {
      if (!unseen.isFolded) return [];
      const layout = ofProfile(this.#layouts, profile);
      const missing = isOf(profile) ? this.#missingIn(layout, unseen, reads) : undefined;
      if (missing === undefined) return [];
      const { name, role } = missing;
      if (role === undefined) {
        const text = `${flag}: no record of ${profile} has a value in ${name}`;
        return this.missingNames.includes(name) ? [] : [{ level: 'warning', text }];
      }
      const columns = layout.fields.columns[role];
      const lack = name === role ? describeRole(layout.fields, role) : `a column ${name}`;
      const isElsewhere = name !== role && columns.some((column) => unseen.columnsThere.includes(column));
      return [
        {
          ...{ level: 'failure', kind: 'incomplete' },
          text: `${flag}: the answer is not whole: no record of ${profile} has ${lack}`,
          hint: isElsewhere
            ? `Write ${role}, which stands for the column of each profile.`
            : this.#howToFind(role),
          details: { code: 'column missing', role, columns },
        },
      ];
    });
  }

  /** The first of these roles and names that no record of a profile has, with the role of the name, if any. */
  #missingIn(
    layout: ProfileLayout,
    unseen: Unseen,
    { roles, names, namesElsewhere }: ReadsOfProfiles,
  ): { readonly name: string; readonly role: Role | undefined } | undefined {
    const hasRole = (role: Role): boolean => this.#hasAny(layout.fields.columns[role], unseen);
    const missing = roles?.find((role) => unseen.roles.has(role) && !hasRole(role));
    if (missing !== undefined) return { name: missing, role: missing };
    for (const at of unseen.names) {
      const name = this.#names[at]!;
      const role = ofAll(this.#layouts)
        .map(({ ofName }) => ofName[at]!.role)
        .find((one) => one !== undefined);
      if (unseen.hadInList(at) || this.#hasAny(this.#columnsOfName(at, [layout]), unseen)) continue;
      const isElsewhere = namesElsewhere?.includes(name) && role !== undefined && hasRole(role);
      if (names?.includes(name) || isElsewhere) return { name, role };
    }
    return undefined;
  }

  #unseenIn(profile: string | undefined): Unseen {
    if (profile === undefined) return this.#unseen;
    const known = this.#unseenOf.get(profile) ?? new Unseen(this.#reads);
    this.#unseenOf.set(profile, known);
    return known;
  }

  #readLists(isRead: boolean): void {
    for (const at of this.#unseen.names) if (!this.#lists.has(at)) this.listed(at, isRead);
  }

  #locationsOf(role: Role): readonly CellLocation[] {
    return this.#layout.ofRole.get(role) ?? refuseUndeclared(role);
  }

  #cellAt(location: CellLocation): Cell | undefined {
    if (typeof location !== 'number') return location;
    const known = this.#cells[location];
    return known === null ? (this.#cells[location] = this.#reader.cell(location)) : known;
  }
}

function refuseUndeclared(role: Role): never {
  throw new TypeError(`a reader of documents was not given the role ${role}`);
}

/** How many records, in total and per profile, are read with all columns, to find which columns exist. */
const RECORDS_SAMPLED = 500;

/** The roles and names that no record had so far: of all records, or of those of one profile. */
class Unseen {
  /** The roles, and the indexes of the names, that no record had a value of. */
  readonly roles: Set<Role>;
  readonly names: Set<number>;
  /** How many records there were. */
  seen = 0;
  /** Whether any of them was folded, and not sampled alone. */
  isFolded = false;
  /** For each name the readers of lists that it is within, by path. */
  readonly lists: readonly Map<string, ListReader>[];
  readonly #sampler = new CellReader();

  constructor({ roles, names }: Reads) {
    this.roles = new Set(roles);
    this.names = new Set(names.keys());
    this.lists = names.map(() => new Map());
  }

  /** Whether a list had the column of the name with this index, even as null, or no objects at all. */
  hadInList(at: number): boolean {
    return [...this.lists[at]!.values()].some(({ had }) => had);
  }

  get columnsThere(): readonly string[] {
    return this.#sampler.columns;
  }

  sample(batch: RecordBatch, index: number): void {
    if (this.seen++ < RECORDS_SAMPLED) this.#sampler.moveTo(batch, index);
  }

  /** Removes the roles and names that the current record of the reader has. */
  note(document: DocumentReader, batch: RecordBatch, index: number): void {
    this.sample(batch, index);
    this.isFolded = true;
    for (const role of this.roles) if (document.cell(role) !== undefined) this.roles.delete(role);
    this.noteNames(document);
  }

  noteNames(document: DocumentReader): void {
    for (const at of this.names) if (isFilled(document.named(at))) this.names.delete(at);
  }
}

/** A currency for comparison, in capitals as in ISO 4217, since services and lists vary. Undefined for none. */
export function bareCurrency(text: string | undefined): string | undefined {
  return text?.trim().toUpperCase() || undefined;
}

function refuseClash(name: string, meant: string, list?: string): never {
  const otherHint = meant.startsWith(`${list}.`)
    ? `To go by the document's, keep documents first, and pipe them into --from - --expand ${list}.`
    : `For the other, say that it is meant with --field <field>=${name}.`;
  throw new UsageError(
    `${name} can mean two columns: the records have one of that name, and it also stands for ${meant}`,
    { hint: `Write ${meant} for that one. ${otherHint}` },
  );
}
