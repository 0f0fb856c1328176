import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeToken } from '../../src/config/json-web-token.ts';
import { jsonWebToken } from '../support/json-web-token.ts';

describe('decodeToken', () => {
  it('reads organization, issue and end', () => {
    const token = jsonWebToken({ organizationId: 'org_1', iat: 1_700_000_000, exp: 1_731_536_000.5 });
    expect(decodeToken(token)).toEqual({
      organizationId: 'org_1',
      issuedAt: 1_700_000_000_000,
      expiresAt: 1_731_536_000_500,
    });
  });

  it.each([
    [{ organizationId: 77 }, { organizationId: '77' }],
    [{ organizationId: 2 ** 60 }, {}],
    [{ organizationId: { $oid: 'x' } }, {}],
    [{ organizationId: 'a\u001b[31m' }, {}],
    [{ organizationId: 'x'.repeat(201) }, {}],
    [{ iat: '1700000000', exp: null }, {}],
    [{ exp: 1e300 }, {}],
    [{}, {}],
  ])('leaves out what is not of its form: %j', (claims, expected) => {
    expect(decodeToken(jsonWebToken(claims))).toEqual(expected);
  });

  it.each([
    'abc',
    'a.b.c',
    'eyJ.eyJ.x',
    '..',
    'eyJhIjoxfQ.W10.x',
    'bnVsbA.eyJhIjoxfQ.x',
    'eyJhIjoxfQ.eyJh+jox.x',
  ])('takes %s for opaque', (token) => {
    expect(decodeToken(token)).toBeUndefined();
  });

  it('never throws', () => {
    const part = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        decodeToken(parts.join('.'));
      }),
      { numRuns: 2000 },
    );
  });
});
