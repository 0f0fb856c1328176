import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPairs, pathSegment, queryString } from '../../src/api/query-string.ts';
import { UsageError } from '../../src/errors.ts';

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
        expect(query).toMatch(/^[A-Za-z0-9._~%&=-]*$/);
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

describe('listPairs', () => {
  it.each([
    ['comma', [['ids', 'a,b']]],
    [
      'repeat',
      [
        ['ids', 'a'],
        ['ids', 'b'],
      ],
    ],
    [
      'brackets',
      [
        ['ids[]', 'a'],
        ['ids[]', 'b'],
      ],
    ],
  ] as const)('%s', (encoding, pairs) => {
    expect(listPairs('ids', ['a', 'b'], encoding)).toEqual(pairs);
    expect(listPairs('ids', [], encoding)).toEqual([]);
  });

  it('refuses a comma where it separates, and only there', () => {
    expect(() => listPairs('ids', ['a,b'], 'comma')).toThrow(UsageError);
    expect(listPairs('ids', ['a,b'], 'repeat')).toEqual([['ids', 'a,b']]);
  });
});

describe('pathSegment', () => {
  it.each([
    ['cus_1', 'cus_1'],
    ['../x', '..%2Fx'],
    ['a/b', 'a%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['a\r\nb', 'a%0D%0Ab'],
    ['%2e%2e', '%252e%252e'],
    ['a\\b;é', 'a%5Cb%3B%C3%A9'],
    ['...', '...'],
  ])('%j is one segment: %s', (id, segment) => {
    expect(pathSegment(id)).toBe(segment);
    expect(new URL(`https://h/v1/customers/${segment}`).pathname).toBe(`/v1/customers/${segment}`);
  });

  it.each(['', '.', '..'])('refuses %j', (id) => {
    expect(() => pathSegment(id)).toThrow(UsageError);
  });
});
