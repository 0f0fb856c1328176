import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';
import { familyOf, IN_NO_SUM, validityOf, type Family, type Validity } from './documents.ts';
import {
  describeRole,
  fixedValue,
  howToMap,
  mapProfiles,
  ofAny,
  ofProfile,
  placesAmong,
  PROFILE_COLUMN,
  type ByProfile,
  type Fields,
  type FieldsOf,
  type Role,
} from './fields.ts';
import { counterpartyKey, isFiscalId, type Counterparty } from './fiscal-ids.ts';

/** Where the cells of each role are, for the records of some profile. */
interface Places {
  readonly fields: Fields;
  readonly ofRole: ReadonlyMap<Role, readonly (number | Cell)[]>;
}

/** What a record says, by the roles of its columns. */
export class Invoice {
  /** The profile whose record it is, where there are several. */
  readonly profile: string | undefined;
  readonly #places: Places;
  readonly #cells: readonly (Cell | undefined)[];

  constructor(places: Places, cells: readonly (Cell | undefined)[], profile: string | undefined) {
    this.#places = places;
    this.#cells = cells;
    this.profile = profile;
  }

  /** What the columns of this record mean. */
  get fields(): Fields {
    return this.#places.fields;
  }

  /** The cell of the first of the role's columns that has a value. Missing, null and empty are one: undefined. */
  cell(role: Role): Cell | undefined {
    return this.found(role)?.cell;
  }

  /** The same cell with the column that it is in. */
  found(role: Role): { readonly cell: Cell; readonly column: string } | undefined {
    const places = this.#places.ofRole.get(role);
    if (places === undefined) throw new TypeError(`the role ${role} is not read`);
    for (const [index, place] of places.entries()) {
      const cell = typeof place === 'number' ? this.#cells[place] : place;
      if (cell === undefined || cell.text === '') continue;
      return { cell, column: this.fields.columns[role][index]! };
    }
    return undefined;
  }

  /** Its currency, as amounts are told apart by it. */
  get currency(): string | undefined {
    return bareCurrency(this.cell('currency')?.text);
  }

  /** What kind of document it is. */
  get family(): Family {
    return familyOf(this.cell('documentType')?.text);
  }

  /** Whether it was cancelled, or never was a document. */
  get validity(): Validity {
    return validityOf(this.cell('status')?.text, this.cell('cancelled')?.text);
  }

  /** Whether it is in sums at all: no delivery guide, quote or order, and not void. */
  get isInSums(): boolean {
    return this.validity !== 'void' && !IN_NO_SUM.has(this.family);
  }

  /** The counterparty. An ID of punctuation alone is none. */
  get counterparty(): Counterparty {
    const fiscalId = this.cell('counterpartyFiscalId')?.text;
    return {
      name: this.cell('counterpartyName')?.text,
      fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined,
    };
  }

  /** A text that is equal for two records of one counterparty. */
  get counterpartyKey(): string {
    return counterpartyKey(this.counterparty, this.fields.sharedIds);
  }
}

/** A currency as two are compared: ISO 4217 writes its codes in capitals, services and lists do not always. Undefined for none. */
export function bareCurrency(text: string | undefined): string | undefined {
  return text?.trim().toUpperCase() || undefined;
}

/** Reads cells as what a record says, each record by the fields of its own profile. Knows which roles no record had. */
export class InvoiceReader {
  /** The columns whose cells `read` needs, in this order. */
  readonly columns: readonly string[];
  readonly #places: ByProfile<Places>;
  readonly #roles: readonly Role[];
  /** The roles that no record had so far. */
  readonly #unseen: Set<Role>;

  constructor(fields: FieldsOf, roles: readonly Role[]) {
    this.#unseen = new Set(roles);
    this.#roles = [...this.#unseen];
    const names = ofAny(fields).flatMap(({ columns }) => this.#roles.flatMap((role) => columns[role]));
    const own = fields.byProfile === undefined ? [] : [PROFILE_COLUMN];
    this.columns = [...new Set([...own, ...names.filter((name) => fixedValue(name) === undefined)])];
    this.#places = mapProfiles(fields, (own) => ({
      fields: own,
      ofRole: new Map(this.#roles.map((role) => [role, placesAmong(own.columns[role], this.columns)])),
    }));
  }

  /** What the cells say; those of `columns`, in their order. */
  read(cells: readonly (Cell | undefined)[]): Invoice {
    const profile = this.#places.byProfile === undefined ? undefined : cells[0]?.text;
    const invoice = new Invoice(ofProfile(this.#places, profile), cells, profile);
    for (const role of this.#unseen) if (invoice.cell(role) !== undefined) this.#unseen.delete(role);
    return invoice;
  }

  /** Whether any record had the role so far. */
  has(role: Role): boolean {
    return this.#roles.includes(role) && !this.#unseen.has(role);
  }

  /** The columns that the role may be in, in the records of any profile. */
  columnsOf(role: Role): string[] {
    return ofAny(this.#places).flatMap(({ fields }) => fields.columns[role]);
  }

  /** `a due date in dueBy or dueByDate`. */
  describe(role: Role): string {
    return describeRole(this.#places.usual.fields, role);
  }

  /**
   * Throws UsageError where no record has one of the roles: an answer without it would be wrong and not say so, such as a sum of
   * amounts whose currencies are unknown.
   *
   * @param what cannot be told: `no figures`
   * @param isThere whether records have a column of that name, be it without a value
   */
  refuseWithout(roles: readonly Role[], what: string, isThere: (column: string) => boolean): void {
    const missing = roles.find((role) => !this.has(role) && !this.columnsOf(role).some(isThere));
    if (missing === undefined) return;
    throw new UsageError(`${what}: no record has ${this.describe(missing)}`, {
      hint: howToMap(missing),
      details: { code: 'column missing', role: missing, columns: this.columnsOf(missing) },
    });
  }
}
