import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownSecrets, redactor } from '../../src/api/redact.ts';

const token = 'eyJhbGciOi.J9+/="q(\\x\')!*~.sig-nature_1';
const redact = redactor([token, 'pa:ss word', 'pa', '']);

describe('redactor', () => {
  it.each([
    ['as it is', token],
    ['percent-encoded', encodeURIComponent(token)],
    ['in lower case', encodeURIComponent(token).replace(/%../g, (code) => code.toLowerCase())],
    ['as a query writes it', new URLSearchParams({ t: token }).toString()],
    ['in a host name', token.toLowerCase()],
    ['in JSON', JSON.stringify({ token })],
    ['in JSON with escapes', token.replace(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
    ['in a script within JSON', token.replace(/./g, (c) => `\\\\x${c.charCodeAt(0).toString(16)}`)],
    ['in JSON with a backslash before each slash', JSON.stringify(token).replaceAll('/', '\\/')],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ token }))],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(token))],
    ['percent-encoded three times', token.replace(/./g, (c) => `%2525${c.charCodeAt(0).toString(16)}`)],
    ['in hexadecimal', Buffer.from(token).toString('hex')],
    ['in hexadecimal, large letters', Buffer.from(token).toString('hex').toUpperCase()],
    ['in HTML', token.replace(/./g, (c) => `&#${c.charCodeAt(0)};`)],
    ['in HTML, hexadecimal', token.replace(/./g, (c) => `&#x${c.charCodeAt(0).toString(16)};`)],
    ['cut at its end', token.slice(0, 14)],
    ['cut at its beginning', token.slice(-14)],
    ['cut within its base64', Buffer.from(token).toString('base64').slice(3, 24)],
    ['in base64', Buffer.from(token).toString('base64')],
    ['in base64url', Buffer.from(token).toString('base64url')],
    ['in Basic credentials', `Basic ${Buffer.from(`me:${token}`).toString('base64')}`],
    ['in Basic credentials, one byte on', `Basic ${Buffer.from(`abc:${token}:x`).toString('base64')}`],
  ])('hides a secret %s', (_, text) => {
    const shown = redact(`GET ${text} 403`);
    expect(shown).toContain('[hidden]');
    expect(shown).toMatch(/^GET .* 403$/);
    expect(leftOver(shown)).toBe('');
  });

  it('hides every occurrence and leaves the rest', () => {
    expect(redact(`${token}${token}, pa:ss word, parade`)).toBe('[hidden], [hidden], parade');
    expect(redactor([])('nothing')).toBe('nothing');
  });

  it('hides a short secret in base64, where that is eight characters', () => {
    expect(redactor(['abcdef'])('me YWJjZGVm too')).toBe('me [hidden] too');
  });

  it('hides the longer of two secrets whole', () => {
    expect(redactor(['secret', 'secret-and-more'])('secret-and-more')).toBe('[hidden]');
  });

  it.each(['%', '100%', '%25', '%2', '\\', '\\\\u', '\\x', '&#', '&#x', '%%2'])(
    'hides a secret behind %s, which takes its first characters for the digits of an escape',
    (before) => {
      for (const secret of ['0abc-word', '12345678', 'a0b1%word', 'cafe1234words'])
        expect(redactor([secret])(`${before}${secret} 403`)).toMatch(/^.{0,4}\[hidden\] 403$/);
    },
  );

  it('hides a secret that is all escapes, and nothing else for its sake', () => {
    for (const secret of ['\\\\\\\\', '\\\\\\a', '%41%42', '%5C%5C%5C'])
      expect(redactor([secret])(`a ${secret} b`)).toBe('a [hidden] b');
    expect(redactor(['half \ud800'])('half of it')).toBe('half of it');
  });

  it('takes the query off a signed link only', () => {
    const signed = 'https://files.example.com/a.pdf?Expires=1&X-Amz-Signature=abc';
    expect(redact(`see ${signed}, and <https://h/x?page=1&options_nextToken=2>`)).toBe(
      'see https://files.example.com/a.pdf?[hidden] and <https://h/x?page=1&options_nextToken=2>',
    );
  });

  it('hides what looks like a JSON Web Token, whosever it is', () => {
    const unknown = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbg';
    expect(redactor([])(`there is no profile "${unknown}"`)).toBe('there is no profile "[hidden]"');
    expect(redactor([])(`https://${unknown.toLowerCase()}/v1`)).toBe('https://[hidden]/v1');
    expect(redactor([])('eyJhbGciOiJub25lIn0.pdf and a.eyJ.b')).toBe('eyJhbGciOiJub25lIn0.pdf and a.eyJ.b');
  });

  it('takes the query off a signed link within JSON', () => {
    expect(redact(String.raw`"https:\/\/h\/x?a=1&sig=abc"`)).toBe(String.raw`"https:\/\/h\/x?[hidden]"`);
  });

  it('hides each part of a token that is long enough to give it away', () => {
    const secrets = fc.stringMatching(/^[a-zA-Z0-9_-]{20,60}$/);
    fc.assert(
      fc.property(
        secrets,
        fc.nat(20),
        fc.integer({ min: 10, max: 40 }),
        fc.string(),
        (secret, from, size, around) => {
          const part = secret.slice(from, from + size);
          fc.pre(part.length >= 10);
          expect(redactor([secret])(`${around}${part}…${around}`)).not.toContain(part);
        },
      ),
    );
  });

  it('finds any token within any text, encoded at any place', () => {
    const secrets = fc.stringMatching(/^[!-~]{12,60}$/);
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        const hide = redactor([secret]);
        for (const form of [secret, encodeURIComponent(secret)]) {
          expect(hide(`${before}${form}${after}`).includes(form)).toBe(false);
        }
        const whole = Buffer.from(`${before}${secret}${after}`).toString('base64');
        expect(hide(whole)).toContain('[hidden]');
      }),
    );
  });
});

describe('the secrets of an environment', () => {
  it('are the token, without the word in front of it, the passwords of proxies and what is added', () => {
    const secrets = knownSecrets({
      FOLIO_TOKEN: ' Bearer s3cret-word\nbearer-of-more',
      HTTPS_PROXY: 'http://me:p4ss%40word@proxy',
      ...{ http_proxy: 'http://u:plain-word@q', ALL_PROXY: 'http://q', all_proxy: 'http://:lower-word@q' },
    });
    const passwords = 'p4ss@word, p4ss%40word, plain-word, lower-word';
    expect(secrets.redact(`Bearer s3cret-word, bearer-of-more, ${passwords}, other-word`)).toBe(
      `Bearer ${'[hidden], '.repeat(6)}other-word`,
    );
    secrets.hide(['other-word']);
    expect(secrets.redact('Bearer s3cret-word, other-word')).toBe('Bearer [hidden], [hidden]');
  });
});

/** The longest piece of the token, of at least 12 characters, that a text or its base64 still shows. */
function leftOver(text: string): string {
  const decoded = Buffer.from(text.replace(/\[hidden\]/g, ''), 'base64').toString('latin1');
  for (let at = 0; at + 12 <= token.length; at++) {
    const piece = token.slice(at, at + 12);
    if (text.includes(piece) || decoded.includes(piece)) return piece;
  }
  return '';
}
