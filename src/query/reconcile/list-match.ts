import { UsageError } from '../../errors.ts';

/** Which listing of the service a list is held against. */
export type Against = 'issued' | 'received';

/** What can be known of a document in a list. */
export const LIST_FIELDS = [
  'number',
  'total',
  'documentType',
  'counterpartyFiscalId',
  'counterpartyName',
  'date',
  'currency',
  'net',
  'exempt',
  'tax',
] as const;
export type ListField = (typeof LIST_FIELDS)[number];

/** The headings of --match, by field. */
export type Match = ReadonlyMap<ListField, string>;

/** Reads `number=Invoice,total=Amount`; repeated, all of them count. Throws UsageError. */
export function parseMatch(text: string, before: Match = new Map()): Match {
  const match = new Map(before);
  // A heading may have a comma, but none that a field and a = follow.
  for (const part of text.split(/,(?=\s*[A-Za-z]+\s*=)/)) {
    const [, name = '', heading = ''] = /^\s*([A-Za-z]*)\s*=(.*)$/s.exec(part) ?? [];
    const field = LIST_FIELDS.find((one) => one === name);
    if (field === undefined || heading.trim() === '') {
      throw new UsageError(`--match ${JSON.stringify(part.trim())}: expected field=heading`, {
        hint: `The fields are ${LIST_FIELDS.join(', ')}.`,
      });
    }
    if (match.has(field)) {
      throw new UsageError(`--match names ${field} twice`, { hint: 'Name one heading for each field.' });
    }
    match.set(field, heading.trim());
  }
  return match;
}

/** Throws UsageError where --match leaves out what every document needs. */
export function checkMatch(match: Match): void {
  for (const field of ['number', 'total'] as const) {
    if (match.has(field)) continue;
    throw new UsageError(`--match does not say which column is the ${field}`, {
      hint: `Add ${field}=<heading>: number and total are needed.`,
    });
  }
}
