import { describe, expect, it } from 'vitest';
import { checkLink } from '../../src/api/file-link.ts';
import { ServiceError } from '../../src/errors.ts';

describe('a link to a file', () => {
  it.each([
    ['https://files.example.com/a?signature=x#part', 'https://files.example.com/a?signature=x'],
    ['https://files.example.com:8443/a', 'https://files.example.com:8443/a'],
  ])('%s is followed to %s', (link, url) => {
    expect(checkLink(link, { onLoopback: false }).href).toBe(url);
  });

  it.each([
    'http://files.example.com/a',
    'http://127.0.0.1/a',
    'https://127.0.0.1/a',
    'http://[::1]/a',
    'http://127.1/a',
    'http://2130706433/a',
    'https://localhost/a',
    'ftp://files.example.com/a',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://user@files.example.com/a',
    '/a',
    '',
  ])('%s is not followed for a service elsewhere', (link) => {
    expect(() => checkLink(link, { onLoopback: false })).toThrow(ServiceError);
  });

  it.each(['http://127.0.0.1:8080/a', 'http://localhost/a', 'http://[::1]/a', 'https://127.0.0.1/a'])(
    '%s is followed for a service on this machine',
    (link) => {
      expect(checkLink(link, { onLoopback: true }).href).toBe(link);
    },
  );

  it('takes a redirect relative to where it stands, and not off to http', () => {
    const from = new URL('https://files.example.com/a/b?x');
    expect(checkLink('../c', { onLoopback: false, from }).href).toBe('https://files.example.com/c');
    expect(checkLink('//other.example.com/c', { onLoopback: false, from }).protocol).toBe('https:');
    expect(() => checkLink('http://files.example.com/c', { onLoopback: false, from })).toThrow(
      /files\.example\.com is http/,
    );
  });

  it('never shows more of a refused link than its host', () => {
    expect(() => checkLink('http://host.example/path?signature=s3cret', { onLoopback: false })).toThrow(
      'the link to host.example is http:// and not https://: it is not followed',
    );
  });
});
