import { describe, expect, it } from 'vitest';
import { runScripted, customersOf, pageOf, type ScriptedExit } from '../../support/scripted-run.ts';

/** (flags, what the one line must name); none of them may send a request. */
const refused: readonly (readonly [flags: string, names: RegExp])[] = [
  ['--where status', /--where 'status' does not parse at character 7: an operator is expected here/],
  ['--where status!PAID', /at character 7: an .*\n {2}Write column, operator, value: status=OVERDUE/],
  ['--sort a,,b', /--sort 'a,,b' names an empty column\n {2}Name columns with commas between them/],
  ['--sum a,,b', /--sum "a,,b"/],
  ['--sum a --sum a', /"a" comes twice/],
  ['--group-by ,', /--group-by/],
  ['--from x --key number', /unknown flag '--key'/],
  ['--changes-since x --page 0', /--changes-since and --page do not go together: what is not on one page/],
  ['--changes-since x --sum a', /--changes-since and --sum do not go together/],
  ['--limit 3 --sum a', /--limit and --sum do not go together/],
  ['--sort a --sort-order desc', /--sort and --sort-order do not go together: --sort-order is for --sort-by/],
  ['--changes-since /etc/hostname', /\/etc\/hostname is neither jsonl .*\n {2}Compare with an export/],
  ['--list-columns --columns a', /--list-columns and --columns do not go together/],
  ['--list-columns --output-dir x', /--list-columns and --output-dir do not go together/],
  ['--where totalAmount', /The shell takes a < or > for a file: put the condition in quotes/],
  ['--since hoy', /--since "hoy" is not a date\n  Write a date as 2026-11-21, 2026-11 \(that month\)/],
  [
    '--since last-month',
    /"last-month" is not a date\n {2}A month .* is a period: .+ by the date of issue, --period last-month\./,
  ],
  ['--until 2026-Q3', /by the date of issue, --period 2026-Q3\./],
  ['--period octubre', /"octubre": expected a month, a quarter or a year\n {2}Periods are written 2026-11,/],
  ['--period 2026-10-31', /31: expected a month, .*\n {2}Write --since 2026-10-31 --until 2026-10-31\./],
  ['--period 2027', /--period 2027 has not begun yet/],
  ['--period 2026 --since 2026', /--period and --since do not go together: a period has both its days/],
  ['--until 21/11/2026', /--until "21\/11\/2026" is not a date/],
  ['--until on2026-11-21T10:00:00Z', /--until "on2026-11-21T10:00:00Z" is not a date/],
  ['--since 2026-10 --until 2026-09', /--since 2026-10 is later than --until 2026-09: no date is in both/],
  ['--since today --until yesterday', /--since today is later than --until yesterday/],
  ['--since 2026-02 --until 2026-01-31', /is later than/],
  ['--field due=a', /--field names a column that no question uses/],
  ['--overdue --field deu=a', /there is no field deu to map/],
  ['--as-sent', /--as-sent needs --sum: .*\n {2}Add --sum, or leave --as-sent out/],
  ['--count --sum a', /--count and --sum do not go together/],
  ['--count --limit 3', /--limit and --count do not go together/],
  ['--changes-since x --count', /--changes-since and --count do not go together/],
  ['--from x --all --limit 1', /--all and --limit do not go together/],
  ['--from x --page 0', /--from and --page do not go together/],
  ['--from x --param a=b', /--from and --param do not go together/],
  ['--from x --concurrency 2', /--from and --concurrency do not go together/],
  ['--from x --sandbox', /--from and --sandbox do not go together/],
  ['--from /nowhere/x', /cannot read \/nowhere\/x: there is no such file\n {2}Check its path/],
  ['--from /nowhere/x --sort-by COLOR', /--sort-by COLOR is a key of the service, and a file is read/],
  ['--format xlsx --no-header', /--no-header goes with csv, not with xlsx/],
];

describe('a question that is wrong', () => {
  it.each(refused)('%s', async (flags, names) => {
    const { code, stdout, stderr, asked } = await runScripted(['issued', ...flags.split(' ')], []);
    expect(stderr).toMatch(names);
    expect({ code, stdout, asked }).toEqual({ code: 2, stdout: '', asked: [] });
  });

  it('never sends a workbook to a terminal', async () => {
    const outcome = await runScripted(['issued', '--format', 'xlsx'], [], { terminal: true });
    expect(outcome).toMatchObject({ code: 2, stdout: '', asked: [] });
    expect(outcome.stderr).toContain('cannot be shown on a terminal');
  });
});

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `{"n":${n}}`);
const screen = { terminal: true, env: { NO_COLOR: '1' } };

describe('how much of an answer is shown on a terminal', () => {
  it.each([
    ['--limit 3', 5, [0, 2], '3 of 5, newest first\n'],
    ['--where n>2 --limit 4', 50, [3, 6], 'the records are listed newest first\n'],
    ['--sort -n --limit 2', 5, [4, 3], ''],
    ['--where n>2', 60, [3, 52], 'the first 50, newest first · --all for the rest\n'],
    ['--where n>20', 60, [21, 59], '39 of 60, newest first\n'],
    ['--sort -n', 60, [59, 10], '50 of 60 · --all for the rest\n'],
    ['--where n<55 --sort -n', 60, [54, 5], '50 of 55 · --all for the rest\n'],
    ['--group-by n --sort n --limit 3', 10, [0, 2], '3 of 10 groups\n'],
    ['--group-by n --sort n', 60, [0, 59], ''],
  ])('%s of %i', async (flags, count, [first, last], says) => {
    const argv = ['issued', ...flags.split(' '), '--columns', 'n'];
    const { stdout, stderr } = await runScripted(argv, [pageOf(numbers(count))], screen);
    const shown = stdout.trimEnd().split('\n').slice(2).map(Number);
    expect([shown.length, shown[0], shown.at(-1), stderr]).toEqual([
      ...[Math.abs(last! - first!) + 1, first, last, says],
    ]);
  });
});

it('a table of customers says that there are more where the last page does not end with it', async () => {
  const said = async (count: number, next: string | null): Promise<string> =>
    (await runScripted(['customers'], [customersOf(numbers(count), next)], screen)).stderr;
  const rest = 'the first 50 · --all for the rest\n';
  expect([await said(50, null), await said(60, null), await said(50, 'x')]).toEqual(['', rest, rest]);
});

describe('what is said of an empty answer', () => {
  const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `"k${n}"`);
  const ten = 'k0, k1, k2, k3, k4, k5, k6, k7, k8, k9';
  const [whole, long] = ['x'.repeat(40), 'y'.repeat(41)];
  it.each<[condition: string, values: readonly string[], says: string]>([
    ['a=x', named(10), `0 of 10 issued invoices; a has ${ten}\n`],
    ['a=x', named(11), `0 of 11 issued invoices; a has ${ten}, …\n`],
    ['a=z', [`"${whole}"`, `"${long}"`], `0 of 2 issued invoices; a has "${whole}", "${'y'.repeat(39)}…"\n`],
    ['a>9999', ['5', '10', '2'], '0 of 3 issued invoices; a goes from 2 to 10\n'],
    ['a>9999', ['5', '5'], '0 of 2 issued invoices; a has 5\n'],
    ['a>9999', ['null', '""'], '0 of 2 issued invoices\n'],
    ['a=x', ['"x"', '"y"'], '1 of 2, newest first\n'],
    ['a=x', [], ''],
  ])('%s, where a is %j', async (condition, values, says) => {
    const records = values.map((value) => `{"a":${value}}`);
    const { stderr } = await runScripted(['issued', '--where', condition], [pageOf(records)], screen);
    expect(stderr).toBe(says);
  });
});

describe('columns of --columns that never came', () => {
  const ask = (columns: string, ...records: string[]): Promise<ScriptedExit> =>
    runScripted(['customers', '--columns', columns, '--format', 'csv'], [customersOf(records)]);

  it.each([
    [
      'n,m,other',
      ['{"n":1}', '{"m":1}'],
      'warning: --columns: no record has a value in other (2 records read)\n',
    ],
    ['n', ['{"n":null}'], ''],
    ['n', [], ''],
    ['a,b', ['{"a":1}', '{"c":1}', '{"c":1}', '{"b":1}'], ''],
  ])('%s of %j', async (columns, records, stderr) => {
    expect(await ask(columns, ...records)).toMatchObject({ code: 0, stderr });
  });

  it('are compared with the names of the first 500 records', async () => {
    const names = (before: number) => [...Array<string>(before).fill('{"a":1}'), '{"late":1}'];
    const says = 'folio: --columns: no record has a column lat\n  Did you mean late?\n';
    expect(await ask('lat', ...names(499))).toMatchObject({ code: 2, stderr: says });
    expect((await ask('lat', ...names(500))).stderr).toBe(
      'warning: --columns: no record has a value in lat (501 records read)\n',
    );
  });
});
