import { describe, expect, it } from 'vitest';
import { leftOutNote, tableFooter } from '../../../src/output/table/table-notes.ts';

describe('tableFooter', () => {
  it.each([
    [50, 12_345, 'en-US', '50 of 12,345 · --all for the rest'],
    [5_000, 12_345, 'es-CL', '5.000 of 12.345 · --all for the rest'],
    [50, 50, 'en-US', ''],
    [0, 0, 'en-US', ''],
    [51, 50, 'en-US', ''],
  ])('%i of %i in %s: %s', (shown, total, locale, text) => {
    expect(tableFooter({ shown, total, locale })).toBe(text);
  });
});

describe('leftOutNote', () => {
  it('says nothing when nothing was left out', () => {
    expect(leftOutNote([], 80, 'narrow')).toEqual([]);
  });

  it('breaks between words, and not where a name is wider than the line', () => {
    expect(leftOutNote(['a.very.long.name', '漢字'], 12, 'late')).toEqual([
      'Not shown:',
      'a.very.long.name,',
      '漢字. They',
      'came late:',
      'choose with',
      '--columns,',
      'or write a',
      'file: -o',
      'invoices.csv',
    ]);
  });
});
