import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBaseUrl, queryString, requestUrl } from '../../src/api/address.ts';
import { UsageError } from '../../src/errors.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/v1'],
    ['https://api.example.com/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1'],
    ['HTTPS://API.Example.com:443/v1', 'https://api.example.com/v1'],
    ['https://api.example.com:8443', 'https://api.example.com:8443/v1'],
    ['https://gateway.example.com/api/', 'https://gateway.example.com/api/v1'],
    ['https://gateway.example.com/api/v1', 'https://gateway.example.com/api/v1'],
    ['https://api.example.com/v2', 'https://api.example.com/v2'],
    ['https://gateway.example.com/api/v10/', 'https://gateway.example.com/api/v10'],
    ['https://gateway.example.com/v2/api', 'https://gateway.example.com/v2/api/v1'],
    ['https://api_test.local', 'https://api_test.local/v1'],
    ['https://10.1.2.3', 'https://10.1.2.3/v1'],
    ['https://[2001:db8::1]/v1', 'https://[2001:db8::1]/v1'],
    ['http://localhost:8080', 'http://localhost:8080/v1'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://127.9.8.7', 'http://127.9.8.7/v1'],
    ['http://[::1]:8080', 'http://[::1]:8080/v1'],
  ])('takes %s as %s', (text, normal) => {
    expect(parseBaseUrl(text).href).toBe(normal);
  });

  it('shows the address that it refuses', () => {
    expect(() => parseBaseUrl('FTP://api.example.com/v1')).toThrow(
      'the base address FTP://api.example.com/v1 is refused: it is not of the form https://host[:port][/path], in plain letters',
    );
    expect(() => parseBaseUrl(`ftp://${'x'.repeat(201)}`)).toThrow('the base address is refused: it');
  });
});

const base = new URL('https://api.example.com/v1');

describe('requestUrl', () => {
  it('puts the path below the base address and the query behind it', () => {
    expect(requestUrl(base, '/customers/a%2Fb', [['q', "it's"]]).href).toBe(
      'https://api.example.com/v1/customers/a%2Fb?q=it%27s',
    );
    expect(requestUrl(base, '/customers', []).href).toBe('https://api.example.com/v1/customers');
  });

  it.each([
    '',
    '/a\nb',
    '/a b',
    ...'customers @evil.example .evil.example /../x /a/%2e%2e/b /a\\b /a?b /a#b /é'.split(' '),
  ])('refuses the path %j', (path) => {
    expect(() => requestUrl(base, path, [])).toThrow(UsageError);
  });

  it('cannot be led to another host', () => {
    expect(requestUrl(base, '//evil.example/x', []).host).toBe('api.example.com');
  });
});

describe('queryString', () => {
  it('keeps order and repetition, and encodes all but the unreserved characters', () => {
    const pairs = [
      ['options_page', '0'],
      ['a b', "!'()*"],
      ['a b', 'é&=#+%2F\r\n'],
    ] as const;
    expect(queryString(pairs)).toBe(
      'options_page=0&a%20b=%21%27%28%29%2A&a%20b=%C3%A9%26%3D%23%2B%252F%0D%0A',
    );
    expect(queryString([])).toBe('');
  });

  it('comes out at the other end as it went in, whatever a cursor holds', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        const query = queryString(pairs);
        expect(query).toMatch(/^[A-Za-z0-9._~%&=,-]*$/);
        const read =
          query === '' ? [] : query.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
        expect(read).toEqual(pairs);
      }),
    );
  });

  it('refuses half a character', () => {
    expect(() => queryString([['options_nextToken', 'a\ud800']])).toThrow(UsageError);
  });
});
