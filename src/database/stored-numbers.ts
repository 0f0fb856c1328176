/** A number that no other spelling could be meant by: digits that a double keeps. */
const EXACT_DIGITS = 15;

/** Digits, and places before or behind the point, that PostgreSQL is trusted with; it knows some more. */
const MOST_DIGITS = 1_000;
const MOST_PLACES = 1_000;

const LEAST_INTEGER = -(2n ** 63n);
const LARGEST_INTEGER = 2n ** 63n - 1n;

/**
 * What SQLite stores for the literal of a number: an integer where that has 64 bits, a double where that keeps all digits,
 * else the literal as text, which no arithmetic rounds.
 */
export function sqliteNumber(literal: string): bigint | number | string {
  if (/^-?\d+$/.test(literal)) {
    if (literal.length <= 18) return BigInt(literal);
    if (literal.length > 20) return literal;
    const integer = BigInt(literal);
    return integer >= LEAST_INTEGER && integer <= LARGEST_INTEGER ? integer : literal;
  }
  const digits = literal
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  if (digits.length > EXACT_DIGITS) return literal;
  const value = Number(literal);
  // At the ends of their range doubles have fewer digits, or are infinite.
  const size = Math.abs(value);
  return digits === '' || (size > 1e-300 && size < 1e300) ? value : literal;
}

/** Whether PostgreSQL can hold the number at `bytes[start .. end)` as `numeric`. */
export function fitsNumeric(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MOST_DIGITS) return false;
  for (let at = start; at < end; at++) {
    // Both cases of the letter e.
    if ((bytes[at]! | 0x20) === 0x65) {
      return Math.abs(Number(bytes.toString('latin1', at + 1, end))) < MOST_PLACES;
    }
  }
  return true;
}
