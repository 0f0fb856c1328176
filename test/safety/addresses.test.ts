import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { runAnswered } from '../support/scripted-run.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** Addresses that are not what they look like, or lead where the token must not go. */
const BAD = [
  ...['', ' ', 'api.example.com', '/v1', 'http://api.example.com/v1', 'HTTP://API.EXAMPLE.COM'],
  ...['ftp://api.example.com', 'javascript:alert(1)', 'file:///etc/passwd', '//api.example.com/v1'],
  ...['https:/api.example.com', 'https:api.example.com', 'https://', 'https:///v1'],
  ...['https://user@api.example.com', 'https://user:pass-word@api.example.com'],
  ...[
    'https://api.example.com@evil.example/',
    `https://${encodeURIComponent(HOSTILE_TOKEN)}@api.example.com`,
  ],
  ...['https://api.example.com/v1?x=1', 'https://api.example.com/v1#x'],
  ...['https://api.example.com\\@evil.example/', 'https://api.example.com/%2e%2e/x'],
  ...['https://api.example.com/../x', 'https://api.example.com:0', 'https://api.example.com:99999'],
  ...['https://api.example.com:443:443', 'https://api.еxample.com', 'https://api。example.com'],
  ...['https://xn--/v1', 'https://api..example.com', 'https://-api.example.com'],
  ...['https://api.example.com /v1', 'https://api.exam\tple.com'],
  ...['https://api.example.com\r\nHost: evil.example', 'http://127.0.0.1.evil.example'],
  ...['http://localhost.evil.example', 'http://0x7f.1/', 'http://2130706433/', 'http://127.1/'],
  ...['http://[::ffff:7f00:1]/', 'http://0.0.0.0/', 'http://169.254.169.254/'],
];

describe('a bad base address', () => {
  it.each(BAD)('%j is refused before anything is looked up', async (address) => {
    // A connection that is tried ends otherwise. An empty variable counts as unset.
    const byVariable = address.trim() === '' ? [] : [[['customers'], { FOLIO_BASE_URL: address }] as const];
    const byFlag = [['issued', '--base-url', address, '--debug'], {}] as const;
    for (const [args, more] of [byFlag, ...byVariable]) {
      const env = { FOLIO_TOKEN: HOSTILE_TOKEN, ...more };
      const { code, stdout, stderr } = await runHere(args, { env });
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^folio: the base address.* is refused: /);
      expect(leakIn(stderr)).toBeUndefined();
      expect(stderr).not.toContain('pass-word');
    }
  });
});

/** Runs a command line against a service that has nothing but a listing, with the addresses that it was asked. */
async function ask(...argv: string[]) {
  const urls: URL[] = [];
  const { code } = await runAnswered(argv, (url) => {
    // A listing that is not there would mean that the address is wrong.
    if (url.pathname === '/v1/invoices/issued' && argv[0] !== 'issued') return '{}';
    urls.push(url);
    return [404, '{}'];
  });
  return { code, urls };
}

describe('an id', () => {
  it.each(['../x', '..', '.', 'a/b', 'a\\b', 'a?b=c', 'a#b', 'a%2fb', 'a\r\nX: y', 'ä é', '..;', '%2e%2e'])(
    '%j is one segment of the path, or refused',
    async (id) => {
      for (const command of ['customers get', 'funds get', 'funds documents']) {
        const { code, urls } = await ask(...command.split(' '), '--', id);
        expect([2, 4]).toContain(code);
        for (const { pathname, search, hash } of urls) {
          const segments = pathname.split('/');
          expect({ id: decodeURIComponent(segments.pop()!), hash }).toEqual({ id, hash: '' });
          expect(segments.join('/')).toMatch(/^\/v1\/(customers|accounts-payable\/prepaid-expenses)$/);
          expect(search).not.toContain('=c');
        }
      }
    },
  );

  it.each(['a b', 'a&b=c', 'a=b', 'a#b', 'a%b', 'a+b', 'ä', 'a\r\nX: y', '\u0000', '&options_page=9'])(
    'and a parameter %j stay what they are',
    async (value) => {
      const name = `${value.replaceAll('=', '')}x`;
      const { code, urls } = await ask(
        'issued',
        '--param',
        `${name}=${value}`,
        '--customer-fiscal-id',
        value,
      );
      expect(code).toBe(urls.length === 0 ? 2 : 5);
      if (urls.length === 0) return;
      expect(urls[0]!.searchParams.get(name)).toBe(value);
      expect(urls[0]!.searchParams.getAll('options_page')).toEqual(['0']);
    },
  );
});
