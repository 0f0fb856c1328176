import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJsonObject } from '../../../src/json/json-object.ts';
import { readParquet } from '../../output/parquet/read-parquet.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runScripted, runStub, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

const RECORDS = [
  '{"id":"a1","number":1520,"totalAmount":1190.10,"date":"2026-10-15","customer":{"name":"Ñu\\u00f1ez, \\"Hijos\\""},"payments":[{"amount":1E2}]}',
  '{"id":"b2","number":9007199254740993,"totalAmount":5,"date":"2026-11-01","customer":{"name":null}}',
];
const PAGE = pageOf(RECORDS);
const COLUMNS = 'Folio=number,Cliente=customer.name,"Total, bruto"=totalAmount,Pagos=payments,date';

const ask = (...argv: string[]): Promise<ScriptedExit> => runScripted(['issued', ...argv], [PAGE]);
const refused = (columns: string): Promise<ScriptedExit> => runScripted(['issued', '--columns', columns], []);

describe('headings of --columns', () => {
  const objects = [
    '{"Folio":1520,"Cliente":"Ñu\\u00f1ez, \\"Hijos\\"","Total, bruto":1190.10,"Pagos":[{"amount":1E2}],"date":"2026-10-15"}',
    '{"Folio":9007199254740993,"Cliente":null,"Total, bruto":5,"Pagos":null,"date":"2026-11-01"}',
  ];
  it.each([
    [
      'csv',
      'Folio,Cliente,"Total, bruto",Pagos,date\n' +
        '1520,"Ñuñez, ""Hijos""",1190.10,"[{""amount"":1E2}]",2026-10-15\n9007199254740993,,5,,2026-11-01\n',
    ],
    ['jsonl', `${objects.join('\n')}\n`],
    ['json', `[\n${objects.join(',\n')}\n]\n`],
    [
      'table',
      '           Folio  Cliente         Total, bruto  Pagos             date\n' +
        '────────────────  ──────────────  ────────────  ────────────────  ──────────\n' +
        '            1520  Ñuñez, "Hijos"       1190.10  [{"amount":1E2}]  2026-10-15\n' +
        '9007199254740993                             5                    2026-11-01\n',
    ],
  ])('are written in %s, each value as it was sent', async (format, text) => {
    await expectAnswer(ask('--columns', COLUMNS, '--format', format), text);
  });

  it('are written for a spreadsheet, and no heading is run as a formula', async () => {
    const { stdout } = await ask('--excel', '--columns', '"=1+1"=number,"@Total"=totalAmount');
    expect(stdout).toBe("\uFEFF'=1+1,'@Total\r\n1520,1190.10\r\n9007199254740993,5\r\n");
  });

  it('keep in a workbook and in Parquet what their columns are', async () => {
    const folder = temporaryFolder();
    const columns = 'Folio=number,Código=id,Fecha=date,Suma=totalAmount';
    const rowsOf = async (chosen: string): Promise<string[][]> => {
      expect((await ask('--columns', chosen, '-o', join(folder, 'a.xlsx'))).code).toBe(0);
      const [sheet] = readWorkbook(readFileSync(join(folder, 'a.xlsx')));
      return sheet!.rows.map((row) => [...row.values()].map(({ type, value }) => `${type}:${value}`));
    };
    const [names, ...rows] = await rowsOf(columns);
    expect(names!.map((name) => name.split(':')[1])).toEqual(['Folio', 'Código', 'Fecha', 'Suma']);
    expect(rows).toEqual((await rowsOf('number,id,date,totalAmount')).slice(1));
    const file = join(folder, 'a.parquet');
    expect((await ask('--columns', columns, '-o', file)).code).toBe(0);
    expect((await readParquet(file)).columns.join(' ')).toBe(
      'Folio,VARCHAR Código,VARCHAR Fecha,TIMESTAMP Suma,DECIMAL(38,9)',
    );
  });

  it('go with names that columns are known by, with all others, and with the same column twice', async () => {
    const line = ['--format', 'jsonl', '--columns'];
    expect((await ask(...line, 'Fecha=date,N=number,number,Bruto=total')).stdout.split('\n')[0]).toBe(
      '{"Fecha":"2026-10-15","N":1520,"number":1520,"Bruto":1190.10}',
    );
    expect((await ask(...line, 'Folio=number,*,-payments,-customer')).stdout.split('\n')[1]).toBe(
      '{"Folio":9007199254740993,"id":"b2","totalAmount":5,"date":"2026-11-01"}',
    );
    expect((await ask(...line, 'Cliente=customer,"N. 1"=number')).stdout.split('\n')[1]).toBe(
      '{"Cliente":null,"N. 1":9007199254740993}',
    );
  });

  it('are not known to questions, which go by the names of the columns', async () => {
    const line = ['--columns', 'Folio=number', '--where', 'totalAmount>1', '--sort', '-number'];
    await expectAnswer(ask(...line), 'Folio\n9007199254740993\n1520\n');
    for (const question of ['--sort Folio', '--where Folio=1520']) {
      await expectRefused(
        ask('--columns', 'Folio=number', ...question.split(' ')),
        ': Folio is the heading of number\n  Write number.',
      );
    }
  });

  it('name the columns of totals and of changes', async () => {
    const totals =
      '--field currency==CLP --sum total --group-by date:month --columns Mes=date:month,Suma=total'.split(
        ' ',
      );
    await expectAnswer(ask(...totals), 'Mes,Suma\n2026-10,1190.10\n2026-11,5.00\n');
    const earlier = fileOf(`${RECORDS[0]!.replace('1190.10', '7')}\n`, 'earlier.jsonl');
    const columns = 'Qué=_change,Campo=field,Antes=old,Folio=number';
    const changes = ['--changes-since', earlier, '--columns', columns];
    await expectAnswer(
      ask(...changes),
      'Qué,Campo,Antes,Folio\nchanged,totalAmount,7,1520\nadded,,,9007199254740993\n',
    );
    await expectRefused(
      ask('--field', 'currency==CLP', '--sum', 'total', '--columns', 'Suma=totl'),
      '--columns: the result has no column totl\n  Did you mean total?',
    );
  });

  it('are those of the setting, unless the flag names columns', async () => {
    const config = async () =>
      memoryStore({ settings: { 'columns.issued': 'Folio=number,Suma=totalAmount' } });
    const stored = await runScripted(['issued'], [PAGE], { config });
    expect(stored.stdout).toBe('Folio,Suma\n1520,1190.10\n9007199254740993,5\n');
    const given = await runScripted(['issued', '--columns', 'id'], [PAGE], { config });
    expect(given.stdout).toBe('id\na1\nb2\n');
    const withColumns = (columns: string, ...argv: string[]) =>
      runScripted(['issued', ...argv], [PAGE], {
        config: async () => memoryStore({ settings: { 'columns.issued': columns } }),
      });
    expect((await withColumns('id,nope')).stderr).toContain('columns.issued: no record has a value in nope');
    await expectRefused(withColumns('numbr'), 'columns.issued: no record has a column numbr');
    const rows = 'columns.issued has no column of payments: the rows of a record are alike';
    expect((await withColumns('id', '--expand', 'payments')).stderr).toContain(rows);
    const wrong = async () => memoryStore({ settings: { 'columns.issued': 'Folio=number,Folio=id' } });
    expect((await runScripted(['issued'], [], { config: wrong })).stderr).toContain(
      'each name and heading once, "Folio" comes twice',
    );
  });

  it('are written for several organizations, in one file and in files of their own', async () => {
    const issued = (number: number): { records: { issued: string[] } } => ({
      records: { issued: [`{"id":"x","number":${number}}`] },
    });
    const organizations = { north: issued(1), south: issued(2) };
    const folder = temporaryFolder();
    const run = (flags: string) =>
      runOrganizations(`issued --all-profiles --columns ${flags}`, { organizations, folder });
    const one = await run('Folio=number');
    expect(one.stdout).toBe('_profile,Folio\nnorth,1\nsouth,2\n');
    const named = await run('Empresa=_profile,Folio=number');
    expect(named.stdout).toBe('Empresa,Folio\nnorth,1\nsouth,2\n');
    expect((await run('Folio=number --output-dir FOLDER --receipt beside')).code).toBe(0);
    expect(readFileSync(join(folder, 'south.issued.csv'), 'utf8')).toBe('Folio\n2\n');
    for (const name of ['north', 'south']) {
      const receipt = parseJsonObject(readFileSync(join(folder, `${name}.issued.csv.receipt.json`), 'utf8'));
      expect(receipt).toMatchObject({ profile: name, headings: [{ heading: 'Folio', column: 'number' }] });
    }
  });

  it.each(['jsonl', 'json'])('are mapped back by the receipt, for --from, in %s', async (format) => {
    const file = join(temporaryFolder(), `issued.${format}`);
    const written = ['issued', '--columns', COLUMNS, '-o', file];
    expect((await runScripted([...written, '--receipt', `${file}.receipt.json`], [PAGE])).code).toBe(0);
    const from = (line: string) => runScripted(['issued', '--from', file, ...line.split(' ')], []);
    await expectAnswer(
      from('--where customer.name~hijos --columns number,total'),
      'number,total\n1520,1190.10\n',
    );
    const sum = await from('--field currency==CLP --sum total --columns total');
    expect(sum.stdout).toBe('total\n1195.10\n');
    await expectRefused(
      from('--where Folio>0 --count'),
      '--where: Folio is the heading of number\n  Write number.',
    );
    // Without its receipt it has the columns that it names.
    writeFileSync(`${file}.receipt.json`, '{}');
    const bare = await from('--where Cliente~hijos --columns Folio');
    expect(bare.stdout).toBe('Folio\n1520\n');
  });

  it.each(['Id=id', 'id,number', '*,-number', 'Id=id,*'])(
    'are not compared with, since the records of such an export lack columns or have other names: %s',
    async (columns) => {
      const file = join(temporaryFolder(), 'issued.jsonl');
      await ask('--columns', columns, '-o', file, '--receipt', `${file}.receipt.json`);
      await expectRefused(
        runStub(['issued', '--changes-since', file], { issued: PAGE }),
        `cannot compare with ${file}: it was written with --columns ${columns}, and`,
      );
    },
  );

  it.each([
    ['Folio=number,Folio=id', 'each name and heading once, "Folio" comes twice'],
    ['number,number=id', 'each name and heading once, "number" comes twice'],
    ['Folio=', 'expected names with commas between them, such as number,customer.name or Folio=number'],
    ['=number', 'expected names with commas between them, such as number,customer.name or Folio=number'],
    ['_profile=number', "another heading than _profile, which is folio's own"],
    ['a=customer,a.name=number', 'headings of which none is within another, as "a" and "a.name" are'],
    ['"Folio=number', 'a quote at character 1 does not fit'],
  ])('are refused: %s', async (columns, message) => {
    await expectRefused(refused(columns), message);
  });

  it.each([
    ['--format', 'jsonl'],
    ['--format', 'csv', '--excel'],
    ['--format', 'csv', '--no-header'],
    ['--format', 'table'],
  ])('are refused where one turns out to be the name of another column: %s %s %s', async (...format) => {
    await expectRefused(
      ask('--columns', 'id=number,*,-id.x', ...format),
      '--columns: the heading id is also the name of another column',
    );
  });

  it('warn of a column that no record has, by its own name', async () => {
    const { code, stderr } = await ask('--columns', 'Folio=numbre');
    expect(code).toBe(2);
    expect(stderr).toContain('no record has a column numbre\n  Did you mean');
  });
});
