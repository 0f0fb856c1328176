import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';
import { parseDecimal, type Decimal } from '../json/decimal.ts';

const MOST_CHARACTERS_SHOWN = 40;

/**
 * The exact amount in a cell; undefined where there is none. Throws UsageError, naming the record's place in the
 * listing (from 1), for text, even text of digits: a total must not depend on a guess at what a text means.
 */
export function amountOf(
  cell: Cell | undefined,
  { column, place }: { column: string; place: number },
): Decimal | undefined {
  if (cell === undefined) return undefined;
  const amount = cell.kind === 'number' ? parseDecimal(cell.text) : 'no number';
  if (typeof amount === 'object') return amount;
  const shown = JSON.stringify(cell.text.slice(0, MOST_CHARACTERS_SHOWN));
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

/** The items of each currency, in order of first appearance: amounts of different ones are never ordered or drawn together. */
export function byCurrency<T>(items: readonly T[], currencyOf: (item: T) => string | undefined): T[][] {
  const groups = new Map<string | undefined, T[]>();
  for (const item of items) {
    const currency = currencyOf(item);
    const known = groups.get(currency);
    if (known) known.push(item);
    else groups.set(currency, [item]);
  }
  return [...groups.values()];
}

/**
 * Refuses to add an amount that is in no currency where other amounts are in one: it belongs in none of the totals,
 * and in a total of its own it would be a sum of no one knows what.
 */
export class CurrencyGuard {
  readonly #column: string;
  #with: { readonly place: number; readonly currency: string } | undefined;
  #without: number | undefined;

  constructor(column: string) {
    this.#column = column;
  }

  /** To be called for every record that has an amount, with its place in the listing from 1. Throws UsageError. */
  check(currency: Cell | undefined, place: number): void {
    if (currency === undefined) this.#without ??= place;
    else this.#with ??= { place, currency: currency.text };
    if (this.#with === undefined || this.#without === undefined) return;
    throw new UsageError(
      `different currencies in one sum: record ${this.#with.place} is in ${this.#with.currency}, record ${this.#without} has no ${this.#column}`,
      { hint: `Add --where '${this.#column}!=' to sum those that have one.` },
    );
  }
}
