import { familyOf, typeCodeOf, type Family, type Validity } from '../../invoices/documents.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { multiplyDecimals, negateDecimal, type Decimal } from '../../json/decimal.ts';

/** What a row says of a document, in the order in which the rows come out. */
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

/** What became of a document. The last two have no row: they are counted apart, or not the matter of these lists. */
export type Outcome = (typeof ROW_OUTCOMES)[number] | 'pending before' | 'unmatched';

/** The facts in which a document may differ on the two sides. What is void or cancelled in the service is none there. */
export const DIFFERENCES = [
  ...(['total', 'net', 'tax', 'date', 'type', 'counterparty', 'number'] as const),
  ...(['void', 'cancelled'] as const),
] as const;
export type Difference = (typeof DIFFERENCES)[number];

const NO_DIFFERENCE: readonly Difference[] = [];

/** What one side says of a document. Undefined is what it does not say. */
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
  /** How many pesos one of its currency is. */
  readonly rate?: Decimal | undefined;
  readonly validity?: Validity | undefined;
  /** Taxes besides, which one side may count among the tax. */
  furtherTax?: Decimal | undefined;
  /** The path of its list. */
  readonly file?: string | undefined;
  /** Its line in the list. */
  readonly line?: number | undefined;
  /** Whether its list has documents that were not accepted yet: they count in the other lists that have them. */
  readonly isPending?: boolean | undefined;
}

/** A document on one side, and what became of it. Its amounts are what it is worth: negative for a credit note. */
export interface Entry extends Facts {
  readonly family: Family;
  /** Its type, where that is a code. */
  readonly code: number | undefined;
  /** Its fiscal ID as IDs are compared. */
  readonly party: string | undefined;
  outcome: Outcome;
  /** The document of the other side that it was matched with. */
  mate: Entry | undefined;
  /** In what the two differ. */
  differs: readonly Difference[];
  /** The entry of the same side that this one repeats. */
  repeats: Entry | undefined;
}

/** The entry of a document, with amounts as they are written, before it is matched. */
export function entryOf(facts: Facts): Entry {
  const family = familyOf(facts.type);
  // Each member by its name: an object that is spread takes four times the room, and there are hundreds of thousands.
  return {
    side: facts.side,
    number: facts.number,
    type: facts.type,
    fiscalId: facts.fiscalId,
    name: facts.name,
    currency: facts.currency,
    day: facts.day,
    total: signedAmount(facts.total, family),
    net: signedAmount(facts.net, family),
    exempt: signedAmount(facts.exempt, family),
    tax: signedAmount(facts.tax, family),
    furtherTax: signedAmount(facts.furtherTax, family),
    rate: facts.rate,
    validity: facts.validity,
    file: facts.file,
    line: facts.line,
    isPending: facts.isPending,
    family,
    code: typeCodeOf(facts.type),
    party: facts.fiscalId === undefined ? undefined : foldFiscalId(facts.fiscalId),
    outcome: 'unmatched',
    mate: undefined,
    differs: NO_DIFFERENCE,
    repeats: undefined,
  };
}

/** The amount with the sign that a document of the family gives it. */
export function signedAmount(amount: Decimal | undefined, family: Family): Decimal | undefined {
  const isCredit = family === 'credit note' && amount !== undefined && amount.coefficient > 0n;
  return isCredit ? negateDecimal(amount) : amount;
}

const PESOS = 'CLP';

/**
 * The total of a document of the service in the currency of the list: as it is where that is the same or one does not say it, in
 * pesos by its exchange rate. A rate of 1 between two currencies is none. Undefined where the two cannot be compared.
 */
export function totalBeside({ currency }: Entry, { total, currency: own, rate }: Entry): Total | undefined {
  if (currency === undefined || own === undefined || currency === own) return { total, isConverted: false };
  if (rate === undefined || total === undefined || currency !== PESOS) return undefined;
  return { total: multiplyDecimals(total, rate), isConverted: true };
}

interface Total {
  readonly total: Decimal | undefined;
  readonly isConverted: boolean;
}

/** A number as it is compared: without leading zeros; undefined for none. */
export function bareNumber(text: string | undefined): string | undefined {
  return text?.trim().replace(/^0+(?=\d)/, '') || undefined;
}
