import { AuthError } from '../errors.ts';

/**
 * The value of the Authorization header: the token alone (spec 5, rule 2). Throws AuthError for one that no header can
 * carry, before any is set and without showing it: the runtime's own error would print it whole.
 */
export function authorization(token: string): string {
  if (token === '') throw new AuthError('there is no token', { hint: 'Log in with `folio auth login`' });
  if (/^bearer\s/i.test(token)) {
    throw new AuthError('the token begins with "Bearer", and the service wants it alone', {
      hint: 'Give the token without it',
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new AuthError('the token holds a space, a line break or another character that no token has', {
      hint: 'Copy it again, whole and alone, and give it with `folio auth login`',
    });
  }
  return token;
}
