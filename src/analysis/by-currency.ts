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
