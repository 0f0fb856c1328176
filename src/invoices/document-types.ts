import { negateDecimal, type Decimal } from '../json/decimal.ts';

export type Family =
  | 'invoice'
  | 'debit note'
  | 'credit note'
  | 'receipt'
  | 'fee note'
  | 'guide'
  | 'import declaration'
  | 'quote'
  | 'order'
  | 'unknown';

/** The codes of Chile's tax service (SII), and the words, of a family of document types. */
interface FamilyNames {
  readonly codes: readonly number[];
  /** In capitals, without accents, with _ between them: as whole words within the type, which may have accents, and `de`. */
  readonly words: readonly string[];
}

/** Credit and debit notes come first: `CREDIT_NOTE_OF_INVOICE` has both words, and is not an invoice, nor is a `FEE_INVOICE`. */
const FAMILIES: readonly (readonly [Family, FamilyNames])[] = [
  ['credit note', { codes: [60, 61, 106, 112], words: ['CREDIT_NOTE', 'NOTA_CREDITO'] }],
  ['debit note', { codes: [55, 56, 104, 111], words: ['DEBIT_NOTE', 'NOTA_DEBITO'] }],
  ['fee note', { codes: [70, 71], words: ['FEE_NOTE', 'FEE_INVOICE', 'FEE_RECEIPT', 'HONORARIOS'] }],
  ['invoice', { codes: [30, 32, 33, 34, 40, 43, 45, 46, 101, 110], words: ['INVOICE', 'FACTURA'] }],
  ['receipt', { codes: [35, 38, 39, 41, 48], words: ['RECEIPT', 'BOLETA'] }],
  ['guide', { codes: [50, 52], words: ['GUIDE', 'DELIVERY_NOTE', 'GUIA_DESPACHO'] }],
  ['import declaration', { codes: [914], words: ['IMPORT_DECLARATION'] }],
  ['quote', { codes: [], words: ['QUOTE', 'QUOTATION', 'COTIZACION', 'PRESUPUESTO'] }],
  ['order', { codes: [801], words: ['ORDER', 'ORDEN_COMPRA'] }],
];

/** An amount with the sign of its document family: services write amounts of credit notes with either sign. */
export function signedAmount(amount: Decimal, family: Family): Decimal {
  return family === 'credit note' && amount.coefficient > 0n ? negateDecimal(amount) : amount;
}

/** Delivery guides, quotes and orders are in no sum, since no money is owed for them. */
export const IN_NO_SUM: ReadonlySet<Family> = new Set<Family>(['guide', 'quote', 'order']);

const known = new Map<string, Family>();
const MAX_KNOWN = 1_000;

/** The family of a document type: a code (`33`, `061`) or a word (`INVOICE`, `ExemptInvoice`, `credit note`). */
export function familyOf(type: string | undefined): Family {
  if (type === undefined) return 'unknown';
  const found = known.get(type);
  if (found !== undefined) return found;
  const family = findFamily(type);
  if (known.size < MAX_KNOWN) known.set(type, family);
  return family;
}

/** The code of a document type: `33`, `033`; undefined for a word. */
export function typeCodeOf(type: string | undefined): number | undefined {
  return type !== undefined && /^\s*\d{1,4}\s*$/.test(type) ? Number(type) : undefined;
}

function findFamily(type: string): Family {
  const code = typeCodeOf(type);
  if (code !== undefined) return FAMILIES.find(([, { codes }]) => codes.includes(code))?.[0] ?? 'unknown';
  const bare = type.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const spelled = bare.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toUpperCase();
  const words = `_${spelled.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}_`.replaceAll('_DE_', '_');
  const has = (word: string): boolean => words.includes(`_${word}_`);
  return FAMILIES.find(([, names]) => names.words.some(has))?.[0] ?? 'unknown';
}

/** Whether a document counts: a cancelled one was issued, and is no longer owed; a void one never was a document. */
export type Validity = 'valid' | 'cancelled' | 'void';

/** The statuses of cancelled documents. `CANCELADA` is not one of them: in Chile it means paid. */
const CANCELLED_STATUSES: readonly string[] = [
  'NULLIFIED',
  'ANNULLED',
  'ANULADA',
  'ANULADO',
  'CANCELLED',
  'CANCELED',
];
const VOID_STATUSES: readonly string[] = ['VOID', 'VOIDED'];

/** The validity of a document by its status, in any case, and its mark of cancelled documents. */
export function validityOf(status: string | undefined, mark: string | undefined): Validity {
  const word = status?.trim().toUpperCase() ?? '';
  if (VOID_STATUSES.includes(word)) return 'void';
  if (CANCELLED_STATUSES.includes(word) || mark?.trim().toLowerCase() === 'true') return 'cancelled';
  return 'valid';
}
