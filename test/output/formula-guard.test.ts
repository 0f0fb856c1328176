import { describe, expect, it } from 'vitest';
import { guardFormula } from '../../src/output/formula-guard.ts';

describe('guardFormula', () => {
  it.each([
    '=1+1',
    '+A1',
    '-A1',
    '@SUM(A1)',
    '\t=1',
    '\rx',
    '\nx',
    ' =1',
    '\u00a0=1',
    '＝1',
    '＋A',
    '－A',
    '＠x',
    '-',
    '+',
    '=',
    '-1+2',
    '+1-555|cmd',
    '-12.50.1',
    '--5',
    '-1-2',
    '+56 9 1234 5678',
    '=12',
    "-2+3+cmd|' /C calc'!A0",
    '-5%-3',
    '-1e5e',
  ])('makes %j inert', (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
  });

  it.each([
    '',
    'a=1',
    '5',
    '-5',
    '+5',
    '-12.50',
    '-12,50',
    '-1,234.56',
    '-1.234,56',
    '-1 234 567,8',
    '-1\u202f234',
    "-1'234.56",
    '-.5',
    '-1e-7',
    '+1.5E+10',
    '-5 %',
    '-5%',
    '\t5',
    '2024-10-15',
    '2024-10-15T00:00:00Z',
    "'=1",
    '[1,"=2"]',
    '12-34',
    'ref_=',
    '+56912345678',
  ])('leaves %j alone', (text) => {
    expect(guardFormula(text)).toBe(text);
  });
});
