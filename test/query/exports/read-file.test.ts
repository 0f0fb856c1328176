import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readExport } from '../../../src/query/exports/read-export.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { textsOf } from '../../support/records.ts';

const folder = temporaryFolder();
/** What is read of a file at a time. */
const CHUNK_BYTES = 1 << 18;

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string, options: Parameters<typeof readExport>[1] = {}): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of readExport(path, options)) texts.push(...textsOf(batch));
  return texts;
}

describe('readExport', () => {
  it.each([
    ['a.jsonl', '{"id":1.0}\n{"id":2}\n', ['{"id":1.0}', '{"id":2}']],
    ['a.json', '[{"id":1.0},{"id":2}]', ['{"id":1.0}', '{"id":2}']],
    ['a.csv', 'id,b\n1.0,x\n2,\n', ['{"id":1.0,"b":"x"}', '{"id":2,"b":null}']],
    ['a.tsv', 'id\tb\n1.0\t"x\n', ['{"id":1.0,"b":"\\"x"}']],
    ['excel.csv', "\uFEFFid;b\r\n1;'=1+1\r\n", ['{"id":1,"b":"=1+1"}']],
    ['guarded.csv', "id,b\n1,'=1+1\n", ['{"id":1,"b":"\'=1+1"}']],
    ['empty', '', []],
  ])('reads %s', async (name, text, records) => {
    expect(await read(fileOf(name, text))).toEqual(records);
  });

  it('reads more rows than fit in one piece', async () => {
    const rows = Array.from({ length: 40_000 }, (_, id) => `${id},${'x'.repeat(id % 20)}`);
    const texts = await read(fileOf('large.csv', `id,b\n${rows.join('\n')}\n`));
    expect([texts.length, texts.at(-1)]).toEqual([40_000, `{"id":39999,"b":"${'x'.repeat(19)}"}`]);
  });

  it('reads letters of every length where a piece ends within them', async () => {
    for (const letter of ['ñ', '€', '𝄞']) {
      const size = Buffer.byteLength(letter);
      for (let before = 1; before < size; before++) {
        const text = `${'x'.repeat(CHUNK_BYTES - 'b\n'.length - before)}${letter}`;
        const [record] = await read(fileOf('border.csv', `b\n${text}\n`), { fromDelimiter: ',' });
        expect(record?.endsWith(`x${letter}"}`), `${letter}, ${before} of it before`).toBe(true);
      }
    }
  });

  it.each([
    ['PK\u0003\u0004 rest', 'a workbook or another zip archive'],
    ['PAR1 rest', 'a parquet file'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'compressed with gzip'],
    ['%PDF-1.7', 'a PDF'],
    ['SQLite format 3\0 rest', 'a SQLite database'],
  ])('refuses %j as %s', async (content, what) => {
    const path = fileOf('other', content);
    await expect(read(path)).rejects.toThrow(
      expect.objectContaining({
        message: `${path} is ${what}, and records are read from jsonl, json and csv`,
        hint: 'Export with -o <file>.jsonl, which keeps every record as it was sent.',
      }),
    );
  });

  it.each([
    ['id,b\n1,2\n3\n', /row 3 has 1 cells, its header 2|its rows have 1 cells, and 2 columns are named/],
    ['id,b\n1,"2\n', /it ends within a row/],
    ['id,b\n1,"2"3\n', /row 2 has a quote within a cell/],
    ['id,b\n1,2"3\n', /row 2 has a quote within a cell/],
  ])('refuses %j, which is not whole', async (text, what) => {
    const path = fileOf('cut.csv', text);
    const refused = read(path, { fromFormat: 'csv' });
    await expect(refused).rejects.toThrow(what);
    await expect(read(path, { fromFormat: 'csv' })).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`${path} is not a whole export: `),
        hint: expect.stringContaining('It may have been cut short or edited'),
      }),
    );
  });

  it('refuses csv where text must be told from numbers', async () => {
    const path = fileOf('inexact.csv', 'id,b\n1,2\n');
    await expect(read(path, { exact: true })).rejects.toThrow(
      expect.objectContaining({
        message: `${path} is neither jsonl nor json: in csv, text and numbers look the same`,
        hint: 'Export with --format jsonl to have a file to compare with.',
      }),
    );
    expect(await read(fileOf('exact.jsonl', '{"id":1}\n'), { exact: true })).toEqual(['{"id":1}']);
  });

  it('says why a file cannot be read', async () => {
    const none = join(folder, 'none.csv');
    await expect(read(none)).rejects.toThrow(none);
    await expect(read(folder)).rejects.toThrow(folder);
  });

  it('takes columns and delimiter from flags', async () => {
    const path = fileOf('plain.txt', '1;x\n2;y\n');
    expect(await read(path, { fromColumns: ['id', 'b'], fromDelimiter: ';' })).toEqual([
      '{"id":1,"b":"x"}',
      '{"id":2,"b":"y"}',
    ]);
  });
});
