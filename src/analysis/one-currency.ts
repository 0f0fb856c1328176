import { UsageError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';

/**
 * Refuses to add an amount that is in no currency where other amounts are in one: it belongs in none of the totals,
 * and in a total of its own it would be a sum of no one knows what.
 */
export class OneCurrency {
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
      { hint: `Sum those that have one: --where '${this.#column}!='` },
    );
  }
}
