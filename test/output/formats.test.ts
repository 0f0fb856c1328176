import { expect, it } from 'vitest';
import { formatOfEnding } from '../../src/output/formats.ts';

it('takes the format from what follows the last dot of the name, not of a folder', () => {
  expect(formatOfEnding('C:\\books.csv\\november')).toBeUndefined();
  expect(formatOfEnding('C:\\books\\november.XLSX')).toBe('xlsx');
});
