import { displayWidth } from '../terminal/display-width.ts';
import { digitGrouper } from '../terminal/number-text.ts';

/**
 * The line below a table that does not show all records: `50 of 12,345 · --all for the rest`. Empty if it shows all.
 */
export function tableFooter({
  shown,
  total,
  locale = 'en-US',
}: {
  shown: number;
  total: number;
  locale?: string | undefined;
}): string {
  if (shown >= total) return '';
  const group = digitGrouper(locale);
  return `${group(String(shown))} of ${group(String(total))} · --all for the rest`;
}

/** How to see the columns that a table leaves out. */
const HOW_TO_SEE = {
  narrow: 'Choose with --columns, see all with --wide, or write a file: -o invoices.csv',
  late: 'They came late: choose with --columns, or write a file: -o invoices.csv',
} as const;

/** The lines below a table that name the columns it leaves out: at most `width` display cells, unless a word is longer. */
export function leftOutNote(names: readonly string[], width: number, how: keyof typeof HOW_TO_SEE): string[] {
  if (names.length === 0) return [];
  const list = names.map((name, index) => (index < names.length - 1 ? `${name},` : `${name}.`));
  const lines: string[] = [];
  let line = 'Not shown:';
  for (const word of [...list, ...HOW_TO_SEE[how].split(' ')]) {
    if (displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line += ` ${word}`;
    }
  }
  return [...lines, line];
}
