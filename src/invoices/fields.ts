import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';

/** The column that says of which organization a record is, where there are several. */
export const PROFILE_COLUMN = '_profile';

/** What a column can mean in a record of the service. */
export const ROLES = [
  'open',
  'paid',
  'total',
  'net',
  'exempt',
  'tax',
  'due',
  'date',
  'number',
  'documentType',
  'status',
  'cancelled',
  'reference',
  'currency',
  'counterpartyName',
  'counterpartyFiscalId',
  'balance',
] as const;
/** What a column means, such as `due`. */
export type Role = (typeof ROLES)[number];

/** The roles whose cells are amounts of a document: in sums they count for what the document is worth. */
export const AMOUNT_ROLES = ['open', 'paid', 'total', 'net', 'exempt', 'tax'] as const;
/** One of these roles. */
export type AmountRole = (typeof AMOUNT_ROLES)[number];

/**
 * The names by which `--field` and the settings know what can be mapped. The open amount is `amount` there; `sharedIds` are
 * no column, but fiscal IDs with commas between them.
 */
export const FIELD_NAMES: readonly string[] = [
  'amount',
  ...ROLES.filter((role) => role !== 'open'),
  'sharedIds',
];

/** The listings whose records have columns that are known. */
type KnownListing = 'issued' | 'received' | 'customers' | 'funds' | 'fund documents';

/** For each role the columns that it may be in: the first that has a value counts. A column `=CLP` stands for the value CLP. */
export type RoleColumns = Readonly<Record<Role, readonly string[]>>;

/** What the columns of a profile's records mean. */
export interface Fields {
  readonly columns: RoleColumns;
  /** Fiscal IDs that many share, as they are written. */
  readonly sharedIds: readonly string[];
}

const MEANING: Readonly<Record<Role, string>> = {
  open: 'an open amount',
  paid: 'a paid amount',
  total: 'a total',
  net: 'a net amount',
  exempt: 'an exempt amount',
  tax: 'a tax amount',
  due: 'a due date',
  date: 'a date of issue',
  number: 'a number',
  documentType: 'a document type',
  status: 'a status',
  cancelled: 'a mark of cancelled documents',
  reference: 'a reference to another document',
  currency: 'a currency',
  counterpartyName: "a counterparty's name",
  counterpartyFiscalId: "a counterparty's fiscal ID",
  balance: 'a balance',
};

const NOWHERE: RoleColumns = {
  open: [],
  paid: [],
  total: [],
  net: [],
  exempt: [],
  tax: [],
  due: [],
  date: [],
  number: [],
  documentType: [],
  status: [],
  cancelled: [],
  reference: [],
  currency: [],
  counterpartyName: [],
  counterpartyFiscalId: [],
  balance: [],
};

const OF_ANY_DOCUMENT: RoleColumns = {
  ...NOWHERE,
  open: ['amountToBePaid', 'openAmount', 'amountDue'],
  paid: ['paidAmount', 'amountPaid'],
  total: ['totalAmount', 'total', 'amount'],
  net: ['netAmount'],
  exempt: ['exemptAmount'],
  tax: ['taxAmount'],
  due: ['dueBy', 'dueByDate', 'dueDate'],
  date: ['date', 'emissionDate', 'issueDate'],
  number: ['number', 'folio', 'documentNumber', 'invoiceNumber'],
  documentType: ['documentType', 'type'],
  status: ['status', 'state'],
  currency: ['currency', 'currencyCode'],
};

/** The columns that are known, by listing. Nothing is guessed of references: only a setting says where they are. */
const KNOWN: Readonly<Record<KnownListing, RoleColumns>> = {
  issued: {
    ...OF_ANY_DOCUMENT,
    counterpartyName: ['customer.name', 'customerName', 'receiver.name', 'receiverName'],
    counterpartyFiscalId: ['receiverFiscalId', 'customer.fiscalId', 'customerFiscalId'],
  },
  received: {
    ...OF_ANY_DOCUMENT,
    counterpartyName: ['issuer.name', 'issuerName', 'supplier.name', 'supplierName'],
    counterpartyFiscalId: ['issuerFiscalId', 'issuer.fiscalId', 'supplierFiscalId'],
  },
  'fund documents': {
    ...OF_ANY_DOCUMENT,
    counterpartyName: ['issuer.name', 'supplier.name', 'name'],
    counterpartyFiscalId: ['issuerFiscalId', 'issuer.fiscalId', 'supplierFiscalId'],
    documentType: ['documentType', 'type'],
  },
  funds: {
    ...NOWHERE,
    number: ['number', 'folio'],
    date: ['createdAt', 'date'],
    total: ['amount', 'totalAmount'],
    balance: ['balance', 'availableAmount', 'remainingAmount'],
    currency: ['currency', 'currencyCode'],
    status: ['status', 'state'],
  },
  customers: {
    ...NOWHERE,
    counterpartyName: ['name', 'legalName', 'businessName'],
    counterpartyFiscalId: ['fiscalId', 'taxId'],
    balance: ['balance.total', 'balance'],
    currency: ['currency', 'currencyCode'],
  },
};

/** Of Chile: anybody abroad, and whoever buys without saying who it is. */
export const SHARED_IDS = ['55555555-5', '66666666-6'];

/** What the columns of a listing usually mean; for records of no listing, what those of issued invoices mean. */
export function usualFields(listing: string | undefined): Fields {
  const columns = isKnownListing(listing) ? KNOWN[listing] : KNOWN.issued;
  return { columns, sharedIds: SHARED_IDS };
}

function isKnownListing(name: string | undefined): name is KnownListing {
  return name !== undefined && Object.hasOwn(KNOWN, name);
}

/** Where the organization's own fiscal ID may be in invoices of the listing, the likeliest first. */
export function ownIdColumns(listing: 'issued' | 'received'): readonly string[] {
  return listing === 'issued'
    ? ['issuerFiscalId', 'issuer.fiscalId']
    : ['receiverFiscalId', 'receiver.fiscalId'];
}

/** Where the organization's own name may be in invoices of the listing, the likeliest first. */
export function ownNameColumns(listing: 'issued' | 'received'): readonly string[] {
  return listing === 'issued' ? ['issuer.name', 'issuerName'] : ['receiver.name', 'receiverName'];
}

/** The fields with the user's columns in place of theirs, by the names of `FIELD_NAMES`. Throws UsageError for another name. */
export function mapFields(fields: Fields, map: Readonly<Record<string, string>>): Fields {
  const columns: Record<Role, readonly string[]> = { ...fields.columns };
  let { sharedIds } = fields;
  for (const [name, column] of Object.entries(map)) {
    const role = roleOfField(name);
    if (name === 'sharedIds') sharedIds = column.split(',').filter((id) => id.trim() !== '');
    else if (role !== undefined) columns[role] = [column];
    else {
      throw new UsageError(`there is no field ${name} to map`, {
        hint: `The fields are ${FIELD_NAMES.join(', ')}.`,
      });
    }
  }
  return { columns, sharedIds };
}

function roleOfField(name: string): Role | undefined {
  return name === 'amount' ? 'open' : ROLES.find((role) => role === name);
}

/** The role that a column has; undefined for a column without a meaning. Where several have it, the first of `ROLES`. */
export function roleOfColumn({ columns }: Fields, column: string): Role | undefined {
  return ROLES.find((role) => columns[role].includes(column));
}

/** Whether a role is one of the amounts of a document. */
export function isAmountRole(role: Role | undefined): role is AmountRole {
  return role !== undefined && (AMOUNT_ROLES as readonly Role[]).includes(role);
}

/** The value of a column `=CLP`, which is the same for every record; undefined for any other column. */
export function fixedValue(column: string): string | undefined {
  return column.startsWith('=') ? column.slice(1) : undefined;
}

/** `a due date`. */
export function meaningOf(role: Role): string {
  return MEANING[role];
}

/** `a due date in dueBy or dueByDate`. */
export function describeRole({ columns }: Fields, role: Role): string {
  return columns[role].length === 0 ? MEANING[role] : `${MEANING[role]} in ${columns[role].join(' or ')}`;
}

/** The name by which --field and the settings know a role. */
export function fieldOf(role: Role): string {
  return role === 'open' ? 'amount' : role;
}

/** A hint that says how to name the column of a role. */
export function howToMap(role: Role): string {
  const field = fieldOf(role);
  const one = role === 'currency' ? ' All in one currency: --field currency==CLP.' : '';
  return `Say which column it is in with --field ${field}=<column>, or for good with \`folio config set fields.${field} <column>\`.${one}`;
}

/** What holds for the records of which profile. */
export interface ByProfile<Value> {
  /** Of the records of every profile that is not told apart. */
  readonly usual: Value;
  /** That of each profile, where records say in `_profile` of which they are. */
  readonly byProfile?: ReadonlyMap<string, Value> | undefined;
}

/** Whose records have which fields. */
export type FieldsOf = ByProfile<Fields>;

/** What holds for the records of any profile. */
export function ofAny<Value>({ usual, byProfile }: ByProfile<Value>): Value[] {
  return [usual, ...(byProfile?.values() ?? [])];
}

/** What holds for the records of one profile. */
export function ofProfile<Value>({ usual, byProfile }: ByProfile<Value>, profile: string | undefined): Value {
  return (profile === undefined ? undefined : byProfile?.get(profile)) ?? usual;
}

/** The same, with something made of what holds for each profile. */
export function mapProfiles<Value, Made>(
  { usual, byProfile }: ByProfile<Value>,
  make: (value: Value) => Made,
): ByProfile<Made> {
  const profiles = byProfile && new Map([...byProfile].map(([name, value]) => [name, make(value)]));
  return { usual: make(usual), byProfile: profiles };
}

/** Where each of the columns is among those that are read; for a fixed value, the cell itself. */
export function placesAmong(columns: readonly string[], read: readonly string[]): (number | Cell)[] {
  return columns.map((name) => {
    const text = fixedValue(name);
    return text === undefined ? read.indexOf(name) : { kind: 'string', text };
  });
}

/** What the cells of a column are meant to be, whatever a record holds in it: an amount of money, or the day of a document. */
type MeantKind = 'money' | 'day';

/** Names whose last word says that they are money: `totalAmount`, `unit_price`, `balance`. */
const MONEY_NAME = /(?:^|[\W_])(?:amount|balance|price)$|[a-z\d](?:Amount|Balance|Price)$/;

/** What a column is meant to hold in the records of any profile; undefined where only its values tell. */
export function meantKind(fields: FieldsOf | undefined, column: string): MeantKind | undefined {
  const all = fields === undefined ? [] : ofAny(fields);
  const has = (role: Role): boolean => all.some(({ columns }) => columns[role].includes(column));
  if (has('date') || has('due')) return 'day';
  return has('balance') || AMOUNT_ROLES.some(has) || MONEY_NAME.test(column) ? 'money' : undefined;
}
