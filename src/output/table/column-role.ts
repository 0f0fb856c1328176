/** What a column is to its reader, judged by its name alone: records are whatever the service sends. */
export type ColumnRole = 'profile' | 'number' | 'status' | 'date' | 'party' | 'amount' | 'currency' | 'other';

/** In the order in which columns matter. */
const ROLES: readonly (readonly [ColumnRole, RegExp])[] = [
  ['profile', /^_profile$/],
  ['number', /^(?:number|folio|(?:invoice|document)_?number)$/i],
  ['status', /^status$/i],
  ['date', /^(?:[Dd]ate|\w+(?:Date|_date)|[Dd]ue(?:_?[Bb]y)?|(?:issued|emitted)_?(?:at|on|At|On))$/],
  ['party', /^(?:counterparty|(?:(?:customer|issuer|receiver|supplier|provider|vendor|client)[._]?)?name)$/i],
  ['amount', /^(?:\w*(?:amount|balance)\w*|total|balance\.\w+)$/i],
  ['currency', /^currency$/i],
];

/** Names of numbers that identify rather than count: their digits are never grouped. */
const IDENTIFIER =
  /(?:^|[._])(?:id|number|invoice|folio|code|year|phone|zip)$|[a-z](?:I[Dd]|Number|Folio|Code|Year|Phone|Zip)$/;

export function roleOf(column: string): ColumnRole {
  return ROLES.find(([, name]) => name.test(column))?.[0] ?? 'other';
}

/** Where the column stands among others, from 0 for what matters most. Equals keep the order of the records. */
export function rankOf(role: ColumnRole): number {
  const rank = ROLES.findIndex(([name]) => name === role);
  return rank < 0 ? ROLES.length : rank;
}

export function isIdentifier(column: string): boolean {
  return IDENTIFIER.test(column);
}

/** Whether the column says until when something is to be paid. */
export function isDueDate(column: string): boolean {
  return /^due/i.test(column);
}
