import { AuthError } from '../errors.ts';
import { Secret } from './secret.ts';

/** Header lines of services and proxies end at 8 KB. */
const maxLength = 8000;

export interface ParsedToken {
  readonly token: Secret;
  /** Something that was mended on the way and should be said, or none. */
  readonly note: string | undefined;
}

/**
 * Reads a token as it was typed, pasted or piped in: white space around it does not count. It goes alone into its header
 * (spec 5 rules 1 and 2), so a pasted `Bearer ` is taken off. What cannot be a header's value is refused here, before
 * the runtime would, because the runtime's error shows the whole token.
 *
 * @param from where it comes from, for messages, which never show it: `FOLIO_TOKEN`
 */
export function parseToken(text: string, from: string): ParsedToken {
  const given = text.replace(/^\uFEFF/, '').trim();
  const token = given.replace(/^bearer(?:\s+|$)/i, '');
  if (token === '') throw malformed(from, 'is empty');
  if (token.length > maxLength)
    throw malformed(from, `is ${token.length} characters long, more than ${maxLength}`);
  const wrong = /[^\x21-\x7e]/.exec(token);
  if (wrong) {
    throw malformed(from, `has ${nameOf(wrong[0])} at character ${wrong.index + 1} of ${token.length}`);
  }
  const note =
    token === given
      ? undefined
      : `the "Bearer" before the token (${from}) was taken off: the service wants the token alone`;
  return { token: new Secret(token), note };
}

function malformed(from: string, reason: string): AuthError {
  return new AuthError(`the token (${from}) ${reason}`, {
    hint: 'A token is one word of letters, digits and signs, exactly as the operator of the service issued it.',
  });
}

function nameOf(character: string): string {
  if (/[\r\n]/.test(character)) return 'a line break';
  return /\s/.test(character) ? 'a space' : 'a character that a header cannot hold';
}
