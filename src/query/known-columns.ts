import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';

/** What aging has to know of an invoice; the names that a map of fields uses. */
export const KNOWN_FIELDS = [
  'amount',
  'due',
  'currency',
  'counterpartyName',
  'counterpartyFiscalId',
] as const;
export type KnownField = (typeof KNOWN_FIELDS)[number];

/** For each field the columns to look in, in order: the first that has a value counts. `=CLP` is that value itself. */
export type KnownColumns = Readonly<Record<KnownField, readonly string[]>>;

const MEANING: Readonly<Record<KnownField, string>> = {
  amount: 'open amount',
  due: 'due date',
  currency: 'currency',
  counterpartyName: "counterparty's name",
  counterpartyFiscalId: "counterparty's fiscal ID",
};

const OF_ANY_INVOICE = { amount: ['amountToBePaid'], due: ['dueBy'], currency: ['currency'] };

export const ISSUED_COLUMNS: KnownColumns = {
  ...OF_ANY_INVOICE,
  counterpartyName: ['customer.name'],
  counterpartyFiscalId: ['receiverFiscalId', 'customer.fiscalId'],
};

export const RECEIVED_COLUMNS: KnownColumns = {
  ...OF_ANY_INVOICE,
  counterpartyName: ['issuer.name'],
  counterpartyFiscalId: ['issuerFiscalId', 'issuer.fiscalId'],
};

/** The defaults with the user's columns in place of theirs. Throws UsageError for a field that there is not. */
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

/** `=CLP` in a map: the same for every record, where the records do not say it. */
export function fixedValue(column: string): Cell | undefined {
  return column.startsWith('=') ? { kind: 'string', text: column.slice(1) } : undefined;
}

/** Says which field is wanting, where it was looked for, and how to map it. `who` is `record 17` or `no record`. */
export function missingFieldError(field: KnownField, fields: KnownColumns, who: string): UsageError {
  const verb = who.startsWith('no ') ? 'has a' : 'has no';
  return new UsageError(`no figures: ${who} ${verb} ${MEANING[field]} in ${fields[field].join(' or ')}`, {
    hint: `Say which column it is in with --field ${field}=<column>, or for good with \`folio config set fields.${field} <column>\`.`,
  });
}
