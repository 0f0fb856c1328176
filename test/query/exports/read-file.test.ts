import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readExport } from '../../../src/query/exports/read-export.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { textsOf } from '../../support/records.ts';

const folder = temporaryFolder();

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of readExport(path)) texts.push(...textsOf(batch));
  return texts;
}

describe('readExport', () => {
  it.each([
    ['a.jsonl', '{"id":1.0}\n{"id":2}\n', ['{"id":1.0}', '{"id":2}']],
    ['a.json', '[{"id":1.0},{"id":2}]', ['{"id":1.0}', '{"id":2}']],
    ['a.txt', '\uFEFF [{"id":1.0}]', ['{"id":1.0}']],
    ['empty', '', []],
  ])('reads %s', async (name, text, records) => {
    expect(await read(fileOf(name, text))).toEqual(records);
  });

  const CSV = 'which does not say which cells are numbers';

  it.each([
    ['other', 'PK\u0003\u0004 rest', 'a workbook or another zip archive'],
    ['other', 'PAR1 rest', 'a Parquet file'],
    ['other', Buffer.from([0x1f, 0x8b, 8, 0]), 'compressed with gzip'],
    ['other', '%PDF-1.7', 'a PDF'],
    ['other', 'SQLite format 3\0 rest', 'a SQLite database'],
    ['issued.csv', 'id,b\n1,2\n', `csv, ${CSV}`],
    ['issued.CSV', '', `csv, ${CSV}`],
    ['issued.tsv', '', `tsv, ${CSV}`],
    ['issued.xlsx', '', 'a workbook'],
    ['issued.parquet', '', 'a Parquet file'],
  ])('refuses %s with %j as %s', async (name, content, what) => {
    const path = fileOf(name, content);
    await expect(read(path)).rejects.toThrow(
      expect.objectContaining({
        message: `${path} is ${what}, and records are read from jsonl and json`,
        hint: 'Export them with --format jsonl, or keep them in a database with `folio sync`.',
      }),
    );
  });

  it('refuses csv by its content', async () => {
    const path = fileOf('other', 'id,b\n1,2\n');
    await expect(read(path)).rejects.toThrow(
      `${path} is neither jsonl nor json; if it is csv, it does not say which cells are numbers`,
    );
  });

  it('says why a file cannot be read', async () => {
    const none = join(folder, 'none.jsonl');
    await expect(read(none)).rejects.toThrow(none);
    await expect(read(folder)).rejects.toThrow(folder);
  });
});
