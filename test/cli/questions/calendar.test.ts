import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';
import { inZone } from '../../support/midday.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';

const invoice = (date: unknown, totalAmount: unknown, fields: object = {}): string =>
  JSON.stringify({ number: 7, date, totalAmount, currency: 'CLP', ...fields });

const BOOK = [
  invoice('2026-10-31T23:59:59-03:00', 5),
  // In Santiago it is still October then, and in UTC+14 long December: what is written counts.
  invoice('2026-11-01T00:00:00Z', 30),
  invoice('2026-11-30T23:30:00Z', 12, { documentType: 'CREDIT_NOTE' }),
  invoice('2025-12-31', 100),
  invoice(null, 7),
  invoice('2026-10-01', 1, { currency: 'USD' }),
];

const ask = (records: readonly string[], line: string): Promise<ScriptedExit> =>
  runScripted(['issued', ...line.split(' ')], [pageOf(records)]);

const months = '--sum total --group-by date:month --columns date:month,currency,records,total';

describe('--group-by with a unit of the calendar', () => {
  it.each([
    ['day', ['2025-12-31', '2026-10-31', '2026-11-01', '2026-11-30', '']],
    ['month', ['2025-12', '2026-10', '2026-11', '']],
    ['quarter', ['2025-Q4', '2026-Q4', '']],
    ['year', ['2025', '2026', '']],
    ['YEAR', ['2025', '2026', '']],
  ])('%s goes by the day as written, in the order of the calendar', async (unit, names) => {
    const { code, stdout } = await ask(BOOK, `--where currency=CLP --count --group-by date:${unit}`);
    expect(code).toBe(0);
    const [header, ...rows] = stdout.trimEnd().split('\n');
    expect(header).toBe(`date:${unit},records`);
    expect(rows.map((row) => row.split(',')[0])).toEqual(names);
  });

  it('is sorted by --sort, the latest first or by another column', async () => {
    const sorted = async (sort: string): Promise<string[]> => {
      const { stdout } = await ask(BOOK, `--where currency=CLP ${months} --sort ${sort}`);
      return stdout.trimEnd().split('\n').slice(1);
    };
    const latest = '2026-11,CLP,2,18 2026-10,CLP,1,5 2025-12,CLP,1,100 ,CLP,1,7';
    expect((await sorted('-date:month')).join(' ')).toBe(latest);
    expect((await sorted('-total'))[0]).toBe('2025-12,CLP,1,100');
  });

  it('goes with another column, whose largest group comes first within each month', async () => {
    const all = [
      invoice('2026-11-02', 1, { status: 'PAID' }),
      invoice('2026-10-02', 2, { status: 'PAID' }),
      invoice('2026-10-03', 3, { status: 'OPEN' }),
    ];
    const { stdout } = await ask(all, '--sum total --group-by status,date:month --columns status,date:month');
    expect(stdout).toBe('status,date:month\nOPEN,2026-10\nPAID,2026-10\nPAID,2026-11\n');
  });

  it('takes any column of dates, by --field too, from an export in every format that is read', async () => {
    const file = join(temporaryFolder(), 'issued');
    const records = [
      { number: 1, when: '2026-03-31', totalAmount: 5, currency: 'CLP' },
      { number: 2, when: '2026-04-01', totalAmount: 6, currency: 'CLP' },
    ];
    for (const ending of ['jsonl', 'json']) {
      await runScripted(
        ['issued', '-o', `${file}.${ending}`],
        [pageOf(records.map((record) => JSON.stringify(record)))],
      );
      for (const by of ['when:quarter', 'date:quarter --field date=when']) {
        const [column] = by.split(' ');
        const from = `issued --from ${file}.${ending} --sum total --group-by ${by} --format csv`;
        const { stdout } = await runScripted(from.split(' '), []);
        expect(stdout.replaceAll(/^([^,]*,)CLP,(\d+,\d+).*$/gm, '$1$2')).toBe(
          `${column},currency,records,total,total.creditNotes,total.cancelled,total.missing\n2026-Q1,1,5\n2026-Q2,1,6\n`,
        );
      }
    }
    await expectAnswer(
      runScripted(['issued', '--from', fileOf('[]', 'issued.json'), '--group-by', 'date:year'], []),
      'date:year,records\n',
    );
  });

  it('leaves out and names what is not a date, with exit code 6', async () => {
    const book = [...BOOK, invoice('soon', 1000), invoice(20261101, 1000), invoice('2026-02-30', 1000)];
    const { code, stdout, stderr } = await ask(book, `${months} --where currency=CLP`);
    expect(code).toBe(6);
    expect(stdout).toContain('2026-11,CLP,2,18\n');
    expect(stdout).not.toContain('1000');
    expect(stderr).toContain(
      '--sum: 3 records were left out, since they cannot be read: date of record 7 (number 7) is the text "soon"; ' +
        'date of record 8 (number 7) is the number "20261101"; date of record 9 (number 7) is the text "2026-02-30"',
    );
    expect((await ask(book, '--group-by date:month')).stderr).toContain(
      '--group-by: 3 records were left out',
    );
  });

  it('is a usage error where the column holds no dates, or is not there', async () => {
    await expectRefused(
      ask(BOOK, '--group-by currency:month'),
      'currency cannot be grouped by month: currency of record 1 (number 7) is the text "CLP", not a date',
    );
    const week = await ask(BOOK, '--group-by date:week');
    expect(week).toMatchObject({ code: 2, stdout: '' });
    expect(week.stderr).toContain('no record has a column date:week');
    expect(week.stderr).toContain('After a column and a colon, --group-by takes day, month, quarter, year.');
  });

  it('keeps a name with a colon that is not a unit', async () => {
    const { stdout } = await ask(['{"xml:lang":"es","a":1}'], '--group-by xml:lang');
    expect(stdout).toBe('xml:lang,records\nes,1\n');
  });
});

/** Due on the days around the one that it is in UTC. */
const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'];
const PAGE = pageOf(
  DAYS.map((day, number) => {
    const due = `"customer":{"name":"Ada","fiscalId":"1-9"},"date":"2026-01-01","dueBy":"${day}T00:00:00Z"`;
    return `{"number":${number},${due},"currency":"CLP","totalAmount":1.00,"amountToBePaid":1.00}`;
  }),
);

describe.each([
  ['Pacific/Auckland', '2026-11-20T12:00:00Z', '2026-11-21'],
  ['Pacific/Auckland', '2026-11-20T10:59:00Z', '2026-11-20'],
  ['America/Los_Angeles', '2026-11-20T07:59:00Z', '2026-11-19'],
  ['America/Los_Angeles', '2026-11-20T08:00:00Z', '2026-11-20'],
])('in %s at %s', (zone, instant, today) => {
  inZone(zone);
  const run = async (line: string): Promise<string> => {
    const clock = { now: Date.parse(instant) };
    const exit = await runScripted(line.split(' '), [PAGE], { clock });
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    return exit.stdout;
  };
  const overdue = DAYS.filter((day) => day < today).length;

  it(`it is ${today}: for --overdue, conditions on today, and ages`, async () => {
    expect(await run('issued --overdue --count')).toBe(`${overdue}\n`);
    expect(await run('issued --where dueBy<today --count')).toBe(`${overdue}\n`);
    expect(await run('issued --where dueBy=today --columns dueBy --no-header --format csv')).toBe(
      `${today}T00:00:00Z\n`,
    );
    const [row] = JSON.parse(await run('aging --format json')) as [Record<string, unknown>];
    expect([row['not due'], row['1 to 30']].map(Number)).toEqual([DAYS.length - overdue, overdue]);
  });
});
