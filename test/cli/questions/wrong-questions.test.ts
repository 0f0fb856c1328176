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
  ['--key number', /--key goes with --changes-since/],
  ['--changes-since x --page 0', /--changes-since needs the whole listing/],
  ['--changes-since x --sum a', /--changes-since does not go together with --sum/],
  ['--limit 3 --sum a', /--limit and --sum do not go together/],
  ['--sort a --sort-order desc', /--sort-order is for --sort-by, not for --sort/],
  ['--changes-since /nowhere/old.jsonl', /cannot read \/nowhere\/old\.jsonl: there is no such file/],
  ['--changes-since /etc/hostname', /\/etc\/hostname is neither jsonl nor json/],
  ['--format xlsx --sheet-per-profile', /--sheet-per-profile: of which profiles\?/],
  ['--profile a,b --output-dir x --sheet-per-profile', /--output-dir and --sheet-per-profile do not go/],
  ['--list-columns --columns a', /--columns and --list-columns do not go together/],
  ['--list-columns --output-dir x', /--output-dir and --list-columns do not go together/],
  ['--format xlsx --no-header', /--no-header goes with csv and tsv, not with xlsx/],
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
    expect(outcome.stderr).toContain('a workbook cannot be shown on a terminal');
  });
});
