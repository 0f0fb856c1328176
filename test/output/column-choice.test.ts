import { describe, expect, it } from 'vitest';
import {
  chooseColumns,
  isOpenChoice,
  namedColumn,
  namedColumns,
  splitColumns,
  withColumnBefore,
} from '../../src/output/column-choice.ts';

const THERE = ['id', 'customer.name', 'customer.address.city', 'files', 'total'];

describe('chooseColumns', () => {
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
  ])('takes %s as %s', (asked, chosen) => {
    expect(isOpenChoice(asked.split(','))).toBe(true);
    expect(chooseColumns(asked.split(','), THERE).join(',')).toBe(chosen);
  });

  it('is not needed for plain names', () => {
    expect(isOpenChoice(['id', 'customer.name'])).toBe(false);
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
    ['=x', '', 'x'],
    ['x=', 'x', ''],
  ])('of %s is %s', (part, heading, column) => {
    expect(namedColumn(part)).toEqual({ heading, column });
    expect(splitColumns('--columns', `a,${part},-b=c,*`)).toEqual(['a', part.trim(), '-b=c', '*']);
  });

  it.each(['"a', '"a"b=c', 'a="b"c', '"a"="b'])('is not in %s', (text) => {
    expect(() => splitColumns('--columns', text)).toThrow(
      /^--columns .*: a quote at character \d+ does not fit$/,
    );
  });
});

it('names the columns to look for, also those to leave out', () => {
  expect(namedColumns(['id', '*', '-files'])).toEqual(['id', 'files']);
});

it('keeps all others behind a column that goes before them', () => {
  expect(withColumnBefore('_profile', ['-files'])).toEqual(['_profile', '*', '-files']);
  expect(withColumnBefore('_profile', ['id', '*'])).toEqual(['_profile', 'id', '*']);
});
