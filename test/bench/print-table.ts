/** Prints a table that Markdown reads as one too. */
export function printTable(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  process.stdout.write(`\n${title}\n\n${line(heads)}${rule}${rows.map(line).join('')}`);
}

export function seconds(value: number): string {
  return `${value < 1 ? value.toFixed(3) : value.toFixed(2)} s`;
}

export function times(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
