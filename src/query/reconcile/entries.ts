import { familyOf, typeCodeOf, type Family, type Validity } from '../../invoices/documents.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { multiplyDecimals, negateDecimal, type Decimal } from '../../json/decimal.ts';

/** What becomes of a document with a row, in the order in which the rows come out. */
export const ROW_OUTCOMES = [
  'same',
  'differs',
  'not compared',
  'only in the list',
  'only in the service',
  'near',
  'ambiguous',
  'twice in the list',
  'twice in the service',
] as const;

/** What became of a document. The last two have no row: they are counted apart, or do not belong to these lists. */
export type Outcome = (typeof ROW_OUTCOMES)[number] | 'pending before' | 'unmatched';

/** The facts in which a document may differ on the two sides. `void` and `cancelled` are states in the service. */
export const DIFFERENCES = [
  ...(['total', 'net', 'tax', 'date', 'type', 'counterparty', 'number'] as const),
  ...(['void', 'cancelled'] as const),
] as const;
export type Difference = (typeof DIFFERENCES)[number];

const NO_DIFFERENCE: readonly Difference[] = [];

/** What one side states about a document; undefined for what it does not state. */
interface Facts {
  readonly side: 'list' | 'service';
  /** As it is compared, by `bareNumber`. */
  readonly number: string | undefined;
  /** A code or a word, as it is written. */
  readonly type: string | undefined;
  readonly fiscalId: string | undefined;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** In days since 1970-01-01. */
  readonly day: number | undefined;
  readonly total: Decimal | undefined;
  readonly net: Decimal | undefined;
  readonly exempt?: Decimal | undefined;
  readonly tax: Decimal | undefined;
  /** How many pesos one unit of its currency is worth. */
  readonly rate?: Decimal | undefined;
  readonly validity?: Validity | undefined;
  /** Other taxes, which one side may count as part of the tax. */
  furtherTax?: Decimal | undefined;
  /** The path of its list, and its line there. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Whether its list is of documents that are not accepted yet: other lists that have them count instead. */
  readonly isPending?: boolean | undefined;
}

/** A document on one side, and what became of it. Amounts have their sign: negative for a credit note. */
export interface Entry extends Facts {
  readonly family: Family;
  /** Its type, where that is a code. */
  readonly code: number | undefined;
  /** Its fiscal ID, folded for comparing. */
  readonly party: string | undefined;
  outcome: Outcome;
  /** The matching document of the other side. */
  mate: Entry | undefined;
  differs: readonly Difference[];
  /** The entry of the same side that this one repeats. */
  repeats: Entry | undefined;
}

/** Makes an unmatched entry of the object that it gets, whose amounts are as written. */
export function entryOf(facts: Facts): Entry {
  const { type, fiscalId } = facts;
  const family = familyOf(type);
  // A copy by spread takes three times the memory, and there are hundreds of thousands of entries.
  return Object.assign(facts, {
    total: signedAmount(facts.total, family),
    net: signedAmount(facts.net, family),
    exempt: signedAmount(facts.exempt, family),
    tax: signedAmount(facts.tax, family),
    furtherTax: signedAmount(facts.furtherTax, family),
    family,
    code: typeCodeOf(type),
    party: fiscalId === undefined ? undefined : foldFiscalId(fiscalId),
    outcome: 'unmatched' as const,
    mate: undefined,
    differs: NO_DIFFERENCE,
    repeats: undefined,
  });
}

/** The amount with the sign that a document of the family gives it. */
export function signedAmount(amount: Decimal | undefined, family: Family): Decimal | undefined {
  const isCredit = family === 'credit note' && amount !== undefined && amount.coefficient > 0n;
  return isCredit ? negateDecimal(amount) : amount;
}

const PESOS = 'CLP';

/**
 * The total of a document of the service in the currency of the list's entry: unchanged where the currencies are equal or one is
 * unknown, in pesos where the document has an exchange rate. Undefined where the two totals cannot be compared.
 */
export function totalBeside(
  { currency }: Entry,
  { total, currency: own, rate }: Entry,
): { readonly total: Decimal | undefined; readonly isConverted: boolean } | undefined {
  if (currency === undefined || own === undefined || currency === own) return { total, isConverted: false };
  if (rate === undefined || total === undefined || currency !== PESOS) return undefined;
  return { total: multiplyDecimals(total, rate), isConverted: true };
}

/** A document's number without leading zeros, for comparing; undefined for none. */
export function bareNumber(text: string | undefined): string | undefined {
  return text?.trim().replace(/^0+(?=\d)/, '') || undefined;
}
