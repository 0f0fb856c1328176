import { MONEY_NAME } from '../invoices/fields.ts';

/**
 * How a column is shown: this decides its width, its colour, and whether a narrow table keeps it. A `kind` is what
 * folio itself states about a row, in a few words; a `value` may be of any column: an amount, an ID, a text; a `bar` is drawn.
 */
export type ColumnLook =
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
  | 'bar'
  | 'other';

export interface KnownColumn {
  /** Possible names, the likeliest first: the first that any record has counts. */
  readonly names: readonly string[];
  readonly look: ColumnLook;
  /** The head of a table's column that is too narrow for its name. */
  readonly word: string;
  /** A narrow table leaves out higher ranks first; columns without a rank are shown only if room is left. */
  readonly rank?: number | undefined;
}

/** Looks by name, for columns that are not known. The most important first. */
const LOOKS: readonly (readonly [ColumnLook, RegExp])[] = [
  ['profile', /^_profile$/],
  ['number', /^(?:number|folio|(?:invoice|document)_?number)$/i],
  ['status', /^status$/i],
  ['due', /^[Dd]ue(?:_?[Bb]y)?(?:_?[Dd]ate)?$/],
  ['date', /^(?:[Dd]ate|\w+(?:Date|_date)|(?:issued|emitted)_?(?:at|on|At|On))$/],
  ['party', /^(?:counterparty|(?:(?:customer|issuer|receiver|supplier|provider|vendor|client)[._]?)?name)$/i],
  ['amount', MONEY_NAME],
  ['currency', /^currency(?:_?code)?$/i],
  ['fiscalId', /^(?:\w*[._])?\w*(?:fiscal|tax)_?id$|^(?:\w+[._])?rut$/i],
];

/** Names of numbers that identify rather than count: their digits are never grouped. */
const IDENTIFIER =
  /(?:^|[._])(?:id|number|invoice|folio|code|year|phone|zip)$|[a-z](?:I[Dd]|Number|Folio|Code|Year|Phone|Zip)$/;

/** Longer names are not matched: that takes long, and no look applies to them. */
const MAX_NAME = 100;

/** The look of the known column of that name, else the look by its name. */
export function lookOf(column: string, known: readonly KnownColumn[] = []): ColumnLook {
  const look = known.find(({ names }) => names.includes(column))?.look;
  if (look !== undefined) return look;
  if (column.length > MAX_NAME) return 'other';
  return LOOKS.find(([, name]) => name.test(column))?.[0] ?? 'other';
}

/** The importance of a column: 0 for the most important. Equal ones keep the order of the records. */
export function rankOf(look: ColumnLook): number {
  const rank = LOOKS.findIndex(([name]) => name === (look === 'due' ? 'date' : look));
  return rank < 0 ? LOOKS.length : rank;
}

export function isIdentifier(column: string): boolean {
  return column.length <= MAX_NAME && IDENTIFIER.test(column);
}

/** Whether a column has IDs, also those that are numbers: `id`, `customer.id`, `trackingId`. */
export function isId(column: string): boolean {
  return column.length <= MAX_NAME && /(?:^|[._])id$|[a-z]I[dD]$/.test(column);
}

/** The known columns among `columns`, by the first of their names that is there. */
export function knownAmong(
  columns: readonly string[],
  known: readonly KnownColumn[],
): ReadonlyMap<string, KnownColumn> {
  const all = new Set(columns);
  const found = new Map<string, KnownColumn>();
  for (const column of known) {
    const name = column.names.find((one) => all.has(one) && !found.has(one));
    if (name !== undefined) found.set(name, column);
  }
  return found;
}

/**
 * The known columns. If the rows have several types of documents, the type follows the number, with the same rank.
 *
 * @param textsAt the texts of the rows in a column
 */
export function knownOfRows(
  columns: readonly string[],
  known: readonly KnownColumn[],
  textsAt: (index: number) => readonly (string | undefined)[],
): readonly KnownColumn[] {
  const [number, type] = ['number', 'document'].map((look) => known.find((one) => one.look === look));
  const types = new Set(textsAt(columns.findIndex((column) => lookOf(column, known) === 'document')));
  // The columns of a result have ranks of their own.
  if (number === undefined || type === undefined || type.rank !== undefined) return known;
  if ([...types].filter(Boolean).length < 2) return known;
  const beside = { ...type, rank: number.rank };
  return known.flatMap((one) => (one === number ? [number, beside] : one === type ? [] : one));
}

/**
 * The indexes of columns in the order of a screen: the profile, what people look for, all others.
 *
 * @param rankOfOther the order of the others where none is known; by default as they are
 */
export function screenOrder(
  columns: readonly string[],
  known: readonly KnownColumn[],
  rankOfOther = (_index: number): number => 0,
): number[] {
  const found = knownAmong(columns, known);
  const order = columns.map((column, index) => {
    const like = found.get(column);
    if (lookOf(column, known) === 'profile') return -1;
    return like === undefined
      ? known.length + (found.size > 0 ? 0 : rankOfOther(index))
      : known.indexOf(like);
  });
  return [...columns.keys()].sort((one, other) => order[one]! - order[other]!);
}

export type ShownColumns = Readonly<Record<string, Partial<Omit<KnownColumn, 'names'>> | undefined>>;

/** The columns of a result, ranked by position by default, with the looks of the records' columns of that name. */
export function shownInOrder(
  columns: readonly string[],
  shown: ShownColumns = {},
  ofRecords: readonly KnownColumn[] = [],
): KnownColumn[] {
  return columns.map((column, at) => ({
    names: [column],
    look: lookOf(column, ofRecords),
    word: column,
    rank: at,
    ...shown[column],
  }));
}
