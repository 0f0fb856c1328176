import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';

/** The column that says of which organization a record is, where there are several. */
export const PROFILE_COLUMN = '_profile';

/** The fields of an invoice that questions need, by the names that `--field` and the settings use. */
export const KNOWN_FIELDS = [
  'amount',
  'total',
  'due',
  'date',
  'currency',
  'counterpartyName',
  'counterpartyFiscalId',
] as const;
/** The name of one of these fields. */
export type KnownField = (typeof KNOWN_FIELDS)[number];

/** For each field the columns it may be in: the first that has a value counts. A column `=CLP` stands for the value CLP. */
export type KnownColumns = Readonly<Record<KnownField, readonly string[]>>;

const MEANING: Readonly<Record<KnownField, string>> = {
  amount: 'an open amount',
  total: 'a total',
  due: 'a due date',
  date: 'a date of issue',
  currency: 'a currency',
  counterpartyName: "a counterparty's name",
  counterpartyFiscalId: "a counterparty's fiscal ID",
};

const OF_ANY_INVOICE = {
  amount: ['amountToBePaid', 'openAmount', 'amountDue'],
  total: ['totalAmount', 'total', 'amount'],
  due: ['dueBy', 'dueByDate', 'dueDate'],
  date: ['date', 'emissionDate', 'issueDate'],
  currency: ['currency', 'currencyCode'],
};

/** The usual columns of issued invoices. */
export const ISSUED_COLUMNS: KnownColumns = {
  ...OF_ANY_INVOICE,
  counterpartyName: ['customer.name', 'customerName', 'receiver.name', 'receiverName'],
  counterpartyFiscalId: ['receiverFiscalId', 'customer.fiscalId', 'customerFiscalId'],
};

/** The usual columns of received invoices. */
export const RECEIVED_COLUMNS: KnownColumns = {
  ...OF_ANY_INVOICE,
  counterpartyName: ['issuer.name', 'issuerName', 'supplier.name', 'supplierName'],
  counterpartyFiscalId: ['issuerFiscalId', 'issuer.fiscalId', 'supplierFiscalId'],
};

/** The defaults with the user's columns in place of theirs. Throws UsageError for a field that does not exist. */
export function mapKnownColumns(defaults: KnownColumns, map: Readonly<Record<string, string>>): KnownColumns {
  const fields = { ...defaults };
  for (const [field, column] of Object.entries(map)) {
    if (!isKnownField(field)) {
      throw new UsageError(`there is no field ${field} to map`, {
        hint: `The fields are ${KNOWN_FIELDS.join(', ')}.`,
      });
    }
    fields[field] = [column];
  }
  return fields;
}

function isKnownField(name: string): name is KnownField {
  return (KNOWN_FIELDS as readonly string[]).includes(name);
}

/** Finds fields in records, and knows which fields no record had. */
export class FieldFinder {
  /** The columns whose cells `find` needs, in this order. */
  readonly columns: readonly string[];
  /** The fields that it looks for. */
  readonly wanted: readonly KnownField[];
  readonly #fields: KnownColumns;
  readonly #places: ReadonlyMap<KnownField, readonly (number | Cell)[]>;
  /** For each field that was found, the column in which it was found last. */
  readonly #found = new Map<KnownField, string>();

  constructor(fields: KnownColumns, wanted: readonly KnownField[]) {
    this.#fields = fields;
    this.wanted = wanted;
    const names = wanted.flatMap((field) => fields[field]);
    this.columns = [...new Set(names.filter((name) => fixedValue(name) === undefined))];
    const placeOf = (name: string): number | Cell => fixedValue(name) ?? this.columns.indexOf(name);
    this.#places = new Map(wanted.map((field) => [field, fields[field].map(placeOf)]));
  }

  /** The cell of the first of the field's columns that has a value; undefined where none has. */
  find(field: KnownField, cells: readonly (Cell | undefined)[]): Cell | undefined {
    for (const [index, place] of this.#places.get(field)!.entries()) {
      const cell = typeof place === 'number' ? cells[place] : place;
      if (cell === undefined || cell.text === '') continue;
      this.#found.set(field, this.#fields[field][index]!);
      return cell;
    }
    return undefined;
  }

  /** The column in which the field was found last. */
  columnOf(field: KnownField): string {
    return this.#found.get(field) ?? this.#fields[field].join(' or ');
  }

  /** Whether any record had the field so far. */
  has(field: KnownField): boolean {
    return this.#found.has(field);
  }

  /** `a due date in dueBy or dueByDate`. */
  describe(field: KnownField): string {
    return `${MEANING[field]} in ${this.#fields[field].join(' or ')}`;
  }
}

/** The value of a column `=CLP`: the same for every record. */
function fixedValue(column: string): Cell | undefined {
  return column.startsWith('=') ? { kind: 'string', text: column.slice(1) } : undefined;
}

/** A hint that says how to name the column of a field. */
export function howToMap(field: KnownField): string {
  return `Say which column it is in with --field ${field}=<column>, or for good with \`folio config set fields.${field} <column>\`.`;
}
