/** The number `coefficient / 10 ** scale`, exactly; `scale` (0 or more) is how many digits are shown after the point. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

export const DECIMAL_ZERO: Decimal = { coefficient: 0n, scale: 0 };

/** A JSON number, which `007`, `.5`, `1.` and `+1` are not. */
const LITERAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Significant digits of which a double keeps every number. */
export const EXACT_DIGITS = 15;

/** The most digits of a number that is written out: `1E999999999` is eleven bytes in a record, and a gigabyte as digits. */
const MAX_DIGITS = 1000;

/**
 * Reads a JSON number literal exactly: `10.50`, `-3`, `1E2`.
 * Anything else is `no number`; one of more than 1,000 digits, written out, is `too long`.
 */
export function parseDecimal(literal: string): Decimal | 'no number' | 'too long' {
  const match = LITERAL.exec(literal);
  if (!match) return 'no number';
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  if (whole.length + fraction.length + Math.abs(Number(exponent)) > MAX_DIGITS) return 'too long';
  const coefficient = BigInt(sign + whole + fraction);
  return scale >= 0 ? { coefficient, scale } : { coefficient: coefficient * 10n ** BigInt(-scale), scale: 0 };
}

/** The literal of a number as text that is equal for all literals of the same number, however large: `105e-1` for 10.50. */
export function canonicalNumber(literal: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined || exponent.length > MAX_EXPONENT_DIGITS) return literal;
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  const power = Number(exponent) - fraction.length + digits.length - end;
  return start === end ? '0' : `${sign}${digits.slice(start, end)}e${power}`;
}

/** Digits of an exponent that a double keeps for certain. */
const MAX_EXPONENT_DIGITS = 15;

/** The exact sum, with the wider of the two scales: 10.00 + 0.5 is 10.50. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  if (right.coefficient === 0n && right.scale <= left.scale) return left;
  if (left.scale === right.scale) {
    return { coefficient: left.coefficient + right.coefficient, scale: left.scale };
  }
  const scale = Math.max(left.scale, right.scale);
  return { coefficient: rescale(left, scale) + rescale(right, scale), scale };
}

export function multiplyDecimals(one: Decimal, other: Decimal): Decimal {
  return { coefficient: one.coefficient * other.coefficient, scale: one.scale + other.scale };
}

export function negateDecimal({ coefficient, scale }: Decimal): Decimal {
  return { coefficient: -coefficient, scale };
}

export function absoluteDecimal(value: Decimal): Decimal {
  return value.coefficient < 0n ? negateDecimal(value) : value;
}

/** Negative, zero or positive, as `left` is less than, equal to or greater than `right`: 1.0 equals 1.00. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.max(left.scale, right.scale);
  const [a, b] = [rescale(left, scale), rescale(right, scale)];
  return a < b ? -1 : a > b ? 1 : 0;
}

export function widestScale(values: readonly Decimal[]): number {
  return values.reduce((widest, { scale }) => Math.max(widest, scale), 0);
}

/**
 * The number as a JSON literal, never with an exponent: `10.50`, `-0.05`. It has every digit of its scale, and zeros behind
 * them up to a wider `scale`.
 */
export function formatDecimal(value: Decimal, scale: number = value.scale): string {
  const decimals = Math.max(scale, value.scale);
  const coefficient = rescale(value, decimals);
  const sign = coefficient < 0n ? '-' : '';
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function rescale({ coefficient, scale }: Decimal, to: number): bigint {
  return scale === to ? coefficient : coefficient * 10n ** BigInt(to - scale);
}

export function fitsInt64(integer: bigint): boolean {
  return BigInt.asIntN(64, integer) === integer;
}
