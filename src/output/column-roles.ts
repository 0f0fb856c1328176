/**
 * What a column is for its reader: this decides its width, how it is shown, and which columns stay where room is short. A `kind` is
 * what folio itself says of a row, in a few words; a `value` may be of any column: an amount, an ID, a text.
 */
export type ColumnRole =
  | 'profile'
  | 'number'
  | 'status'
  | 'date'
  | 'due'
  | 'party'
  | 'fiscalId'
  | 'amount'
  | 'open'
  | 'currency'
  | 'document'
  | 'kind'
  | 'value'
  | 'other';

/** A column that people look for in records of a known kind. */
export interface KnownColumn {
  /** What it may be called, the likeliest first: the first that any record has is the one. */
  readonly names: readonly string[];
  readonly role: ColumnRole;
  /** In the head of a table, where the column is too narrow for its name. */
  readonly word: string;
  /** Where room is short, columns of higher numbers go first; those without one are there only where room is left. */
  readonly rank?: number | undefined;
}

/** Roles by the name of a column, for columns of which only the name is known. The most important first. */
const ROLES: readonly (readonly [ColumnRole, RegExp])[] = [
  ['profile', /^_profile$/],
  ['number', /^(?:number|folio|(?:invoice|document)_?number)$/i],
  ['status', /^status$/i],
  ['due', /^[Dd]ue(?:_?[Bb]y)?(?:_?[Dd]ate)?$/],
  ['date', /^(?:[Dd]ate|\w+(?:Date|_date)|(?:issued|emitted)_?(?:at|on|At|On))$/],
  ['party', /^(?:counterparty|(?:(?:customer|issuer|receiver|supplier|provider|vendor|client)[._]?)?name)$/i],
  ['amount', /^(?:\w*(?:amount|balance)\w*|total|balance\.\w+)$/i],
  ['currency', /^currency(?:_?code)?$/i],
  ['fiscalId', /^(?:\w*[._])?\w*(?:fiscal|tax)_?id$|^(?:\w+[._])?rut$/i],
];

/** Names of numbers that identify rather than count: their digits are never grouped. */
const IDENTIFIER =
  /(?:^|[._])(?:id|number|invoice|folio|code|year|phone|zip)$|[a-z](?:I[Dd]|Number|Folio|Code|Year|Phone|Zip)$/;

/** Characters above which a name is not searched: that takes long, and such a name tells no role. */
const MAX_NAME = 100;

/** The role of a column: that of the known one of that name, or else what its name tells. */
export function roleOf(column: string, known: readonly KnownColumn[] = []): ColumnRole {
  const role = known.find(({ names }) => names.includes(column))?.role;
  if (role !== undefined) return role;
  if (column.length > MAX_NAME) return 'other';
  return ROLES.find(([, name]) => name.test(column))?.[0] ?? 'other';
}

/** The importance of a column: 0 for the most important. Equal ones keep the order of the records. */
export function rankOf(role: ColumnRole): number {
  const rank = ROLES.findIndex(([name]) => name === (role === 'due' ? 'date' : role));
  return rank < 0 ? ROLES.length : rank;
}

export function isIdentifier(column: string): boolean {
  return column.length <= MAX_NAME && IDENTIFIER.test(column);
}

/** Whether a column holds IDs, which are names even where they are numbers: `id`, `customer.id`, `trackingId`. */
export function isId(column: string): boolean {
  return column.length <= MAX_NAME && /(?:^|[._])id$|[a-z]I[dD]$/.test(column);
}

/** The known columns among `columns`, by name. Where a known column has several names, the first that is there counts. */
export function knownAmong(
  columns: readonly string[],
  known: readonly KnownColumn[],
): ReadonlyMap<string, KnownColumn> {
  const there = new Set(columns);
  const found = new Map<string, KnownColumn>();
  for (const column of known) {
    const name = column.names.find((one) => there.has(one) && !found.has(one));
    if (name !== undefined) found.set(name, column);
  }
  return found;
}

/** The known columns with the type of documents right behind their number, and as important: for rows of several types. */
export function withTypeByNumber(known: readonly KnownColumn[]): readonly KnownColumn[] {
  const [number, type] = ['number', 'document'].map((role) => known.find((one) => one.role === role));
  // The columns of a result have ranks of their own.
  if (number === undefined || type === undefined || type.rank !== undefined) return known;
  const beside = { ...type, rank: number.rank };
  return known.flatMap((one) => (one === number ? [number, beside] : one === type ? [] : one));
}

/**
 * The places of columns in the order of a screen: the profile, what people look for, all others.
 *
 * @param otherwise where another column comes among the others; by default in their order
 */
export function screenOrder(
  columns: readonly string[],
  known: readonly KnownColumn[],
  otherwise = (_place: number): number => 0,
): number[] {
  const found = knownAmong(columns, known);
  const order = columns.map((column, place) => {
    const like = found.get(column);
    if (roleOf(column, known) === 'profile') return -1;
    return like === undefined ? known.length + (found.size > 0 ? 0 : otherwise(place)) : known.indexOf(like);
  });
  return [...columns.keys()].sort((one, other) => order[one]! - order[other]!);
}

/** Of a result, what some of its columns are to their reader. */
export type ShownColumns = Readonly<Record<string, Partial<Omit<KnownColumn, 'names'>> | undefined>>;

/**
 * Columns of a result for a table: in their order, and, unless `shown` says otherwise, the first the most important. Where `shown` does not say
 * what a column is, the column of that name among the records' tells it, or else the name.
 */
export function shownInOrder(
  columns: readonly string[],
  shown: ShownColumns = {},
  ofRecords: readonly KnownColumn[] = [],
): KnownColumn[] {
  return columns.map((column, at) => ({
    names: [column],
    role: roleOf(column, ofRecords),
    word: column,
    rank: at,
    ...shown[column],
  }));
}
