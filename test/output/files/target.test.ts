import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findTarget } from '../../../src/output/files/target.ts';
import { formatOfEnding } from '../../../src/output/formats.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('refuses a folder by its last character', async () => {
  const folder = join(temporaryFolder(), 'new/');
  await expect(findTarget(folder)).rejects.toThrow(`cannot write ${folder}: it is a folder`);
});

it('knows standard output by each of its names', async () => {
  for (const name of [undefined, '-', '/dev/stdout', '/dev/fd/1'])
    expect(await findTarget(name)).toEqual({ kind: 'stdout' });
});

it('takes the format from what follows the last dot of the name, not of a folder', () => {
  expect(formatOfEnding('C:\\books.csv\\november')).toBeUndefined();
  expect(formatOfEnding('C:\\books\\november.XLSX')).toBe('xlsx');
});
