import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { needing, startProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { workbookOf } from './write-workbook.ts';

/** What LibreOffice, with a profile of its own, makes of a workbook. */
async function convert(workbook: Buffer, to: string, result: string): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder, 'book.xlsx');
  writeFileSync(file, workbook);
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  const args = [profile, '--headless', '--convert-to', to, '--outdir', folder, file];
  await once(startProgram('soffice', args), 'exit');
  return readFileSync(join(folder, result), 'utf8');
}

const RECORDS = [
  '{"id":12,"number":"00123","amount":1190.10,"currency":"CLP","date":"2024-10-15","at":"2024-10-15T13:00:07.939Z","note":"=1+1","paid":true}',
  '{"id":3,"amount":12345678901234567890,"rate":1234567.5,"at":"2024-10-15T12:59:59Z","date":"2024-02-30","note":"\\"ñ\\", <&>\\r\\n_x0041_","late":{"field":[1]}}',
];

/** In LibreOffice's flat XML: what kind of cell it is, and the paragraphs that are shown. */
const CELL = /<table:table-cell [^>]*office:value-type="(\w+)"[^>]*>\s*<text:p>([^]*?)<\/table:table-cell>/g;
const PARAGRAPH_END = /<\/text:p>\s*(?:<text:p>)?/g;

describe.concurrent('LibreOffice', needing('soffice'), () => {
  it('reads every cell as it was sent, and calculates nothing', async () => {
    const book = await workbookOf(RECORDS, { sheet: "O'Higgins & Cía" });
    const text = await convert(book, 'fods', 'book.fods');
    const cells = [...text.matchAll(CELL)].map(
      ([, type, content]) => `${type} ${content!.replace(PARAGRAPH_END, '|').trim()}`,
    );
    // That is how LibreOffice holds a truth value.
    expect(text.match(/table:formula="[^"]*"/g)).toEqual(['table:formula="of:=TRUE()"']);
    expect(text).toContain('table:name="O&apos;Higgins &amp; Cía"');
    expect(text).toMatch(/<table:database-range [^>]*table:display-filter-buttons="true"/);
    expect(cells).toEqual([
      ...['id', 'number', 'amount', 'currency', 'date', 'at', 'note', 'paid', 'rate', 'late.field'].map(
        (name) => `string ${name}|`,
      ),
      'string 12|',
      'string 00123|',
      'currency CLP 1,190.10|',
      'string CLP|',
      'date 2024-10-15|',
      'date 2024-10-15 13:00:07.939Z|',
      'string =1+1|',
      'boolean TRUE|',
      'string 3|',
      'string 12345678901234567890|',
      'string 2024-02-30|',
      'date 2024-10-15 12:59:59Z|',
      'string &quot;ñ&quot;, &lt;&amp;&gt;|_x0041_|',
      'float 1,234,567.5|',
      'string [1]|',
    ]);
  });
});
