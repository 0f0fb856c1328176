import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/api/redact.ts';
import { AuthError } from '../../src/errors.ts';
import { decodeToken, parseToken } from '../../src/profiles/token.ts';
import { anyCharacter } from '../support/any-character.ts';
import { jsonWebToken } from '../support/json-web-token.ts';

describe('parseToken', () => {
  const spellings = ['  abc\r\n', '\uFEFFabc', 'Bearer abc', 'bearer  abc', ' BEARER\tabc\n'];
  it.each([
    ...['abc', '!~"\'', 'bearers', 'x'.repeat(8000)].map((text) => [text, text]),
    ...spellings.map((text) => [text, 'abc']),
  ])('reads %j', (text, token) => {
    expect(parseToken(text, 'FOLIO_TOKEN').reveal()).toBe(token);
  });

  it('never shows what it refuses, and lets nothing through that a header cannot hold', () => {
    const odd = fc.string({ unit: anyCharacter, maxLength: 20 });
    fc.assert(
      fc.property(odd, odd, (before, after) => {
        try {
          expect(parseToken(`${before}s3kr1t${after}`, 'x').reveal()).toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(AuthError);
          const { message, hint, cause } = error as AuthError;
          expect(`${message} ${hint}`).not.toContain('s3kr1t');
          expect(cause).toBeUndefined();
        }
      }),
    );
  });
});

it('a Secret is not seen, however it is printed', () => {
  const secret = new Secret('abc123');
  const shown = inspect({ secret }, { showHidden: true });
  expect([[secret].join(), String(secret), shown].join()).not.toContain('abc123');
  expect(JSON.stringify({ secret })).toBe('{"secret":"[hidden]"}');
});

describe('decodeToken', () => {
  it('reads organization and end', () => {
    const token = jsonWebToken({ organizationId: 'org_1', exp: 1_731_536_000.5 });
    expect(decodeToken(new Secret(token))).toEqual({ organizationId: 'org_1', expiresAt: 1_731_536_000_500 });
  });

  it.each([
    [{ organizationId: 77 }, { organizationId: '77' }],
    [{ organizationId: 2 ** 60 }, {}],
    [{ organizationId: { $oid: 'x' } }, {}],
    [{ organizationId: 'a\u001b[31m' }, {}],
    [{ organizationId: 'x'.repeat(201) }, {}],
    [{ exp: null }, {}],
    [{ exp: '1700000000' }, {}],
    [{ exp: 1e300 }, {}],
    [{}, {}],
  ])('leaves out what is not of its form: %j', (claims, expected) => {
    expect(decodeToken(new Secret(jsonWebToken(claims)))).toEqual(expected);
  });

  const opaque = 'abc a.b.c eyJ.eyJ.x .. eyJhIjoxfQ.W10.x bnVsbA.eyJhIjoxfQ.x eyJhIjoxfQ.eyJh+jox.x';
  it.each(opaque.split(' '))('takes %s for opaque', (token) => {
    expect(decodeToken(new Secret(token))).toBeUndefined();
  });

  it('never throws', () => {
    const part = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        decodeToken(new Secret(parts.join('.')));
      }),
      { numRuns: 2000 },
    );
  });
});
