import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { runAnswered } from '../support/scripted-run.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** Addresses that are not what they look like, or lead where the token must not go, by why each is refused. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  'plain http': [
    ...['http://api.example.com', 'http://10.1.2.3', 'http://0.0.0.0', 'http://localhost.evil.example'],
    ...['http://127.0.0.1.evil.example', 'http://notlocalhost', 'HTTP://API.EXAMPLE.COM'],
    'http://169.254.169.254/',
  ],
  'another spelling of 127.0.0.1': ['http://127.1', 'http://2130706433', 'http://0x7f.0.0.1'],
  'another spelling of [::1]': ['http://[0:0:0:0:0:0:0:1]'],
  'another spelling': ['http://[::ffff:127.0.0.1]'],
  'not of the form': [
    // No scheme, or another one.
    ...['', '   ', 'api.example.com/v1', '//api.example.com', 'https:api.example.com', 'javascript:alert(1)'],
    ...['https:/api.example.com', 'ftp://api.example.com', 'file:///etc/passwd', 'https:\\\\api.example.com'],
    // A user, a query or a fragment.
    ...['https://user:secret@api.example.com', 'https://user:pass-word@api.example.com'],
    ...['https://api.example.com@evil.example', 'http://localhost@evil.example'],
    ...[
      'https://api.example.com\\@evil.example',
      `https://${encodeURIComponent(HOSTILE_TOKEN)}@api.example.com`,
    ],
    ...['https://api.example.com?x=1', 'https://h?key=pass-word', 'https://api.example.com/v1?'],
    ...['https://api.example.com/v1#', 'https://api.example.com/v1\r\n', 'https://api.exa\tmple.com'],
    ...[' https://api.example.com', 'https://api.example.com\r\nHost: evil.example'],
    // Letters that are not plain, and paths that lead elsewhere.
    ...[
      'https://аpi.example.com',
      'https://api。example。com',
      'https://%61pi.example.com',
      'https://xn--/v1',
    ],
    ...[
      'https://api.example.com/v1/%2e%2e',
      'https://api.example.com/a/../v1',
      'https://api.example.com//v1',
    ],
    // No host or port.
    ...['https://api..example.com', 'https://api.example.com.', 'https://-api.example.com', 'https://'],
    ...['https:///v1', 'https://1.2.3.4.5', 'https://api.example.com:99999', 'https://api.example.com:0'],
    ...['https://api.example.com:8a', 'https://api.example.com:443:443'],
  ],
};
const ROWS = Object.entries(BAD).flatMap(([why, addresses]) => addresses.map((one) => [one, why] as const));

describe('a bad base address', () => {
  it.each(ROWS)('%j is refused before anything is looked up: %s', async (address, why) => {
    // A connection that is tried ends otherwise. An empty variable counts as unset.
    const byVariable = address.trim() === '' ? [] : [[['customers'], { FOLIO_BASE_URL: address }] as const];
    const byFlag = [['issued', '--base-url', address, '--debug'], {}] as const;
    for (const [args, more] of [byFlag, ...byVariable]) {
      const env = { FOLIO_TOKEN: HOSTILE_TOKEN, ...more };
      const { code, stdout, stderr } = await runHere(args, { env });
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^folio: the base address.* is refused: /);
      expect(stderr).toContain(why);
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

  const VALUES = ['a b', 'a&b=c', 'a=b', 'a#b', 'a%b', 'a+b', 'ä', 'a\r\nX: y', '\u0000', '&options_page=9'];
  it.each(VALUES)('and a parameter %j stay what they are', async (value) => {
    const name = `${value.replaceAll('=', '')}x`;
    const flags = ['--param', `${name}=${value}`, '--customer-fiscal-id', value];
    const { code, urls } = await ask('issued', ...flags);
    expect(code).toBe(urls.length === 0 ? 2 : 5);
    if (urls.length === 0) return;
    expect(urls[0]!.searchParams.get(name)).toBe(value);
    expect(urls[0]!.searchParams.getAll('options_page')).toEqual(['0']);
  });
});
