import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { runAnswered } from '../support/scripted-run.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** Addresses that are not what they look like, or lead where the token must not go, and why each is refused. */
const BAD: readonly (readonly [address: string, why: string])[] = [
  ['', 'not of the form'],
  ['   ', 'not of the form'],
  ['api.example.com/v1', 'not of the form'],
  ['//api.example.com', 'not of the form'],
  ['https:api.example.com', 'not of the form'],
  ['https:/api.example.com', 'not of the form'],
  ['ftp://api.example.com', 'not of the form'],
  ['file:///etc/passwd', 'not of the form'],
  ['javascript:alert(1)', 'not of the form'],
  ['http://api.example.com', 'plain http'],
  ['http://10.1.2.3', 'plain http'],
  ['http://0.0.0.0', 'plain http'],
  ['http://localhost.evil.example', 'plain http'],
  ['http://127.0.0.1.evil.example', 'plain http'],
  ['http://notlocalhost', 'plain http'],
  ['http://127.1', 'another spelling of 127.0.0.1'],
  ['http://2130706433', 'another spelling of 127.0.0.1'],
  ['http://0x7f.0.0.1', 'another spelling of 127.0.0.1'],
  ['http://[0:0:0:0:0:0:0:1]', 'another spelling of [::1]'],
  ['http://[::ffff:127.0.0.1]', 'another spelling'],
  ['https://user:secret@api.example.com', 'not of the form'],
  ['https://api.example.com@evil.example', 'not of the form'],
  ['http://localhost@evil.example', 'not of the form'],
  ['https://api.example.com?x=1', 'not of the form'],
  ['https://api.example.com/v1?', 'not of the form'],
  ['https://api.example.com/v1#', 'not of the form'],
  ['https://api.example.com\\@evil.example', 'not of the form'],
  ['https:\\\\api.example.com', 'not of the form'],
  ['https://api.example.com/v1\r\n', 'not of the form'],
  ['https://api.exa\tmple.com', 'not of the form'],
  [' https://api.example.com', 'not of the form'],
  ['https://аpi.example.com', 'not of the form'],
  ['https://api。example。com', 'not of the form'],
  ['https://%61pi.example.com', 'not of the form'],
  ['https://api.example.com/v1/%2e%2e', 'not of the form'],
  ['https://api.example.com/a/../v1', 'not of the form'],
  ['https://api.example.com//v1', 'not of the form'],
  ['https://api..example.com', 'not of the form'],
  ['https://api.example.com.', 'not of the form'],
  ['https://-api.example.com', 'not of the form'],
  ['https://', 'not of the form'],
  ['https:///v1', 'not of the form'],
  ['https://api.example.com:99999', 'not of the form'],
  ['https://api.example.com:0', 'not of the form'],
  ['https://api.example.com:8a', 'not of the form'],
  ['https://1.2.3.4.5', 'not of the form'],
  ['HTTP://API.EXAMPLE.COM', 'plain http'],
  ['https://user:pass-word@api.example.com', 'not of the form'],
  [`https://${encodeURIComponent(HOSTILE_TOKEN)}@api.example.com`, 'not of the form'],
  ['https://api.example.com:443:443', 'not of the form'],
  ['https://xn--/v1', 'not of the form'],
  ['https://api.example.com\r\nHost: evil.example', 'not of the form'],
  ['http://169.254.169.254/', 'plain http'],
  ['https://h?key=pass-word', 'not of the form'],
];

describe('a bad base address', () => {
  it.each(BAD)('%j is refused before anything is looked up: %s', async (address, why) => {
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
