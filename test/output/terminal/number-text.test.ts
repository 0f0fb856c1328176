import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digitGrouper, tableFooter, localeOf } from '../../../src/output/terminal/number-text.ts';

describe('digitGrouper', () => {
  it.each([
    ['en-US', '1190000.50', '1,190,000.50'],
    ['en-US', '12345678901234567890', '12,345,678,901,234,567,890'],
    ['en-US', '1E2', '100'],
    ['en-US', '9E3', '9,000'],
    ['es-CL', '7.0e+05', '700.000'],
    ['en-US', '-2.50E6', '-2,500,000'],
    ['en-US', '1.50E1', '15.0'],
    ['en-US', '9.1234E2', '912.34'],
    ['en-US', '123456.7e-8', '0.001234567'],
    ['en-US', '0E3', '0'],
    ['en-US', '1E29', '100,000,000,000,000,000,000,000,000,000'],
    ['en-US', '1E30', '1E30'],
    ['en-US', '1E-400', '1E-400'],
    ['en-US', '1E999999999999', '1E999999999999'],
    ['en-US', '1.5E-21', '1.5E-21'],
    ['es-CL', '1190000.50', '1.190.000,50'],
    ['xx-YY', '100', '100'],
    ['es-ES', '1190.5', '1.190,5'],
    ['fr-FR', '1190000.5', '1\u202f190\u202f000,5'],
    ['en-IN', '12345678.9', '1,23,45,678.9'],
    ['en-US', '-0.00', '-0.00'],
    ['en-US', '12345678901234567890.12345678901234567890', '12,345,678,901,234,567,890.12345678901234567890'],
    ['en-US', '1000.123456789012345678901', '1000.123456789012345678901'],
    ['en-US', '1'.repeat(301), '1'.repeat(301)],
  ])('in %s, %s is %s', (locale, literal, expected) => {
    expect(digitGrouper(locale)(literal)).toBe(expected);
  });

  it('keeps every digit', () => {
    const literal = fc.tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,20}$/)));
    const locale = fc.constantFrom('en-US', 'es-CL', 'es-ES', 'de-CH', 'fr-FR', 'en-IN', 'pl-PL');
    fc.assert(
      fc.property(literal, locale, ([whole, fraction], locale) => {
        const sent = fraction === null ? `${whole}` : `${whole}.${fraction}`;
        expect(digitGrouper(locale)(sent).replace(/[^\d-]/g, '')).toBe(sent.replace('.', ''));
      }),
    );
  });

  it('writes the same number out for a literal with an exponent, with every digit that it had', () => {
    const parts = fc.tuple(fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }), fc.stringMatching(/^\d{0,9}$/));
    fc.assert(
      fc.property(parts, fc.integer({ min: -10, max: 20 }), ([whole, fraction], exponent) => {
        const digits = `${whole}${fraction}`;
        const literal = `${whole}${fraction === '' ? '' : `.${fraction}`}E${exponent}`;
        const [before, after = ''] = digitGrouper('en-US')(literal).replaceAll(',', '').split('.');
        // Both as whole numbers, in units of 10^-40.
        const shown = BigInt(before + after.padEnd(40, '0'));
        expect(shown).toBe(BigInt(digits) * 10n ** BigInt(40 + exponent - fraction.length));
        expect(after.length).toBe(Math.max(0, fraction.length - exponent));
      }),
    );
  });
});

describe('localeOf', () => {
  it.each([
    [{}, 'en-US'],
    [{ LANG: 'C.UTF-8' }, 'en-US'],
    [{ LANG: 'POSIX' }, 'en-US'],
    [{ LANG: 'es_CL.UTF-8' }, 'es-CL'],
    [{ LANG: 'de_DE@euro' }, 'de-DE'],
    [{ LANG: 'es' }, 'es'],
    [{ LANG: 'es-CL' }, 'es-CL'],
    [{ LANG: 'es_CL.UTF-8', LC_NUMERIC: 'de_DE.UTF-8' }, 'de-DE'],
    [{ LANG: 'es_CL.UTF-8', LC_NUMERIC: 'de_DE.UTF-8', LC_ALL: 'C' }, 'en-US'],
    [{ LANG: 'es_CL.UTF-8', LC_ALL: '' }, 'es-CL'],
    [{ LANG: '../../etc' }, 'en-US'],
  ])('%j is %s', (env, locale) => {
    expect(localeOf(env)).toBe(locale);
  });
});

it.each([
  [50, 12_345, 'en-US', '50 of 12,345 · --all for the rest'],
  [5_000, 12_345, 'es-CL', '5.000 of 12.345 · --all for the rest'],
  [50, 50, 'en-US', ''],
  [0, 0, 'en-US', ''],
  [51, 50, 'en-US', ''],
])('below a table of %i of %i in %s stands "%s"', (shown, total, locale, text) => {
  expect(tableFooter({ shown, total, locale, isCut: true })).toBe(text);
});
