import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';
import { parseDecimal, type Decimal } from '../json/decimal.ts';

const MAX_CHARACTERS_SHOWN = 40;

/**
 * The exact amount in a cell; undefined where there is none. Throws UsageError, with the record's place in the listing (from
 * 1), for text, even for text of digits: a total must not depend on a guess at what a text means.
 */
export function amountOf(
  cell: Cell | undefined,
  { column, place }: { column: string; place: number },
): Decimal | undefined {
  if (cell === undefined) return undefined;
  const amount = cell.kind === 'number' ? parseDecimal(cell.text) : 'no number';
  if (typeof amount === 'object') return amount;
  const shown = JSON.stringify(cell.text.slice(0, MAX_CHARACTERS_SHOWN));
  const what =
    amount === 'too long' ? 'a number of more than 1,000 digits' : `${nameOf(cell)} ${shown}, not a number`;
  throw new UsageError(`${column} cannot be added up: in record ${place} it is ${what}`, {
    hint: `Leave such records out with --where, or sum another column.`,
  });
}

function nameOf(cell: Cell): string {
  if (cell.kind === 'string') return 'the text';
  return cell.kind === 'array' && cell.text.startsWith('{') ? 'the object' : `the ${cell.kind}`;
}
