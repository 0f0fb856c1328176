import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../output/xlsx/read-workbook.ts';
import { runAgainst } from '../support/run-against.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FORMULAS = ['=1+1', '＝1+1', '＠SUM(A1)', '＋1', '－1', '@x'];
const WORDS = ['ïsland', '¼ kg', 'ñandú', '-12.50', 'a=b'];

const issued = [...FORMULAS, ...WORDS].map((text, id) => JSON.stringify({ id, text }));

/** What reads source files sees another text than what the bundle holds, where its bytes are read wrongly. */
describe('the program as it ships', () => {
  it('makes formulas inert with --excel, whatever their letters are, and leaves words alone', async () => {
    const args = ['issued', '--format', 'csv', '--excel', '--no-header', '--columns', 'text'];
    const { code, stdout } = await runAgainst({ records: { issued }, args });
    expect(code).toBe(0);
    const lines = stdout.toString('utf8').split('\r\n');
    const bare = lines.map((line) => line.replace(/^\ufeff/, '').replace(/^"(.*)"$/, '$1'));
    expect(bare).toEqual([...FORMULAS.map((text) => `'${text}`), ...WORDS, '']);
  });

  it('writes the same words into a workbook, as text', async () => {
    const file = join(temporaryFolder(), 'out.xlsx');
    const { code } = await runAgainst({
      records: { issued },
      args: ['issued', '-o', file, '--columns', 'text'],
    });
    expect(code).toBe(0);
    expect(JSON.stringify(readWorkbook(readFileSync(file)))).toContain('＝1+1');
  });

  it.each(['jsonl', 'json'])('hands over every letter as it was sent: %s', async (format) => {
    const { code, stdout } = await runAgainst({ records: { issued }, args: ['issued', '--format', format] });
    expect(code).toBe(0);
    for (const text of ['＝1+1', 'ïsland', '¼ kg', 'ñandú']) expect(stdout.toString('utf8')).toContain(text);
  });
});
