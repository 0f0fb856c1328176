import type { Environment } from '../../context.ts';

export type GroupDigits = (literal: string) => string;

/**
 * Makes a function that groups the digits of a JSON number by the locale, and writes exponents out: `1,190,000.50`, `9,000` for
 * `9E3`. Every digit stays: Intl gets the literal as text. A literal that is, or would be, longer than any amount stays as it is.
 */
export function digitGrouper(locale: string): GroupDigits {
  const formats = new Map<number, Intl.NumberFormat>();
  return (literal) => {
    const plain = withoutExponent(literal);
    if (!isPlain(plain)) return literal;
    const point = plain.indexOf('.');
    const decimals = point < 0 ? 0 : plain.length - point - 1;
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
    return format.format(plain);
  };
}

/** The most digits that an exponent is written out to: more would not fit on a screen. */
const MAX_WRITTEN_OUT = 30;

/** The same number without its exponent, with all its digits: `1.50E4` is `15000`, `1.5E-3` is `0.0015`. */
function withoutExponent(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(literal);
  if (match === null) return literal;
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (Math.max(point, digits.length, digits.length - point) > MAX_WRITTEN_OUT) return literal;
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits.padEnd(point, '0');
  const at = Math.max(point, 1);
  return at === padded.length ? sign + padded : `${sign}${padded.slice(0, at)}.${padded.slice(at)}`;
}

/** Intl shows larger numbers as infinite, and some versions of Node allow no more decimals. */
function isPlain(literal: string): literal is `${number}` {
  return /^-?\d{1,300}(?:\.\d{1,20})?$/.test(literal);
}

const FALLBACK = 'en-US';

/**
 * The language tag for numbers: LC_ALL before LC_NUMERIC before LANG, as POSIX has them (`es_CL.UTF-8`). `en-US` by default, and
 * for the C locale, which machines have by default.
 */
export function localeOf(env: Environment): string {
  const name = env['LC_ALL'] || env['LC_NUMERIC'] || env['LANG'] || '';
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}|\d{3}))?(?:[.@]|$)/.exec(name) ?? [];
  if (language === undefined) return FALLBACK;
  return region === undefined ? language : `${language}-${region}`;
}

/** `1 record`, `2 records`. */
export function countOf(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

interface FooterOptions {
  readonly shown: number;
  /** Undefined if the number is unknown. */
  readonly total: number | undefined;
  readonly locale?: string | undefined;
  /** Whether the table stopped at its default limit. */
  readonly isCut: boolean;
  /** An order that the user did not choose: `newest first`. */
  readonly order?: string | undefined;
}

/** `50 of 12,345, newest first · --all for the rest`; empty where a table shows all records in their usual order. */
export function tableFooter({ shown, total, locale = 'en-US', isCut, order }: FooterOptions): string {
  const group = digitGrouper(locale);
  const ordered = (shown > 0 && order) || undefined;
  const isPart = total === undefined ? isCut : shown > 0 && shown < total;
  if (!isPart) return ordered === undefined ? '' : `the records are listed ${ordered}`;
  const count =
    total === undefined ? `the first ${shown}` : `${group(String(shown))} of ${group(String(total))}`;
  return `${[count, ordered ?? []].flat().join(', ')}${isCut ? ' · --all for the rest' : ''}`;
}
