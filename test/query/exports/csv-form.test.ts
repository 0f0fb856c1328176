import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formOf, type FormFlags } from '../../../src/query/exports/csv-form.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const form = (text: string, flags: FormFlags = {}, path = 'old.csv') =>
  formOf(path, Buffer.from(text), flags);

describe('the form of an export', () => {
  it.each([
    ['a,b\n1,2\n', ','],
    ['a;b\n1,5;2\n3,5;4\n', ';'],
    ['a|b\n1|2\n', '|'],
    ['a,b\n"1;5",2\n"3;",4\n', ','],
    ['a;b\n"x ""y"" , z";2\nq,r,s;4\n', ';'],
    ['a,b\nx"y,2\n', ','],
    ['a\n1\n', undefined],
    ['a,b;c\n', ','],
    ['a;b;c,d\n', ';'],
    ['issued at,client\n2026-01-02 10:00,Ana\n', ','],
    ['"a;b",c\n1;2,3\n', ','],
    ['"a;b"\n1;2\n', undefined],
    ['a,b\n1,2;3', ','],
  ])('has for %j the delimiter %j', async (text, delimiter) => {
    expect((await form(text))!.delimiter).toBe(delimiter);
  });

  it.each(['a\tb,c\n1\t2,3\n', 'a#b\n1#2\n', 'a,b;c\n1,2;3\n', 'a;b|c\n1;2|3\n4;5|6\n'])(
    'asks of %j what stands between cells',
    async (text) => {
      await expect(form(text)).rejects.toThrow(
        expect.objectContaining({
          message: expect.stringContaining('old.csv does not say what stands between its cells: it may be "'),
          hint: expect.stringContaining('Say it with --from-delimiter'),
        }),
      );
      expect((await form(text, { fromDelimiter: ';' }))!.delimiter).toBe(';');
    },
  );

  it('asks of a file that is named tsv and reads as csv', async () => {
    await expect(form(':b,;\n,\n', {}, 'old.tsv')).rejects.toThrow(
      expect.objectContaining({
        message: 'old.tsv does not say what stands between its cells: it may be "," or "\\t"',
        hint: expect.stringContaining("as in --from-delimiter ','"),
      }),
    );
    expect(await form('issued at\n10:00\n', {}, 'old.tsv')).toMatchObject({ quoting: 'tsv' });
    await expect(form('"a\tb"~c\n1\t2~3\n', {}, 'old.tsv')).rejects.toThrow('it may be "\\t" or "~"');
  });

  it.each(['{"a":1}\n', '[{"a":1}]', '  \n[', '', ' '])('is that of json for %j', async (text) => {
    expect(await form(text)).toBeUndefined();
  });

  it.each([
    ['a\tb\n1\t2\n', {}, 'old.tsv', { delimiter: '\t', quoting: 'tsv' }],
    ['a\tb\n1\t2\n', {}, 'old.csv', { delimiter: '\t', quoting: 'either' }],
    ['a\tb\n1\t2\n', { fromFormat: 'csv' as const }, 'old.tsv', { delimiter: '\t', quoting: 'csv' }],
    ['a"\tb\n1\t2\n', {}, 'old.txt', { delimiter: '\t', quoting: 'either' }],
    ['a\tb\n1\t2\n', { fromFormat: 'tsv' as const }, 'old.txt', { delimiter: '\t', quoting: 'tsv' }],
    ['\uFEFFa\tb\n1\t2\n', {}, 'old.csv', { delimiter: '\t', quoting: 'csv', isGuarded: true }],
    ['a,b\n1,2\n', {}, 'old.csv', { delimiter: ',', quoting: 'csv', isGuarded: false, columns: undefined }],
    ['1,2\n', { fromColumns: ['a', 'b'] }, 'old.csv', { columns: ['a', 'b'] }],
  ])('of %j with %j in %s is %j', async (text, flags, path, expected) => {
    expect(await form(text, flags, path)).toMatchObject(expected);
  });

  it.each(['1,2\n3,4\n', 'a,a\n1,2\n', '2026-01-02,x\n', 'a,-1.5\n'])(
    'is refused for %j, which begins with a record',
    async (text) => {
      await expect(form(text)).rejects.toThrow(
        expect.objectContaining({
          message: 'old.csv begins with a record, and does not name its columns',
          hint: expect.stringContaining('Name them, in their order, with --from-columns'),
        }),
      );
    },
  );

  it('is what the receipt says, unless a flag does', async () => {
    const path = join(temporaryFolder(), 'old.csv');
    const text = 'Folio;x\n1;2\n';
    writeFileSync(path, text);
    const receipt = {
      ...{
        records: 1,
        bytes: text.length,
        sha256: '0'.repeat(64),
        finishedAt: '',
        complete: true,
        errors: [],
      },
      ...{ output: 'old.csv', format: 'csv', delimiter: ';', columns: [{ name: 'number', kind: 'text' }] },
      headings: [{ heading: 'Folio', column: 'number' }],
    };
    writeFileSync(`${path}.receipt.json`, JSON.stringify(receipt));
    expect(await form(text, {}, path)).toEqual({
      ...{ delimiter: ';', quoting: 'csv', isGuarded: false, columns: undefined },
      headings: new Map([['Folio', 'number']]),
      kinds: new Map([['number', 'text']]),
    });
    const flags = { fromColumns: ['a', 'b'], fromKind: [['a', 'number'] as const] };
    expect(await form(text, flags, path)).toMatchObject({ columns: ['a', 'b'], headings: undefined });
    expect((await form(text, { fromDelimiter: ',' }, path))!.delimiter).toBe(',');
  });
});
