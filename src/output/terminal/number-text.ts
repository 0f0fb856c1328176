import type { Environment } from '../../context.ts';

/** Turns a JSON number literal into what people read: `1190000.50` into `1,190,000.50`. */
export type GroupDigits = (literal: string) => string;

/** How a locale writes numbers, learned from an example. */
interface Separators {
  readonly group: string | undefined;
  readonly decimal: string;
  /** Digits of the last group and of those before: 3 and 3, in India 3 and 2. */
  readonly sizes: readonly [last: number, others: number];
  /** Whole numbers of fewer digits are not grouped: 4, in Spain 5. */
  readonly fewest: number;
}

/** Asking Intl anything costs some 20 ms for the first time in a process, so the most frequent answer is known. */
const ENGLISH: Separators = { group: ',', decimal: '.', sizes: [3, 3], fewest: 4 };

/**
 * Groups digits as the locale does. It works on the literal's digits and never on a number, so that every digit stays;
 * a literal with an exponent is left as it is.
 */
export function digitGrouper(locale: string): GroupDigits {
  let separators: Separators | undefined;
  return (literal) => {
    separators ??= locale === 'en-US' ? ENGLISH : separatorsOf(locale);
    const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(literal) ?? [];
    if (sign === undefined || whole === undefined) return literal;
    return sign + grouped(whole, separators) + (fraction === undefined ? '' : separators.decimal + fraction);
  };
}

function grouped(digits: string, { group, sizes, fewest }: Separators): string {
  if (group === undefined || digits.length < fewest) return digits;
  const groups: string[] = [];
  for (let [end, size] = [digits.length, sizes[0]]; end > 0; [end, size] = [end - size, sizes[1]]) {
    groups.unshift(digits.slice(Math.max(0, end - size), end));
  }
  return groups.join(group);
}

function separatorsOf(locale: string): Separators {
  const format = new Intl.NumberFormat(`${locale}-u-nu-latn`);
  const parts = format.formatToParts(12_345_678_901_234.5);
  const sizes = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  const [last, others] = [sizes.at(-1) ?? 3, sizes.at(-2) ?? 3];
  return {
    group: parts.find(({ type }) => type === 'group')?.value,
    decimal: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
    sizes: [last, others],
    fewest: format.formatToParts(1234).some(({ type }) => type === 'group') ? last + 1 : last + 2,
  };
}

const FALLBACK = 'en-US';

/**
 * The language tag for numbers that the environment names: LC_ALL before LC_NUMERIC before LANG, in the manner of
 * POSIX (`es_CL.UTF-8`). Where it names none, `en-US`; the C locale, which groups no digits, is what machines have
 * when nobody chose, and counts as none.
 */
export function localeOf(env: Environment): string {
  const name = env['LC_ALL'] || env['LC_NUMERIC'] || env['LANG'] || '';
  const [, language, region] = /^([a-z]{2,3})(?:[_-]([A-Z]{2}|\d{3}))?(?:[.@]|$)/.exec(name) ?? [];
  if (language === undefined) return FALLBACK;
  return region === undefined ? language : `${language}-${region}`;
}
