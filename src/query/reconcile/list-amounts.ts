import { parseDecimal, type Decimal } from '../../json/decimal.ts';

/** Which mark stands before the decimals of a list's amounts; the other one stands between thousands. */
export const DECIMAL_MARKS = ['comma', 'point'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/** How an amount may be written. Registers have whole numbers, without marks. */
const FORMS: Readonly<Record<DecimalMark | 'whole', RegExp>> = {
  comma: /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
  point: /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/,
  whole: /^-?\d+$/,
};

/** The exact amount in a cell: `1190.10`, `$ 1.190,10`; undefined for one that is not written so. */
export function readListAmount(cell: string, mark: DecimalMark | 'whole'): Decimal | undefined {
  const text = bareAmount(cell);
  if (!FORMS[mark].test(text)) return undefined;
  const plain = mark === 'comma' ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '');
  const amount = parseDecimal(plain.replace(/^(-?)0+(?=\d)/, '$1'));
  return typeof amount === 'object' ? amount : undefined;
}

/** The marks with which the amount can be read: both where nothing tells which is meant. */
export function marksFor(cell: string): readonly DecimalMark[] {
  const text = bareAmount(cell);
  return DECIMAL_MARKS.filter((mark) => FORMS[mark].test(text));
}

/** Without blanks and the sign of pesos around it. */
function bareAmount(cell: string): string {
  return cell.trim().replace(/^(-?)\s*\$?\s*(-?)\s*(.*?)\s*\$?$/s, '$1$2$3');
}
