/** Stands for all columns that are not named. */
const OTHERS = '*';

/** Whether a part of `--columns` is no name: `*`, or `-name` for a column that is left out. */
export function isChoice(column: string): boolean {
  return column === OTHERS || column.startsWith('-');
}

/** Whether what is asked for is known only once all columns are. */
export function isOpenChoice(asked: readonly string[]): boolean {
  return asked.includes(OTHERS) || onlyLeavesOut(asked);
}

/** Whether there are only names to leave out: of all columns, then. */
export function onlyLeavesOut(asked: readonly string[]): boolean {
  return asked.every((column) => column.startsWith('-'));
}

/** What is asked for, with one column before all others. */
export function withColumnBefore(column: string, asked: readonly string[]): string[] {
  return [column, ...(onlyLeavesOut(asked) ? [OTHERS] : []), ...asked];
}

/** The columns that are named, also those to leave out. */
export function namedColumns(asked: readonly string[]): string[] {
  return asked.filter((column) => column !== OTHERS).map((column) => column.replace(/^-/, ''));
}

/**
 * The columns that are asked for, of those that there are: `number,*,-files` is `number`, then all others but `files`. A name
 * also stands for the columns within it, as `customer` for `customer.name`. Where there are only names to leave out, all
 * other columns are asked for.
 */
export function chooseColumns(asked: readonly string[], there: readonly string[]): string[] {
  const left = asked.filter((column) => column.startsWith('-')).map((column) => column.slice(1));
  const named = asked.filter((column) => !isChoice(column));
  const isIn = (names: readonly string[], column: string): boolean =>
    names.some((name) => column === name || column.startsWith(`${name}.`));
  const others = there.filter((column) => !isIn(named, column) && !isIn(left, column));
  const parts = onlyLeavesOut(asked) ? [OTHERS] : asked;
  return parts.flatMap((column) => {
    if (column === OTHERS) return others;
    return isIn(left, column) || isChoice(column) ? [] : [column];
  });
}
