import { describe, expect, it } from 'vitest';
import { ChosenColumns } from '../../src/output/chosen-columns.ts';

const THERE = ['id', 'customer.name', 'customer.address.city', 'files', 'total'];

const columnsOf = (text: string): ChosenColumns => ChosenColumns.parse('--columns', text);

describe('Columns', () => {
  it.each([
    ['*', 'id,customer.name,customer.address.city,files,total'],
    ['-files', 'id,customer.name,customer.address.city,total'],
    ['-customer', 'id,files,total'],
    ['-customer.address,-id', 'customer.name,files,total'],
    ['total,*', 'total,id,customer.name,customer.address.city,files'],
    ['*,id', 'customer.name,customer.address.city,files,total,id'],
    ['total,*,-files,id', 'total,customer.name,customer.address.city,id'],
    ['customer,*', 'customer,id,files,total'],
    ['-cust', 'id,customer.name,customer.address.city,files,total'],
    ['nothing,*,-total', 'nothing,id,customer.name,customer.address.city,files'],
    ['id,*,-id', 'customer.name,customer.address.city,files,total'],
  ])('takes %s as %s', (text, chosen) => {
    expect(columnsOf(text).isOpen).toBe(true);
    expect(columnsOf(text).of(THERE).join(',')).toBe(chosen);
  });
});

describe('a heading', () => {
  it.each([
    ['number', undefined, 'number'],
    ['Folio=number', 'Folio', 'number'],
    [' Folio = number ', 'Folio', 'number'],
    ['"a=b"', undefined, 'a=b'],
    ['a=b=c', 'a', 'b=c'],
    ['"Total, net"=net', 'Total, net', 'net'],
    [String.raw`"the \"net\" of \\"="x,y"`, 'the "net" of \\', 'x,y'],
    ['N" 1=x', 'N" 1', 'x'],
  ])('of %s is %s', (part, heading, column) => {
    const { named, mentioned } = columnsOf(`z,${part},-b=c,*`);
    const [z, own] = [
      { heading: undefined, column: 'z' },
      { heading, column },
    ] as const;
    expect(named).toEqual([z, own].map((one) => ({ kind: 'column', ...one })));
    expect(mentioned.at(-1)).toBe('b=c');
  });

  it.each(['"a', '"a"b=c', 'a="b"c', '"a"="b'])('is not in %s', (text) => {
    expect(() => columnsOf(text)).toThrow(/^--columns .*: a quote at character \d+ does not fit$/);
  });
});
