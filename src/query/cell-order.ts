import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import { isFilled, type Cell } from '../json/cells.ts';

/** A JSON number, in the parts that its size depends on. */
const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const LEADING_ZEROS = /^0+/;
const TRAILING_ZEROS = /0+$/;

/** Larger exponents, positive or negative, count as this one: no amount has them, and they must not take memory. */
const MAX_EXPONENT = 1e15;
const EXPONENT_DIGITS = 10;

/**
 * A text whose order by code unit is the order of the cells: numbers by their exact value, then everything else by its
 * text. Text that reads as a JSON number counts as one, or invoice "1000" would come before invoice "998".
 */
export function cellOrder(cell: Cell): string {
  const number = cell.kind === 'number' || cell.kind === 'string' ? numberOrder(cell.text) : undefined;
  return number ?? `9${cell.text}`;
}

/**
 * A text whose order by code unit is the order of the numbers, equal for equal numbers (`1.0` and `1.00`); undefined for a
 * text that is not a JSON number. It consists of sign, exponent and digits: so no digit is lost to a double, and `1E999999999`
 * takes no more room than `1`. Negative numbers have the complement of exponent and digits, since a larger one is less.
 */
export function numberOrder(literal: string): string | undefined {
  const match = LITERAL.exec(literal);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole.length > 1 && whole.startsWith('0')) return undefined;
  const significant = (whole + fraction).replace(LEADING_ZEROS, '');
  if (significant === '') return '1';
  const digits = significant.replace(TRAILING_ZEROS, '');
  const point = Number(exponent) + significant.length - fraction.length;
  const size = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, point));
  return sign === '' ? `2${exponentOrder(size)}${digits}` : `0${exponentOrder(-size)}${complement(digits)}`;
}

function exponentOrder(exponent: number): string {
  return (exponent + MAX_EXPONENT).toString(36).padStart(EXPONENT_DIGITS, '0');
}

/** The complement of each digit. The last character comes after all digits, so that -1.2 comes after -1.25. */
function complement(digits: string): string {
  let text = '';
  for (const digit of digits) text += 9 - Number(digit);
  return `${text}~`;
}

/** Orders fiscal IDs, in whatever spelling, by code unit: those of digits by value (the last may be K), then all others. */
function fiscalIdOrder(text: string): string {
  const id = foldFiscalId(text);
  const [, digits, check] = /^(\d+)([\dK])$/.exec(id) ?? [];
  return digits === undefined
    ? `9${id}`
    : `${numberOrder(digits.replace(LEADING_ZEROS, '') || '0')} ${check}`;
}

/** The order of a cell for sorting; undefined for a cell without a value: null, missing or empty text. */
export function orderOf(cell: Cell | undefined, isFiscalId = false): string | undefined {
  if (!isFilled(cell)) return undefined;
  return isFiscalId ? fiscalIdOrder(cell.text) : cellOrder(cell);
}

/** Compares two cells, or two texts: negative, zero or positive. Cells without a value come last, also descending. */
export function compareOrders(
  left: string | undefined,
  right: string | undefined,
  descending = false,
): number {
  if (left === right) return 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return left < right === descending ? 1 : -1;
}
