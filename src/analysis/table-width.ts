import type { Row } from './rows.ts';

/** Between two columns of a table. */
const GAP = 2;
/** To so many display cells a table cuts columns of text, and of numbers, where there are too many of them. */
const LEAST = { text: 8, numbers: 16 };
/** Many of these take two cells, and all others one or none. */
const WIDE = /[^\p{ASCII}\p{Script=Latin}]/gu;

/**
 * Display cells that a table of the columns takes, with a gap behind each: with every cell whole, and at the least.
 * Not less than it really is.
 */
export function tableWidth(
  rows: readonly Row[],
  columns: readonly string[],
): { whole: number; least: number } {
  const widths = new Map(columns.map((column) => [column, { whole: column.length, least: LEAST.numbers }]));
  for (const [name, json] of rows.flat()) {
    const width = widths.get(name);
    if (width === undefined) continue;
    width.whole = Math.max(width.whole, displayWidth(json));
    if (json.startsWith('"')) width.least = LEAST.text;
  }
  let [whole, least] = [0, 0];
  for (const width of widths.values()) {
    whole += width.whole + GAP;
    least += Math.min(width.whole, width.least) + GAP;
  }
  return { whole, least };
}

function displayWidth(json: string): number {
  if (json === 'null') return 0;
  // The digits of numbers may be grouped by threes.
  if (!json.startsWith('"')) return json.length + Math.floor(json.length / 3);
  const text = JSON.parse(json) as string;
  return text.length + (text.match(WIDE)?.length ?? 0);
}
