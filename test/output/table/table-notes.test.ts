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
  it.each([
    [[], 80, ''],
    [['id', 'files'], 80, 'Not shown: id, files · --columns, --wide'],
    [['id', 'files'], 38, 'Not shown: id, files'],
    [['id', 'a.very.long.name', '漢字'], 45, 'Not shown: id and 2 more · --columns, --wide'],
    [['a.very.long.name', '漢字'], 12, 'Not shown: …'],
    [
      Array.from({ length: 2_000 }, (_, n) => `c${n}`),
      60,
      'Not shown: c0, c1, c2, c3 and 1996 more · --columns, --wide',
    ],
  ])('of %j in %i cells is one line: %s', (names, width, line) => {
    expect(leftOutNote(names, width, 'narrow')).toBe(line);
  });

  it('says why columns are missing from rows that are whole', () => {
    expect(leftOutNote(['late'], 80, 'late')).toBe('Not shown: late · they came late: --columns, or a file');
  });
});
