import { createHash } from 'node:crypto';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExportFile } from '../../../src/query/exports/export-file.ts';
import { UsageError } from '../../../src/errors.ts';
import { recordBytes } from '../../../src/json/records.ts';
import { runProgram } from '../../support/programs.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** The records of a file of this text, each read twice: as it came, and by its place in the file. */
async function read(text: string | Buffer, path = join(folder, 'export')): Promise<string[]> {
  writeFileSync(path, text);
  const file = await ExportFile.open(path);
  try {
    const records: string[] = [];
    for await (const { batch, offset } of file.parts()) {
      for (let index = 0; index < batch.count; index++) {
        const record = recordBytes(batch, index).toString('utf8');
        const [start, end] = [batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!];
        expect(file.read(offset + start, offset + end).toString('utf8')).toBe(record);
        records.push(record);
      }
    }
    return records;
  } finally {
    await file.close();
  }
}

/** Nearly 1 MB: several pieces. */
const many = Array.from({ length: 1000 }, (_, id) =>
  JSON.stringify({ id, text: `{"}${'},{"[]\\'.repeat(100)}{`, end: 'x}', n: 1, list: [[], {}, 'a,'] }),
);

/** How many there are, and what: a difference in megabytes is not to be printed. */
function digest(records: readonly string[]): string {
  return `${records.length} ${createHash('sha256').update(records.join('\n')).digest('hex')}`;
}

describe('ExportFile', () => {
  it.each([
    ['jsonl', '{"id":1}\n{"id":2}\n', ['{"id":1}', '{"id":2}']],
    ['jsonl without the last newline', '{"id":1}\n{"id":2}', ['{"id":1}', '{"id":2}']],
    ['one json array', '[{"id":1},{"id":2}]', ['{"id":1}', '{"id":2}']],
    ['json with white space', ' [\n {"id":1} ,\n {"id":2}\n]\n', ['{"id":1}', '{"id":2}']],
    ['json with a byte order mark', '\uFEFF [{"id":1.0}]', ['{"id":1.0}']],
    ['an empty array', '[]', []],
    ['an empty file', '', []],
    ['a single record', '{"id":1}', ['{"id":1}']],
    ['a record with a list of data', '{"id":1,"data":[]}', ['{"id":1,"data":[]}']],
  ])('reads %s', async (_, text, records) => {
    expect(await read(text)).toEqual(records);
  });

  it('reads more than fits in one piece', async () => {
    expect(digest(await read(`${many.join('\n')}\n`))).toBe(digest(many));
    expect(digest(await read(`[${many.join(',')}]`))).toBe(digest(many));
    expect(digest(await read(`[\n  ${many.join(' ,\n  ')}\n]\n`))).toBe(digest(many));
    const long = JSON.stringify({ id: 1, text: 'á"'.repeat(150_000) });
    expect(digest(await read(`[${long},${long}]`))).toBe(digest([long, long]));
    expect(digest(await read(`${long}\n${long}\n`))).toBe(digest([long, long]));
  });

  it.each([
    ['a json array cut short', `[${many.join(',')}`],
    ['a json array cut behind a comma', `[${many.join(',')},`],
    ['a comma before the end', `[${many.join(',')},]`],
    ['two commas', `[${many.join(',')},,${many.join(',')}]`],
    ['two arrays', `[${many.join(',')}][${many.join(',')}]`],
    ['a line cut short', `${many.join('\n')}\n{"id":`],
    ['a number for a record', '[1,2]'],
  ])('refuses %s', async (_, text) => {
    await expect(read(text)).rejects.toThrow(UsageError);
    await expect(read(text)).rejects.toThrow(/is not a whole export: .*\(byte \d+\)$/);
    const byte = many.join(' ').length + ' {"id":'.length;
    await expect(read(`${many.join('\n')}\n{"id":}\n`)).rejects.toThrow(`(byte ${byte})`);
  });

  it.each([
    ['issued.csv', 'id,b\n1,2\n', 'csv, which does not say which cells are numbers'],
    ['issued.CSV', '', 'csv, which does not say which cells are numbers'],
    ['issued.xlsx', '', 'a workbook'],
    ['issued.parquet', '', 'a Parquet file'],
    ['page.json', '{"total":2,"page":0,"pageResults":[{"id":1}]}', 'a page as the service sends it'],
    ['pages.jsonl', '{"data":[{"id":1}],"nextToken":null}\n'.repeat(2), 'a page as the service sends it'],
  ])('refuses %s with %j as %s', async (name, content, what) => {
    const path = join(folder, name);
    await expect(read(content, path)).rejects.toThrow(
      expect.objectContaining({
        message: `${path} is ${what}, and records are read from jsonl and json`,
        hint: 'Export them with --format jsonl, or keep them in a database with `folio sync`.',
      }),
    );
  });

  it('counts a receipt of the bytes that it reads, whatever takes their place in the folder', async () => {
    const path = join(folder, 'replaced.jsonl');
    const put = (text: string): string => {
      rmSync(path, { force: true });
      writeFileSync(path, text);
      return createHash('sha256').update(text).digest('hex');
    };
    const rest = '"records":1,"bytes":9,"finishedAt":"","complete":true,"errors":[]';
    writeFileSync(`${path}.receipt.json`, `{"sha256":"${put('{"id":1}\n')}",${rest}}`);
    const [before, after] = [await ExportFile.open(path), await ExportFile.open(path)];
    await before.parts().next();
    put('{"id":2}\n');
    expect(await before.check()).toEqual({ delivered: expect.objectContaining({ records: 1 }) });
    expect((await after.check()).finding?.text).toContain('is not what its receipt');
    expect(await after.delivered()).toBeUndefined();
  });

  it('refuses a file that is written to while it is read', async () => {
    const path = join(folder, 'rewritten.jsonl');
    writeFileSync(path, '{"id":1}\n');
    utimesSync(path, 1, 1);
    const file = await ExportFile.open(path);
    await file.profiles();
    writeFileSync(path, '{"id":2}\n');
    const records = file.records();
    await records.next();
    await expect(records.next()).rejects.toThrow('it was written to while it was read');
    await file.close();
  });

  it('refuses a folder', async () => {
    const file = await ExportFile.open(folder);
    await expect(file.parts().next()).rejects.toThrow(/^cannot read .*: it is a folder$/);
    await file.close();
  });

  it('refuses a named pipe, and waits for nobody who would write to it', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    runProgram('mkfifo', [pipe]);
    const { code, stderr } = await runHere(['issued', '--from', pipe]);
    expect([code, stderr]).toEqual([
      2,
      `folio: cannot read ${pipe}: it is a pipe, and has to be read more than once\n` +
        '  Pipe it into --from -, or write it to a file first, and name that.\n',
    ]);
  });

  it('reads any array as its elements', async () => {
    const space = fc.constantFrom('', ' ', '\n\t');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), space, async (values, space) => {
        const texts = values.map((value) => JSON.stringify(value));
        expect(await read(`${space}[${texts.map((text) => space + text + space).join(',')}]`)).toEqual(texts);
      }),
      { numRuns: 50 },
    );
  });
});
