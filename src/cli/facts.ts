import type { OutputStream } from '../context.ts';
import type { Values } from '../run/flag.ts';
import type { factFlags } from '../run/flags.ts';
import { displayWidth, visible } from '../output/terminal/terminal-text.ts';

export type FactFlags = Values<typeof factFlags>;

/** The facts about one thing, by name, in order; null for a fact that is not known. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Prints the facts about one thing, a line each except for null; for several things, a row each under the names that any of
 * them has, or one below the other if the terminal is too narrow. With `--format json` one object, or an array.
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
    const table = aligned([names, ...facts.map((row) => names.map((name) => shown(row[name] ?? null)))]);
    const room = out.isTerminal ? (out.columns ?? 80) : Infinity;
    const isRoom = table.split('\n').every((line) => displayWidth(line) <= room);
    if (facts.length > 0) await out.write(isRoom ? table : facts.map(linesOf).join('\n'));
  } else await out.write(linesOf(facts));
}

function isList(facts: Facts | readonly Facts[]): facts is readonly Facts[] {
  return Array.isArray(facts);
}

function linesOf(facts: Facts): string {
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return aligned(known.map(([name, value]) => [shown(name), shown(value)]));
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
    row.map((cell, at) => cell + ' '.repeat(widths[at]! - displayWidth(cell))).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
