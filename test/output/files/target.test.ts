import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTarget, makeFolder } from '../../../src/output/files/target.ts';
import { formatOfEnding } from '../../../src/output/formats.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a name that Windows', () => {
  it.each([
    ['NUL', 'Windows takes NUL for a device'],
    ['C:\\books\\con.csv', 'Windows takes con.csv for a device'],
    ['lpt1 .txt', 'Windows takes lpt1 .txt for a device'],
    ['november:2.csv', 'a file name of Windows cannot have : in it'],
    ['C:\\books\\what?.csv', 'a file name of Windows cannot have ? in it'],
    ['a\tb.csv', 'a file name of Windows cannot have a control character in it'],
    ['out.csv.', 'a file name of Windows cannot end in a dot or a space'],
    ['books/out.csv ', 'a file name of Windows cannot end in a dot or a space'],
  ])('cannot hold is refused: %s', async (path, reason) => {
    await expect(findTarget(path, 'win32')).rejects.toMatchObject({
      message: `cannot write ${path}: ${reason}`,
      hint: 'Choose another name, such as invoices.csv.',
    });
  });

  it.each([
    'out.csv',
    'C:\\books\\out.csv',
    'D:out.csv',
    '\\\\server\\share\\ñ & 2.xlsx',
    '..\\null.csv',
    'contacts',
  ])('can hold is not: %s', async (path) => {
    expect(await findTarget(path, 'win32')).toMatchObject({ kind: 'file' });
  });
});

describe('-o on Windows', () => {
  it('refuses a folder by its last character', async () => {
    await expect(findTarget('C:\\books\\', 'win32')).rejects.toThrow(
      'cannot write C:\\books\\: it is a folder',
    );
  });

  it('refuses such a folder before it is made, wherever in the path it is', async () => {
    const folder = temporaryFolder();
    for (const name of [
      'con',
      'books/aux.d/x',
      'books\\nul',
      'november.',
      'x/a:b',
      'C:\\books\\prn',
      'x /y',
    ]) {
      await expect(makeFolder(name, 'win32')).rejects.toMatchObject({
        message: expect.stringMatching(/^cannot write [^]*: (?:Windows takes|a file name of Windows)/),
        hint: 'Choose another name, such as invoices.',
      });
    }
    await makeFolder(join(folder, '..', basename(folder), 'books', './contacts'), 'win32');
    expect(readdirSync(join(folder, 'books'))).toEqual(['contacts']);
  });

  it('still knows standard output by each of its names', async () => {
    for (const name of [undefined, '-', '/dev/stdout', '/dev/fd/1'])
      expect(await findTarget(name, 'win32')).toEqual({ kind: 'stdout' });
  });

  it('takes the format from what follows the last dot of the name, not of a folder', () => {
    expect(formatOfEnding('C:\\books.csv\\november')).toBeUndefined();
    expect(formatOfEnding('C:\\books\\november.XLSX')).toBe('xlsx');
  });
});

it('leaves these names to systems that can hold them', async () => {
  const folder = temporaryFolder();
  expect(await findTarget(join(folder, 'aux:1.'), 'linux')).toMatchObject({ kind: 'file', name: 'aux:1.' });
});
