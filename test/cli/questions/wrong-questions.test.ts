import { describe, expect, it } from 'vitest';
import { runScripted } from '../../support/scripted-run.ts';

/** (flags, what the one line must name); none of them may send a request. */
const refused: readonly (readonly [flags: string, names: RegExp])[] = [
  ['--where status', /--where 'status' does not parse at character 7: an operator is expected here/],
  ['--where =5', /at character 1: a column is expected here/],
  ['--where a<b<c', /at character 4: a value with an operator in it goes in quotes/],
  ['--where a="b', /at character 3: this quote is not closed/],
  ['--where a>', /> needs a value/],
  ['--sort a,,b', /--sort 'a,,b' names an empty column/],
  ['--sort -', /names an empty column/],
  ['--sum a,,b', /--sum "a,,b"/],
  ['--sum a --sum a', /"a" comes twice/],
  ['--group-by ,', /--group-by/],
  ['--from x --key number', /unknown option '--key'/],
  ['--changes-since x --page 0', /--changes-since and --page do not go together: what is not on one page/],
  ['--changes-since x --sum a', /--changes-since and --sum do not go together/],
  ['--limit 3 --sum a', /--limit and --sum do not go together/],
  ['--sort a --sort-order desc', /--sort and --sort-order do not go together: --sort-order is for --sort-by/],
  [
    '--changes-since /nowhere/old.jsonl',
    /cannot read \/nowhere\/old\.jsonl: there is no such file\n {2}Write this before it, .*: `\[ -e \/nowhere\/old\.jsonl \] \|\| : > \/nowhere\/old\.jsonl`\.\n/,
  ],
  ['--changes-since /etc/hostname', /\/etc\/hostname is neither jsonl nor json/],
  ['--list-columns --columns a', /--list-columns and --columns do not go together/],
  ['--list-columns --output-dir x', /--list-columns and --output-dir do not go together/],
  ['--where totalAmount', /The shell takes a < or > for a file: put the condition in quotes/],
  ['--since hoy', /--since "hoy" is no date\n  Write a date as 2026-11-21, 2026-11 \(that month\)/],
  ['--since last-month', /"last-month" is no date\n {2}A month .* is a period: --period last-month\./],
  ['--until 2026-Q3', /a period: --period 2026-Q3\./],
  ['--period octubre', /"octubre": expected a month, a quarter or a year\n {2}Write --period 2026-10\./],
  ['--period 2027', /--period 2027 has not begun yet/],
  ['--period 2026 --since 2026', /--period and --since do not go together: a period has both its days/],
  ['--until 21/11/2026', /--until "21\/11\/2026" is no date/],
  ['--since 2026-10 --until 2026-09', /--since 2026-10 is later than --until 2026-09: no document is of/],
  ['--since today --until -1d', /--since today is later than --until -1d/],
  ['--field due=a', /--field says what a column means, and no question asks for it/],
  ['--overdue --field deu=a', /there is no field deu to map/],
  ['--as-sent', /--as-sent goes with --sum: .*\n {2}Add --sum, or leave --as-sent out/],
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
