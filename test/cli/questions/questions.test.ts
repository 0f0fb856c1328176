import { describe, expect, it } from 'vitest';
import { customersOf, pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { fileOf } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

/** Five invoices in two currencies; one without a due date, one with a number that no double holds. */
const INVOICES = [
  '{"id":"a","number":1,"status":"PAID","dueBy":"2026-10-01","currency":"CLP","totalAmount":1000,"customer":{"name":"Roble"}}',
  '{"id":"b","number":2,"status":"OVERDUE","dueBy":"2026-11-01T00:00:00Z","currency":"CLP","totalAmount":250.50,"customer":{"name":"Ñandú"}}',
  '{"id":"c","number":3,"status":"OVERDUE","dueBy":null,"currency":"USD","totalAmount":0.10,"customer":{"name":"Roble Sur"}}',
  '{"id":"d","number":4,"status":"PAID","dueBy":"2026-12-01","currency":"USD","totalAmount":0.20,"customer":{"name":"Roble"}}',
  '{"id":"e","number":5,"status":"OVERDUE","dueBy":"2026-09-01","currency":"CLP","totalAmount":9007199254740993,"customer":{"name":"Lago"}}',
];

const PAGE = pageOf(INVOICES);

const ask = (...argv: string[]): Promise<ScriptedExit> => runScripted(['issued', ...argv], [PAGE]);

/** The numbers of the invoices that come out. */
async function numbers(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await ask('--columns', 'number', '--no-header', ...argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().replaceAll('\n', ' ');
}

describe('--where', () => {
  it.each([
    [['status=OVERDUE'], '2 3 5'],
    [['totalAmount>=1000'], '1 5'],
    [['totalAmount=9007199254740993'], '5'],
    [['customer.name~roble'], '1 3 4'],
    [['customer.name~roble', 'currency=USD'], '3 4'],
  ])('%j keeps %s', async (conditions, kept) => {
    expect(await numbers(...conditions.flatMap((condition) => ['--where', condition]))).toBe(kept);
  });

  it('is not sent, and --limit counts what is left', async () => {
    const { stdout, asked } = await ask('--where', 'status=OVERDUE', '--limit', '2', '--format', 'jsonl');
    expect(stdout).toBe(`${INVOICES[1]}\n${INVOICES[2]}\n`);
    expect(asked).toEqual(['/invoices/issued?options_page=0&options_pageSize=2000']);
  });

  it('asks for no more than a page ahead once the limit is reached', async () => {
    const pages = Array.from({ length: 3 }, (_, page) =>
      customersOf([`{"id":${2 * page}}`, `{"id":${2 * page + 1}}`], `page ${page}`),
    );
    const argv = ['customers', '--where', 'id>=1', '--limit', '2', '--format', 'jsonl'];
    await expectAnswer(runScripted(argv, pages), '{"id":1}\n{"id":2}\n');
  });

  it('refuses a unit of the calendar behind a date, which is for --group-by', async () => {
    for (const line of [
      'where dueBy:month=2026-10',
      'where due:month=2026-10 --count',
      'columns dueBy:year',
    ]) {
      const { code, stderr } = await ask(...`--${line}`.split(' '));
      expect([code, stderr]).toEqual([2, expect.stringMatching(/no record has a column due(By)?:/)]);
      expect(stderr).toMatch(
        /Only --group-by takes a unit: name due(By)? alone. --where due(By)?=2026-10 keeps a month/,
      );
    }
  });

  it('refuses a comparison with what is not a number, with the form that works', async () => {
    expect(await ask('--where', 'totalAmount>1.000')).toMatchObject({ code: 0, stderr: '' });
    const chilean = { env: { LANG: 'es_CL.UTF-8' } };
    await expectRefused(
      runScripted(['issued', '--where', 'totalAmount>1.000'], [PAGE], chilean),
      'Write 1000: numbers have digits and a decimal point only.',
    );
    await expectRefused(
      ask('--where', 'totalAmount>1.000.000'),
      "totalAmount holds numbers, and '1.000.000' is not one\n  Write 1000000:",
    );
  });
});

describe('--sort', () => {
  it.each([
    ['currency,totalAmount', '2 1 5 3 4'],
    ['dueBy', '5 1 2 4 3'],
    ['currency, -totalAmount', '5 1 2 4 3'],
    ['customer.name', '5 1 4 3 2'],
  ])('%s gives %s', async (keys, order) => {
    expect(await numbers('--sort', keys)).toBe(order);
  });

  it('sorts everything before --limit counts', async () => {
    expect(await numbers('--sort', '-dueBy', '--limit', '2')).toBe('4 2');
  });
});

describe('--columns with * and -name', () => {
  const header = async (...flags: string[]): Promise<string> => {
    const { code, stdout, stderr } = await ask(...flags);
    return [code, stdout.split('\n')[0], stderr].join(' ').trimEnd();
  };

  it('is all others, and all but some', async () => {
    const all = (await header('--columns', '*')).slice(2).split(',');
    expect(await header()).toBe(`0 ${all.join(',')}`);
    const others = all.filter((name) => name !== 'status' && !name.startsWith('customer.'));
    expect(await header('--columns=-status,-customer')).toBe(`0 ${others.join(',')}`);
    expect(await header('--columns=status,*,-customer')).toBe(`0 ${['status', ...others].join(',')}`);
  });

  it('takes in a column that the last record brings, in rows and in records', async () => {
    const records = ['{"id":1,"files":["x"],"customer":null}', '{"id":2,"customer":{"name":"Roble"}}'];
    const told = async (flags: string, ...page: string[]): Promise<string> =>
      (await runScripted(['issued', ...flags.split(' ')], [pageOf(page)])).stdout;
    const last = '{"id":3,"late":1.10,"none":null}';
    expect(await told('--columns=-files', ...records, last)).toBe(
      'id,customer.name,late,none\n1,,,\n2,Roble,,\n3,,1.10,\n',
    );
    expect(await told('--columns=late,*,-files,-none --format jsonl', ...records, last)).toBe(
      '{"late":null,"id":1,"customer.name":null}\n{"late":null,"id":2,"customer.name":"Roble"}\n' +
        '{"late":1.10,"id":3,"customer.name":null}\n',
    );
    expect(await told('--columns=id,*')).toBe('id\n');
  });

  it('is of the columns of totals where totals are asked for', async () => {
    expect(await header('--sum', 'totalAmount', '--columns=-totalAmount.missing')).toBe(
      '0 currency,records,totalAmount,totalAmount.creditNotes,totalAmount.cancelled',
    );
  });

  it('says when there is nothing to leave out', async () => {
    expect((await ask('--columns=-statsu')).stderr).toBe(
      'folio: --columns: no record has a column statsu\n  Did you mean status?\n',
    );
  });
});

describe('--sort of totals and changes', () => {
  it.each([
    [
      ['--count', '--sort', 'number'],
      '--sort and --count do not go together: a count is one number\n  Leave --sort out; with --group-by it is the order of the groups.',
    ],
    [
      ['--sum', 'totalAmount', '--sort', 'number'],
      '--sort: the result has no column number\n  Its columns are currency, records, totalAmount, totalAmount.creditNotes, totalAmount.cancelled, totalAmount.missing.',
    ],
    [
      ['--count', '--group-by', 'status', '--sort', 'record'],
      '--sort: the result has no column record\n  Did you mean records?',
    ],
  ])('%j is refused before anything is asked', async (flags, message) => {
    const refused = { code: 2, stdout: '', stderr: `folio: ${message}\n`, asked: [] };
    expect(await runScripted(['issued', ...flags], [])).toEqual(refused);
  });

  it.each([
    ['records', 'PAID,2 OVERDUE,3'],
    ['-records', 'OVERDUE,3 PAID,2'],
    ['status', 'OVERDUE,3 PAID,2'],
  ])('orders groups by %s', async (keys, rows) => {
    const { stdout, stderr } = await ask('--group-by', 'status', '--no-header', '--sort', keys);
    expect([stdout.trimEnd().replaceAll('\n', ' '), stderr]).toEqual([rows, '']);
  });

  it('is silent about a column that a terminal leaves out', async () => {
    const argv = ['issued', '--sum', 'totalAmount', '--sort', 'totalAmount.missing'];
    const { code, stderr } = await runScripted(argv, [PAGE], { terminal: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('refuses a column that no group has', async () => {
    const argv = ['issued', '--group-by', 'status', '--sort', 'fiscalId'];
    const says = /no row has a column fiscalId\n  There are status, records\.\n/;
    for (const terminal of [false, true]) await expectRefused(runScripted(argv, [PAGE], { terminal }), says);
  });

  it('says of changes that none of their rows has the column', async () => {
    const earlier = fileOf('{"id":"gone"}\n', 'earlier.jsonl');
    await expectRefused(
      ask('--changes-since', earlier, '--sort', 'chnge'),
      /no row of the changes has a column chnge\n  There are _change, id, number, field/,
    );
  });
});

describe('--sum and --group-by', () => {
  it('groups, the largest first, as rows of every format', async () => {
    const { stdout } = await ask('--sum', 'totalAmount', '--group-by', 'status', '--format', 'jsonl');
    expect(stdout.split('\n')[0]).toBe(
      '{"status":"OVERDUE","currency":"CLP","records":2,"totalAmount":9007199254741243.50,"totalAmount.creditNotes":0.00,"totalAmount.cancelled":0.00,"totalAmount.missing":0}',
    );
    const counted = ask('--group-by', 'status', '--format', 'csv');
    await expectAnswer(counted, 'status,records\nOVERDUE,3\nPAID,2\n');
  });

  it('takes several columns, with commas or repeated', async () => {
    const once = await ask('--sum', 'totalAmount,number', '--group-by', 'currency,status');
    const twice = await ask(
      ...'--sum totalAmount --sum number --group-by currency --group-by status'.split(' '),
    );
    expect(once.stdout).toBe(twice.stdout);
    expect(once.stdout).toContain(
      'currency,status,records,totalAmount,totalAmount.creditNotes,totalAmount.cancelled,totalAmount.missing,number,number.missing\n',
    );
  });

  it('shows as many groups as --limit, and the columns asked for, in the order asked for', async () => {
    const flags = '--group-by customer.name --sort -customer.name --columns customer.name,records'.split(' ');
    await expectAnswer(ask(...flags, '--limit', '2'), 'customer.name,records\nÑandú,1\nRoble Sur,1\n');
  });

  it('is nothing, exactly, of nothing', async () => {
    const { stdout } = await ask('--where', 'status=NONE', '--sum', 'totalAmount', '--format', 'jsonl');
    expect(stdout).toBe(
      '{"records":0,"totalAmount":0,"totalAmount.creditNotes":0,"totalAmount.cancelled":0,"totalAmount.missing":0}\n',
    );
  });

  it('refuses text, naming the record’s place in the listing', async () => {
    await expectRefused(
      ask('--sum', 'customer.name', '--where', 'status=OVERDUE'),
      'customer.name cannot be added up: customer.name of record 2 (number 2) is the text "Ñandú"',
    );
  });

  it('says that a sum is not of all, by its exit code', async () => {
    const pages = Array.from({ length: 7 }, () => pageOf(INVOICES, { total: 7 }));
    const { code, stdout, stderr } = await runScripted(['issued', '--sum', 'number'], pages);
    expect(code).toBe(6);
    expect(stdout).toContain('CLP,3,8,0');
    expect(stderr).toContain('but not all: 2 of the 7 records');
  });
});

describe('questions on a terminal', () => {
  it('draws bars beside totals', async () => {
    const argv = ['issued', '--sum', 'number', '--group-by', 'status'];
    const screen = { terminal: true, columns: 80, env: { LANG: 'C.UTF-8', NO_COLOR: '1' } };
    const { stdout } = await runScripted(argv, [PAGE], screen);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'status   currency  records  number  bar',
      '───────  ────────  ───────  ──────  ────────────────────',
      'OVERDUE  CLP             2       7  ████████████████████',
      'PAID     CLP             1       1  ███',
      'PAID     USD             1       4  ████████████████████',
      'OVERDUE  USD             1       3  ███████████████',
      '',
    ]);
  });

  it.each([
    ['C.UTF-8', ['████████████████████', '███████████', '██████████', '█', '', '░░░░░░░░░░']],
    ['C', ['####################', '###########', '##########', '#', '', '----------']],
  ])('draws bars in scale, where the locale is %s', async (LANG, bars) => {
    const records = [100, 50, '54.00', 1, 0, -50].map((n, id) => `{"id":${id},"n":${n}}`);
    const argv = 'issued --sum n --as-sent --group-by id'.split(' ');
    const env = { LANG, NO_COLOR: '1' };
    const { stdout } = await runScripted(argv, [pageOf(records)], { terminal: true, columns: 60, env });
    const rows = stdout.trimEnd().split('\n').slice(2);
    expect(rows.map((row) => /(?<= )[^\d ]*$/.exec(row.trimEnd())?.[0] ?? '')).toEqual(bars);
  });

  it('stops on a terminal at the setting limit, which cuts no file', async () => {
    const config = async () => memoryStore({ settings: { limit: 1 } });
    const shown = await runScripted(['issued'], [PAGE], { config, terminal: true, env: { NO_COLOR: '1' } });
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(shown.stderr).toContain('1 of 5, newest first · --all for the rest');
    const csv = ['issued', '--columns', 'number', '--no-header'];
    await expectAnswer(runScripted(csv, [PAGE], { config }), '1\n2\n3\n4\n5\n');
  });

  it('sorts fiscal IDs by what they are, whatever their spelling', async () => {
    const ids = '12.345.678-5 9876543-3 12345678-5 ES-B1 012345678-5 12345678-K 5.126.663-3'.split(' ');
    const records = ids.map((id, at) => `{"id":${at},"receiverFiscalId":"${id}"}`);
    const line = 'issued --sort receiverFiscalId --columns receiverFiscalId --no-header';
    const { stdout } = await runScripted(line.split(' '), [pageOf(records)]);
    expect(stdout.trimEnd().replaceAll('\n', ' ')).toBe(
      '5.126.663-3 9876543-3 12.345.678-5 12345678-5 012345678-5 12345678-K ES-B1',
    );
  });
});
