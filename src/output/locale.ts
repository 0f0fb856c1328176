import type { Environment } from '../context.ts';

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
