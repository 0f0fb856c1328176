/** Prints a table that Markdown reads as one too. */
export function printTable(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const print = beginTable(title, heads, widths);
  for (const row of rows) print(row);
}

/** Prints the head of such a table, whose cells are going to have these lengths. Returns what prints a row of it. */
export function beginTable(
  title: string,
  heads: readonly string[],
  lengths: readonly number[],
): (row: readonly string[]) => void {
  const widths = heads.map((head, column) => Math.max(head.length, lengths[column] ?? 0));
  const print = (cells: readonly string[]): void => {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column]!));
    process.stdout.write(`| ${padded.join(' | ')} |\n`);
  };
  process.stdout.write(`\n${title}\n\n`);
  print(heads);
  print(widths.map((width) => '-'.repeat(width)));
  return print;
}

export function seconds(value: number): string {
  return `${value < 1 ? value.toFixed(3) : value.toFixed(2)} s`;
}

export function times(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
