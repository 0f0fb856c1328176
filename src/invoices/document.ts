import { UsageError } from '../errors.ts';
import { isFilled, type Cell } from '../json/cells.ts';
import {
  columnsNamed,
  roleNamed,
  type ColumnNames,
  fixedValue,
  mapProfiles,
  ofAll,
  ofProfile,
  PROFILE_COLUMN,
  type ByProfile,
  type Fields,
  type Role,
} from './fields.ts';
import { familyOf, IN_NO_SUM, validityOf, type Family, type Validity } from './document-types.ts';
import { isFiscalId, type Counterparty } from './fiscal-ids.ts';

/** What a question reads of each record. */
export interface Reads {
  readonly roles: readonly Role[];
  /** Columns by names that people use: `open` and the heading `due` are read from the columns of `fields`. */
  readonly names?: readonly string[];
}

/** Where a cell is: the index of its column; for a fixed value, the cell itself. */
type CellLocation = number | Cell;

/** Where the cells of roles and names are in the records of one profile. */
interface RecordLocations {
  readonly fields: Fields;
  readonly ofRole: ReadonlyMap<Role, readonly CellLocation[]>;
  readonly ofName: readonly NameLocations[];
}

interface NameLocations {
  readonly own: number;
  /** Where the columns are that the name stands for; undefined where it stands for itself. */
  readonly meant: readonly CellLocation[] | undefined;
  readonly columns: readonly string[];
  readonly role: Role | undefined;
}

/** The roles that decide a document's family and validity, and so its worth. */
export const KIND_ROLES = ['documentType', 'status', 'cancelled'] as const satisfies readonly Role[];

/** The roles that tell which document it is, of what kind, and with whom. */
export const DOCUMENT_ROLES = [
  ...KIND_ROLES,
  ...(['counterpartyName', 'counterpartyFiscalId', 'date', 'number', 'currency'] as const),
] as const satisfies readonly Role[];

/**
 * A cursor over records: one object shows one record after the other, each by the fields of its own profile. Keep its values, never the
 * object. It reads only the cells that are needed, each once.
 */
export class Document {
  /** The number of the record in the listing, from 1. */
  place = 0;
  readonly columns: readonly string[];
  protected readonly locations: ByProfile<RecordLocations>;
  readonly #names: readonly string[];
  readonly #cellOf: (column: number) => Cell | undefined;
  readonly #profileAt: number;
  /** The cells of the record that were read so far; null for the others. */
  readonly #cells: (Cell | undefined | null)[];
  /** For each name: whether some record has a column of its own, and in which other column its meaning was found. */
  readonly #seen: { own: boolean; meant: string | undefined }[];
  #current: RecordLocations;
  #family: Family | undefined;
  #validity: Validity | undefined;

  /** @param cellOf the cell of a column of the record that is shown, by its index among `columns` */
  constructor(
    columnNames: ColumnNames,
    { roles, names = [] }: Reads,
    cellOf: (column: number) => Cell | undefined,
  ) {
    const { fields } = columnNames;
    this.#names = names;
    this.#cellOf = cellOf;
    const meant = ofAll(fields).flatMap((own) => [
      ...roles.flatMap((role) => own.columns[role]),
      ...names.flatMap((name) => columnsNamed(name, columnNames, own) ?? []),
    ]);
    const profile = fields.byProfile === undefined ? [] : [PROFILE_COLUMN];
    const columns = new Set([
      ...names,
      ...profile,
      ...meant.filter((name) => fixedValue(name) === undefined),
    ]);
    this.columns = [...columns];
    this.#profileAt = fields.byProfile === undefined ? -1 : this.columns.indexOf(PROFILE_COLUMN);
    const locationsOf = (read: readonly string[]): CellLocation[] =>
      read.map((name) => {
        const text = fixedValue(name);
        return text === undefined ? this.columns.indexOf(name) : { kind: 'string', text };
      });
    this.locations = mapProfiles(fields, (own) => ({
      fields: own,
      ofRole: new Map(roles.map((role) => [role, locationsOf(own.columns[role])])),
      ofName: names.map((name) => {
        const meaning = columnsNamed(name, columnNames, own);
        return {
          own: this.columns.indexOf(name),
          meant: meaning && locationsOf(meaning),
          columns: meaning ?? [],
          role: roleNamed(name, columnNames, own),
        };
      }),
    }));
    this.#current = this.locations.usual;
    this.#cells = this.columns.map(() => undefined);
    this.#seen = names.map(() => ({ own: false, meant: undefined }));
  }

  /** Shows the next record, with this number in the listing. */
  show(place: number): void {
    this.place = place;
    this.#cells.fill(null);
    this.#family = this.#validity = undefined;
    if (this.#profileAt !== -1) this.#current = ofProfile(this.locations, this.profile);
  }

  get profile(): string | undefined {
    return this.#profileAt === -1 ? undefined : this.#cellAt(this.#profileAt)?.text;
  }

  get fields(): Fields {
    return this.#current.fields;
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

  columnOf(role: Role): string | undefined {
    const at = this.#locationsOf(role).findIndex((location) => isFilled(this.#cellAt(location)));
    return at === -1 ? undefined : this.fields.columns[role][at];
  }

  /**
   * The cell of the name with this index: of its own column, or of those that it stands for. Throws UsageError where records have
   * a column of such a name that is another one.
   */
  named(at: number): Cell | undefined {
    const { own, meant, columns } = this.#current.ofName[at]!;
    const ownCell = this.#cellAt(own);
    if (meant === undefined) return ownCell;
    const found = meant.findIndex((location) => isFilled(this.#cellAt(location)));
    if (meant[found] !== own) {
      const seen = this.#seen[at]!;
      // A column of the role itself does not count where it is empty. An object of that name, such as the customer, holds what the
      // heading means.
      const isPresent = meant.includes(own) ? isFilled(ownCell) : ownCell !== undefined;
      seen.own ||= isPresent && !(ownCell?.kind === 'array' && ownCell.text.startsWith('{'));
      if (found !== -1) seen.meant = columns[found];
      if (seen.own && seen.meant !== undefined) throw clash(this.#names[at]!, seen.meant);
    }
    return found === -1 ? ownCell : this.#cellAt(meant[found]!);
  }

  namedCells(from = 0, to = this.#names.length): (Cell | undefined)[] {
    const cells: (Cell | undefined)[] = [];
    for (let at = from; at < to; at++) cells.push(this.named(at));
    return cells;
  }

  roleOfName(at: number): Role | undefined {
    return this.#current.ofName[at]!.role;
  }

  columnsOf(role: Role): string[] {
    return ofAll(this.locations).flatMap(({ fields }) => fields.columns[role]);
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

  /** Whether it is in sums at all: no delivery guide, quote or order, and not void. */
  get isInSums(): boolean {
    return this.validity !== 'void' && !IN_NO_SUM.has(this.family);
  }

  /** The counterparty. An ID of punctuation alone is none. */
  get counterparty(): Counterparty {
    const fiscalId = this.text('counterpartyFiscalId');
    return { name: this.text('counterpartyName'), fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined };
  }

  #locationsOf(role: Role): readonly CellLocation[] {
    const locations = this.#current.ofRole.get(role);
    if (locations === undefined) throw new TypeError(`the role ${role} is not read`);
    return locations;
  }

  #cellAt(location: CellLocation): Cell | undefined {
    if (typeof location !== 'number') return location;
    const known = this.#cells[location];
    return known === null ? (this.#cells[location] = this.#cellOf(location)) : known;
  }
}

/** A currency as two are compared: ISO 4217 writes its codes in capitals, services and lists do not always. Undefined for none. */
export function bareCurrency(text: string | undefined): string | undefined {
  return text?.trim().toUpperCase() || undefined;
}

function clash(name: string, meant: string): UsageError {
  return new UsageError(
    `${name} can mean two columns: the records have one of that name, and it also stands for ${meant}`,
    {
      hint: `Write ${meant} for that one. For the other, say that it is meant with --field <field>=${name}.`,
    },
  );
}
