import { describe, expect, it } from 'vitest';
import { requestUrl } from '../../src/api/request-url.ts';
import { UsageError } from '../../src/errors.ts';

const base = new URL('https://api.example.com/v1');

describe('requestUrl', () => {
  it('puts the path below the base address and the query behind it', () => {
    expect(requestUrl(base, '/customers/a%2Fb', [['q', "it's"]]).href).toBe(
      'https://api.example.com/v1/customers/a%2Fb?q=it%27s',
    );
    expect(requestUrl(base, '/customers', []).href).toBe('https://api.example.com/v1/customers');
  });

  it.each([
    'customers',
    '@evil.example',
    '.evil.example',
    '',
    '/../x',
    '/a/%2e%2e/b',
    '/a\\b',
    '/a?b',
    '/a#b',
    '/a\nb',
    '/a b',
    '/é',
  ])('refuses the path %j', (path) => {
    expect(() => requestUrl(base, path, [])).toThrow(UsageError);
  });

  it('cannot be led to another host', () => {
    expect(requestUrl(base, '//evil.example/x', []).host).toBe('api.example.com');
  });
});
