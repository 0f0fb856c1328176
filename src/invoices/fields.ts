import { UsageError } from '../errors.ts';

/** The column with the profile of a record, where there are several. */
export const PROFILE_COLUMN = '_profile';

/** The meanings that a column can have: each with its phrase for messages, and the type of its cells. */
const MEANING = {
  open: ['an open amount', 'money'],
  paid: ['a paid amount', 'money'],
  total: ['a total', 'money'],
  net: ['a net amount', 'money'],
  exempt: ['an exempt amount', 'money'],
  tax: ['a tax amount', 'money'],
  due: ['a due date', 'date'],
  date: ['a date of issue', 'date'],
  number: ['a number', 'text'],
  documentType: ['a document type', 'text'],
  status: ['a status', 'text'],
  cancelled: ['a mark of cancelled documents', 'text'],
  currency: ['a currency', 'text'],
  counterpartyName: ["a counterparty's name", 'text'],
  counterpartyFiscalId: ["a counterparty's fiscal ID", 'text'],
  balance: ['a balance', 'money'],
} as const;
export type Role = keyof typeof MEANING;
export const ROLES = Object.keys(MEANING) as readonly Role[];

/** The roles whose cells are amounts of a document: in sums they count for what the document is worth. */
const AMOUNT_ROLES = ['open', 'paid', 'total', 'net', 'exempt', 'tax'] as const;
export type AmountRole = (typeof AMOUNT_ROLES)[number];

/**
 * The names that `--field` and the settings accept. The open amount is `amount` there; `sharedIds` are
 * not a column, but fiscal IDs with commas between them.
 */
export const FIELD_NAMES: readonly string[] = [
  'amount',
  ...ROLES.filter((role) => role !== 'open'),
  'sharedIds',
];

/**
 * The declared type of a column, whatever a record holds in it. Numbers that identify something, such as the number
 * of a document, are text; so is all that is neither money, a date, nor true or false. A `count` is a number that folio
 * counted itself.
 */
export type DeclaredType = 'text' | 'money' | 'date' | 'boolean' | 'list' | 'count';

/**
 * A column that the records of a listing may have, its type, and its role. If a role has several columns, the first with a
 * value counts. `payments.date` after the list `payments` is a column of the rows that --expand makes.
 */
export type DeclaredColumn = readonly [name: string, type: DeclaredType, role?: Role];

/** For each role, its possible columns: the first with a value counts. A column `=CLP` stands for the value CLP. */
type RoleColumns = Readonly<Record<Role, readonly string[]>>;

/** What the columns of a profile's records mean. */
export interface Fields {
  readonly columns: RoleColumns;
  /** Fiscal IDs that many parties share, as written. */
  readonly sharedIds: readonly string[];
  /** The columns that the listing declares, and those of the setting `known.<listing>`. */
  readonly declared: readonly DeclaredColumn[];
}

/** In Chile: for parties abroad, and for buyers without a name. */
const SHARED_IDS = ['55555555-5', '66666666-6'];

export function fieldsOfColumns(declared: readonly DeclaredColumn[]): Fields {
  const namesOf = (role: Role): string[] => declared.flatMap(([name, , own]) => (own === role ? name : []));
  const columns = Object.fromEntries(ROLES.map((role) => [role, namesOf(role)])) as Record<Role, string[]>;
  return { columns, sharedIds: SHARED_IDS, declared };
}

/** The columns of the organization's own fiscal ID and name in a listing's invoices, the likeliest first. */
export const OWN_ID_AND_NAME = {
  issued: { fiscalId: ['issuerFiscalId', 'issuer.fiscalId'], name: ['issuer.name', 'issuerName'] },
  received: { fiscalId: ['receiverFiscalId', 'receiver.fiscalId'], name: ['receiver.name', 'receiverName'] },
} as const;

/** `fields`, with columns replaced by the user's, by the names of `FIELD_NAMES`. Throws UsageError for another name. */
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
  return { ...fields, columns, sharedIds };
}

/** `fields`, with more declared columns, which few records have. Their types follow from their names. */
export function withKnown(fields: Fields, names: readonly string[] = []): Fields {
  const known = names.map((name): DeclaredColumn => [name, MONEY_NAME.test(name) ? 'money' : 'text']);
  return { ...fields, declared: [...fields.declared, ...known] };
}

function roleOfField(name: string): Role | undefined {
  return name === 'amount' ? 'open' : ROLES.find((role) => role === name);
}

export function isAmountRole(role: Role | undefined): role is AmountRole {
  return role !== undefined && (AMOUNT_ROLES as readonly Role[]).includes(role);
}

/** The value of a column `=CLP`, which is the same for every record; undefined for any other column. */
export function fixedValue(column: string): string | undefined {
  return column.startsWith('=') ? column.slice(1) : undefined;
}

/** `a due date`. */
export function phraseOf(role: Role): string {
  return MEANING[role][0];
}

/** `a due date in dueBy or dueByDate`. */
export function describeRole({ columns }: Fields, role: Role): string {
  const phrase = phraseOf(role);
  return columns[role].length === 0 ? phrase : `${phrase} in ${columns[role].join(' or ')}`;
}

/** The name of a role in --field and the settings. */
export function fieldOf(role: Role): string {
  return role === 'open' ? 'amount' : role;
}

export function howToMap(role: Role): string {
  const one = role === 'currency' ? ' All in one currency: --field currency==CLP.' : '';
  return `Say which column it is in with --field ${fieldOf(role)}=<column>.${one}`;
}

/** A value for the records of each profile. */
export interface ByProfile<Value> {
  /** The value of every profile that `byProfile` lacks. */
  readonly usual: Value;
  /** The value of each profile, if records have a `_profile` column. */
  readonly byProfile?: ReadonlyMap<string, Value> | undefined;
}

/** The fields of each profile's records. */
export type FieldsOf = ByProfile<Fields>;

export function ofAll<Value>({ usual, byProfile }: ByProfile<Value>): Value[] {
  return [usual, ...(byProfile?.values() ?? [])];
}

export function ofProfile<Value>({ usual, byProfile }: ByProfile<Value>, profile: string | undefined): Value {
  return (profile === undefined ? undefined : byProfile?.get(profile)) ?? usual;
}

/** Maps the value of every profile. */
export function mapProfiles<Value, Made>(
  { usual, byProfile }: ByProfile<Value>,
  make: (value: Value) => Made,
): ByProfile<Made> {
  const profiles = byProfile && new Map([...byProfile].map(([name, value]) => [name, make(value)]));
  return { usual: make(usual), byProfile: profiles };
}

/**
 * The names of undeclared columns of money: by the last word (`totalAmount`, `unit_price`, `balance`), or as
 * an amount that is due or paid. Any other column is taken as sent: as money, a text in it would be refused.
 */
export const MONEY_NAME =
  /(?:^|[\W_])(?:amount|balance|price)$|[a-z\d](?:Amount|Balance|Price)$|^amount(?:ToBePaid|Paid|Due|_paid|_due)$/;

/** The type of roles that are not text: a cell of theirs that cannot be read makes an answer incomplete. */
function typeOfRoles(roles: readonly Role[]): 'date' | 'money' | undefined {
  const types = roles.map((role) => MEANING[role][1]);
  return (['money', 'date'] as const).find((type) => types.includes(type));
}

/**
 * The type of a column in the records of any profile, in every file and database: the type of its role, else the
 * declared one. An undeclared column is money if its name is one of money; else undefined.
 */
export function declaredType(fields: FieldsOf, column: string): DeclaredType | undefined {
  const all = ofAll(fields);
  const roles = ROLES.filter((role) => all.some(({ columns }) => columns[role].includes(column)));
  const declared = fields.usual.declared.find(([name]) => name === column)?.[1];
  return typeOfRoles(roles) ?? declared ?? (MONEY_NAME.test(column) ? 'money' : undefined);
}

/** What the names of columns stand for besides themselves: roles, and the headings of tables. */
export interface Meanings {
  readonly fields: FieldsOf;
  /** For each heading the role of its column; or, without a role, its possible columns. */
  readonly headings?: ReadonlyMap<string, Role | readonly string[]>;
  /** The column of each heading, in --columns or in the export. Headings name columns of a file, not of records. */
  readonly byHeading?: ReadonlyMap<string, string> | undefined;
  /** The setting that declares more columns of the listing: `known.issued`. */
  readonly known?: string | undefined;
  /** Whether the records are rows of chosen columns: each has all of these, empty where a record did not have one. */
  readonly isChosen?: boolean;
  /** The list whose objects are the rows. */
  readonly rowsOf?: string;
}

/** The meanings if names only stand for themselves. */
export const PLAIN_MEANINGS: Meanings = { fields: { usual: fieldsOfColumns([]) } };

function meantBy(name: string, { headings }: Meanings): Role | readonly string[] | undefined {
  return ROLES.find((one) => one === name) ?? headings?.get(name);
}

/** The columns that a name stands for in records with these fields; undefined if it only stands for itself. */
export function columnsNamed(
  name: string,
  meanings: Meanings,
  fields: Fields,
): readonly string[] | undefined {
  const meant = meantBy(name, meanings);
  const columns = typeof meant === 'string' ? fields.columns[meant] : meant;
  return columns?.length === 1 && columns[0] === name ? undefined : columns;
}

/** The other names that stand for some of these columns. */
export function namesMeaning(columns: readonly string[], meanings: Meanings): readonly string[] {
  const hasColumn = (name: string): boolean =>
    ofAll(meanings.fields).some((fields) =>
      columnsNamed(name, meanings, fields)?.some((column) => columns.includes(column)),
    );
  return [...ROLES, ...(meanings.headings?.keys() ?? [])].filter(hasColumn);
}

/** The role of a column by any of its names: the first of `ROLES` that has it; undefined for a column without a meaning. */
export function roleNamed(name: string, meanings: Meanings, { columns }: Fields): Role | undefined {
  const isRole = ROLES.find((one) => one === name);
  const meant = isRole ?? ROLES.find((role) => columns[role].includes(name)) ?? meantBy(name, meanings);
  return typeof meant === 'string' ? meant : undefined;
}

const FISCAL_ID_COLUMN = /(?:^|\.)\w*(?:fiscal_?id|rut|tax_?id)$/i;

/** What a column is, by any of its names. */
export function meaningOf(name: string, meanings: Meanings) {
  const roles = ofAll(meanings.fields).flatMap((fields) => roleNamed(name, meanings, fields) ?? []);
  return {
    /** Its roles: the settings of each profile may give it another. */
    roles,
    /** The type of its cells in the records of any profile; undefined if undeclared: they may be money. */
    type:
      typeOfRoles(roles) ?? declaredType(meanings.fields, name) ?? (roles.length > 0 ? 'text' : undefined),
    /** Whether its cells are fiscal IDs: those of the counterparty, or by the name of the column. */
    hasFiscalIds: roles.includes('counterpartyFiscalId') || FISCAL_ID_COLUMN.test(name),
  };
}

/** The members of a payment, or of another object in a list, for amount, day and its own currency: the likeliest first. */
export const PAYMENT_MEMBERS = {
  amount: ['amount', 'paidAmount', 'value'],
  date: ['date', 'paidAt', 'paymentDate'],
  currency: ['currency', 'currencyCode'],
} as const;

/** The names for rows of the objects in a list, which may have a currency of their own. */
export function withCurrencyOf(list: string, meanings: Meanings): Meanings {
  const currency = PAYMENT_MEMBERS.currency.map((column) => `${list}.${column}`);
  return { ...meanings, rowsOf: list, fields: withColumns(meanings.fields, { currency }) };
}

/** `fields`, with columns to try first for some roles. */
export function withColumns(fields: FieldsOf, likelier: Partial<RoleColumns>): FieldsOf {
  const columnsOf = ({ columns }: Fields, role: Role) => [...(likelier[role] ?? []), ...columns[role]];
  return mapProfiles(fields, (of) => ({
    ...of,
    columns: Object.fromEntries(ROLES.map((role) => [role, columnsOf(of, role)])) as Record<Role, string[]>,
  }));
}
