import { displayWidth, truncate } from '../terminal/display-width.ts';
import { countOf, digitGrouper } from '../terminal/number-text.ts';

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
  narrow: ' · --columns, --wide',
  late: ' · they came late: --columns, or a file',
} as const;

/** The line below a table that names the columns it leaves out, as many as `width` display cells have room for. */
export function leftOutNote(names: readonly string[], width: number, how: keyof typeof HOW_TO_SEE): string {
  if (names.length === 0) return '';
  // A narrow terminal has no room for the advice.
  const short = names.slice(0, width).map((name) => truncate(name, width));
  for (const end of [HOW_TO_SEE[how], '']) {
    for (let count = short.length; count > 0; count = Math.min(count - 1, Math.floor(width / 3))) {
      const rest = names.length - count;
      const more = rest === 0 ? '' : ` and ${rest} more`;
      const line = `Not shown: ${short.slice(0, count).join(', ')}${more}${end}`;
      if (displayWidth(line) <= width) return line;
    }
  }
  return truncate(`Not shown: ${countOf(names.length, 'column')}`, width);
}
