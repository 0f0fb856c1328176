import { expect, it } from 'vitest';
import { formulaGuard } from '../../../src/output/csv/csv-dialect.ts';

it.each([
  ...'=1+1|+A1|-A1|@SUM(A1)|\rx|\nx| =1|\u00a0=1|＝1|＋A|－A|＠x|-|+|=|-1+2|+1-555;cmd|-12.50.1|--5|-1-2'.split(
    '|',
  ),
  ...`+56 9 1234 5678|=12|-2+3+cmd;' /C calc'!A0|-5%-3|-1e5e|\u0000=1|\u200b=1|\u001b@x|-5]x`.split('|'),
])('makes %j inert', (text) => {
  expect(formulaGuard()(text)).toBe(`'${text}`);
});

it.each([
  ['a;=1+1', "a;'=1+1"],
  ['a; =1+1;b', "a;' =1+1;b"],
  ['a\t@x', "a\t'@x"],
  ['a\n=1', "a\n'=1"],
  ['a\r\n-x', "a\r\n'-x"],
  ['=1;=2', "'=1;'=2"],
  ['\t=1', "'\t'=1"],
  ['\t=1;+x', "'\t'=1;'+x"],
  ['["a;=1;"]', `["a;'=1;"]`],
  ['tel; +56 9 1234 5678', "tel;' +56 9 1234 5678"],
])('makes %j inert within, where a separator of other files is', (text, inert) => {
  expect(formulaGuard()(text)).toBe(inert);
});

it('spares the separator of the file itself, for which a text is quoted', () => {
  expect(formulaGuard()('a,-b;-c')).toBe("a,-b;'-c");
  expect(formulaGuard(';')('a,-b;-c')).toBe("a,'-b;-c");
  expect(formulaGuard(';')('[1,-2]')).toBe('[1,-2]');
});

it.each([
  ...'|a;-5|a; -5.50;+7 %|a,-b|[1,-2]|a;b;c\nd|-5]|a=1|5|-5|+5|-12.50|-12,50|-1,234.56|-1.234,56'.split('|'),
  ...'-12,345,678.90|a;b=1;c@d|-1 234 567,8|-1\u202f234|-.5|-1e-7|+1.5E+10|-5 %|-5%|\t5|2024-10-15'.split(
    '|',
  ),
  ...`2024-10-15T00:00:00Z|'=1|[1,"=2"]|12-34|ref_=|+56912345678|-1'234.56`.split('|'),
])('leaves %j alone', (text) => {
  expect(formulaGuard()(text)).toBe(text);
});
