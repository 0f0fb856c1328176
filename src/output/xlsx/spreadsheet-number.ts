const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const LEADING_ZEROS = /^0+/;
const TRAILING_ZEROS = /0+$/;

/** Every number of a spreadsheet is a double: so many significant digits are sure to be kept. */
const SURE_DIGITS = 15;
/** Well within what a double and a spreadsheet can hold. */
const FARTHEST_EXPONENT = 300;

/**
 * How many decimals a JSON number literal has, when a spreadsheet keeps it exactly; undefined when it does not, so that
 * it must be text to keep every digit: more than 15 significant ones, or a size beyond all amounts.
 */
export function decimalsOf(literal: string): number | undefined {
  const match = LITERAL.exec(literal);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(LEADING_ZEROS, '').replace(TRAILING_ZEROS, '');
  const power = Number(exponent);
  if (significant.length > SURE_DIGITS) return undefined;
  if (significant !== '' && Math.abs(power) + whole.length + fraction.length > FARTHEST_EXPONENT)
    return undefined;
  return Math.max(0, fraction.length - power);
}
