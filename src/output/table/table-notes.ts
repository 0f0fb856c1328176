import { displayWidth, truncate } from '../terminal/display-width.ts';
import { countOf, digitGrouper } from '../terminal/number-text.ts';

interface FooterOptions {
  readonly shown: number;
  readonly total: number;
  readonly locale?: string | undefined;
  /** Whether the table stopped by itself, so that --all shows the rest. */
  readonly isCut?: boolean;
  /** Whether the newest come first without having been asked for. */
  readonly newestFirst?: boolean;
}

/**
 * The line below a table: `50 of 12,345, the newest first · --all for the rest`. Empty where it shows all in an order that
 * needs no word.
 */
export function tableFooter({
  shown,
  total,
  locale = 'en-US',
  isCut = true,
  newestFirst = false,
}: FooterOptions): string {
  const group = digitGrouper(locale);
  const order = newestFirst && shown > 0 ? 'the newest first' : '';
  if (shown >= total) return order;
  const count = `${group(String(shown))} of ${group(String(total))}`;
  return `${order === '' ? count : `${count}, ${order}`}${isCut ? ' · --all for the rest' : ''}`;
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
