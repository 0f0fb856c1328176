import { describe, expect, it } from 'vitest';
import { authorization } from '../../src/api/authorization.ts';
import { AuthError } from '../../src/errors.ts';

describe('authorization', () => {
  it('is the token alone', () => {
    expect(authorization('eyJ.a-b_c.d!~')).toBe('eyJ.a-b_c.d!~');
  });

  it.each([
    '',
    's3cret token',
    's3cret\n',
    's3\r\nX: cret',
    's3cret\u0000',
    's3crét',
    'Bearer s3cret',
    'bearer\ts3cret',
    '\u{1f511}',
  ])('refuses %j without showing it', (token) => {
    const refuse = () => authorization(token);
    expect(refuse).toThrow(AuthError);
    expect(refuse).toThrow(/^(?!.*s3)/);
  });
});
