import type { OutputStream } from '../context.ts';
import type { Values } from '../run/flag.ts';
import type { factFlags } from '../run/flags.ts';
import { displayWidth, truncate, visible } from '../output/terminal/terminal-text.ts';

export type FactFlags = Values<typeof factFlags>;

/** The facts about one thing, by name, in order; null for a fact that is not known. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Prints the facts about one thing, a line each but for those that are null; or of several, a row each under the names that any
 * of them has, and of none nothing. With `--format json` one object, or an array of them.
 */
export async function writeFacts(
  out: OutputStream,
  facts: Facts | readonly Facts[],
  { format }: Pick<FactFlags, 'format'>,
): Promise<void> {
  if (format === 'json') {
    const lines = JSON.stringify(facts, undefined, 2).split('\n');
    await out.write(`${(out.isTerminal ? lines.map(visible) : lines).join('\n')}\n`);
  } else if (isList(facts)) {
    const names = Object.keys(facts[0] ?? {}).filter((name) => facts.some((row) => row[name] !== null));
    const rows = facts.map((row) => names.map((name) => shown(row[name] ?? null)));
    if (rows.length > 0)
      await out.write(aligned(fitted([names, ...rows], out.isTerminal ? (out.columns ?? 80) : Infinity)));
  } else {
    const known = Object.entries(facts).filter(([, value]) => value !== null);
    await out.write(aligned(known.map(([name, value]) => [name, shown(value)])));
  }
}

function isList(facts: Facts | readonly Facts[]): facts is readonly Facts[] {
  return Array.isArray(facts);
}

const GAP = 2;
/** The fewest cells of a column that is worth showing, and of one of points in time: a day stays whole. */
const NARROWEST = { text: 8, time: '2026-11-22…'.length };

/** The rows, cut to the width of the screen: the widest column is cut first; then the last columns are left out. */
function fitted(rows: readonly (readonly string[])[], room: number): readonly (readonly string[])[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column]!))));
  const least = widths.map((_, column) =>
    rows.some((row) => /^\d{4}-\d\d-\d\d/.test(row[column]!)) ? NARROWEST.time : NARROWEST.text,
  );
  const excess = (): number => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - room;
  while (excess() > 0) {
    const widest = Math.max(...widths.filter((width, column) => width > least[column]!));
    const at = widths.findIndex((width, column) => width === widest && width > least[column]!);
    if (at >= 0) widths[at]!--;
    else if (widths.length > 1) widths.pop();
    else break;
  }
  return rows.map((row) => widths.map((width, column) => truncate(row[column]!, width)));
}

function shown(value: Facts[string]): string {
  if (value === null) return '';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : visible(String(value));
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column]!))),
  );
  const lines = rows.map((row) =>
    row.map((cell, at) => cell + ' '.repeat(widths[at]! - displayWidth(cell))).join(' '.repeat(GAP)),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
