import type { Environment } from '../../context.ts';

/** Turns a JSON number literal into what people read: `1190000.50` into `1,190,000.50`. */
export type GroupDigits = (literal: string) => string;

/**
 * Groups digits as the locale does. Every digit stays: Intl is given the literal as text, never as a number. A literal
 * with an exponent, or longer than any amount, is left as it is.
 */
export function digitGrouper(locale: string): GroupDigits {
  const formats = new Map<number, Intl.NumberFormat>();
  return (literal) => {
    if (!isPlain(literal)) return literal;
    const point = literal.indexOf('.');
    const decimals = point < 0 ? 0 : literal.length - point - 1;
    let format = formats.get(decimals);
    if (format === undefined) {
      format = new Intl.NumberFormat(locale, {
        numberingSystem: 'latn',
        // Some languages leave four digits together, which a column of amounts must not.
        useGrouping: 'always',
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
      });
      formats.set(decimals, format);
    }
    return format.format(literal);
  };
}

/** Intl shows larger numbers as infinite, and some versions of Node allow no more decimals. */
function isPlain(literal: string): literal is `${number}` {
  return /^-?\d{1,300}(?:\.\d{1,20})?$/.test(literal);
}

const FALLBACK = 'en-US';

/**
 * The language tag for numbers that the environment names: LC_ALL before LC_NUMERIC before LANG, in the manner of
 * POSIX (`es_CL.UTF-8`). Where it names none, `en-US`. The C locale counts as none, since it is what machines have by
 * default.
 */
export function localeOf(env: Environment): string {
  const name = env['LC_ALL'] || env['LC_NUMERIC'] || env['LANG'] || '';
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}|\d{3}))?(?:[.@]|$)/.exec(name) ?? [];
  if (language === undefined) return FALLBACK;
  return region === undefined ? language : `${language}-${region}`;
}

/** A number of things in words: `1 record`, `2 records`. */
export function countOf(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

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
 * The line below a table: `50 of 12,345, the newest first · --all for the rest`. Empty where the table shows all records in
 * their usual order.
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
