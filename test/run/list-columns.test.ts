import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runScripted } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const page = '{"total":2,"page":1,"pageSize":1000,"pageResults":[{"a":1},{"a":2,"b":{"c":3}}],"errors":[]}';
const argv = ['funds', '--list-columns'];

describe('--list-columns', () => {
  it('prints the names of the columns, one a line', async () => {
    expect(await runScripted(argv, [page])).toMatchObject({ code: 0, stdout: 'a\nb.c\n', stderr: '' });
  });

  it('writes them to the file that -o names', async () => {
    const file = join(temporaryFolder(), 'columns.txt');
    expect(await runScripted([...argv, '-o', file], [page])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe('a\nb.c\n');
  });

  it.each([
    [['--sum', 'a'], 'records\na\na.missing\n'],
    [['--group-by', 'b.c'], 'b.c\nrecords\n'],
    [['--where', 'a=1'], 'a\n'],
    [['--sort', '-a'], 'a\nb.c\n'],
  ])('are those of what %j makes of the records', async (flags, columns) => {
    expect(await runScripted([...argv, ...flags], [page])).toMatchObject({ code: 0, stdout: columns });
  });

  it('leaves no file where it fails', async () => {
    const folder = temporaryFolder();
    const { code } = await runScripted([...argv, '-o', join(folder, 'c')], [[403, '{"Message":"no"}']]);
    expect(code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});
