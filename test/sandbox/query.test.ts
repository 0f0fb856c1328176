import { describe, expect, it } from 'vitest';
import { BadQuery, Query } from '../../src/sandbox/query.ts';

describe('Query', () => {
  it.each([
    ['ids=a,b', ['a', 'b']],
    ['ids=a&ids=b', ['a', 'b']],
    ['ids[]=a&ids%5B%5D=b', ['a', 'b']],
    ['ids[0]=a&ids[1]=b,c', ['a', 'b', 'c']],
    ['ids=a%2Cb,,+c+', ['a', 'b', 'c']],
    ['other=a', undefined],
  ])('reads the list %s', (text, list) => {
    expect(new Query(text).list('ids')).toEqual(list);
  });

  it('decodes names and values, a plus being a space', () => {
    expect(new Query('a%20b=%C3%B1+%2B=x').text('a b')).toBe('ñ +=x');
  });

  it.each([
    ['a=%E0%A4%A', (query: string) => new Query(query)],
    ['n=1&n=2', (query: string) => new Query(query).text('n')],
    ['ids=,', (query: string) => new Query(query).list('ids')],
    ['n=', (query: string) => new Query(query).integer('n', 5, 0)],
    ['n=0', (query: string) => new Query(query).integer('n', 5, 1)],
    ['n=1e3', (query: string) => new Query(query).integer('n', 5, 1)],
    ['n=99999999999999999', (query: string) => new Query(query).integer('n', 5, 1)],
    ['order=Asc', (query: string) => new Query(query).oneOf('order', ['ASC', 'DESC'])],
    ['status=PAID,LOST', (query: string) => new Query(query).listOf('status', ['PAID'])],
    ['a=1&b=2', (query: string) => new Query(query).allowOnly(['a'])],
  ])('refuses %s', (text, read) => {
    expect(() => read(text)).toThrow(BadQuery);
  });

  it('gives the default for what is absent', () => {
    expect(new Query('').integer('n', 5, 0)).toBe(5);
    expect(new Query('').oneOf('n', ['a'])).toBeUndefined();
  });
});
