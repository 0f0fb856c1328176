import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { funds } from '../../src/resources/listings.ts';
import { runHere } from '../support/run-here.ts';
import { runScripted } from '../support/scripted-run.ts';
import { withProfile } from '../support/settings-folder.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../support/expect-exit.ts';

const page = '{"total":2,"page":1,"pageSize":1000,"pageResults":[{"a":1},{"a":2,"b":{"c":3}}],"errors":[]}';
const argv = ['funds', '--list-columns'];

describe('--list-columns', () => {
  it('prints what the listing declares, one a line, without a request and without a token', async () => {
    const { code, stdout, stderr } = await runHere(argv, { env: { FOLIO_TOKEN: undefined } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.toString().split('\n')).toEqual([...funds.columns.map(([name]) => name), '']);
  });

  it('has the columns of fields, of --expand and of several profiles', async () => {
    const of = async (...flags: string[]): Promise<string[]> =>
      (await runHere(['issued', '--list-columns', '--since', '2026', ...flags])).stdout
        .toString()
        .split('\n');
    expect(await of('--field', 'due=pagoHasta', '--field', 'currency==CLP')).toContain('pagoHasta');
    expect(await of('--field', 'currency==CLP')).not.toContain('=CLP');
    expect(await of()).toContain('payments');
    expect(await of()).not.toContain('payments.amount');
    expect(await of('--expand', 'payments')).toEqual(expect.arrayContaining(['number', 'payments.amount']));
    expect(await of('--expand', 'payments')).not.toContain('payments');
    expect((await of('--sandbox', '--all-profiles')).slice(0, 2)).toEqual(['_profile', 'id']);
  });

  it('goes by the settings of the current profile', async () => {
    const env = withProfile({ settings: { 'fields.due': 'pagoHasta' } });
    const { stdout } = await runHere(['issued', '--list-columns'], { env });
    expect(stdout.toString().split('\n')).toContain('pagoHasta');
  });

  it('writes them to the file that -o names', async () => {
    const file = join(temporaryFolder(), 'columns.txt');
    await expectAnswer(runScripted([...argv, '-o', file], []), '');
    expect(readFileSync(file, 'utf8')).toMatch(/^id\nnumber\n/);
    const receipt = runScripted([...argv, '-o', file, '--receipt', 'beside'], []);
    await expectRefused(receipt, '--list-columns and --receipt do not go together');
  });

  it.each([
    [['--sum', 'a', '--as-sent'], 'records\na\na.missing\n'],
    [['--group-by', 'b.c'], 'b.c\nrecords\n'],
  ])('are those of what %j makes of the records', async (flags, columns) => {
    await expectAnswer(runScripted([...argv, ...flags], [page]), columns);
  });

  it('are those that the records of an export have', async () => {
    const file = fileOf('{"a":1}\n{"a":2,"b":{"c":3}}\n', 'funds.jsonl');
    const of = (...flags: string[]) => runScripted([...argv, '--from', file, ...flags], []);
    await expectAnswer(of(), 'a\nb.c\n');
    await expectAnswer(of('--where', 'a=1'), 'a\n');
    await expectAnswer(of('--sort', '-a'), 'a\nb.c\n');
  });

  it('are those that --columns takes of a result of the command’s own', async () => {
    const file = fileOf('{"amountToBePaid":1,"dueBy":"2026-11-01","currency":"CLP","number":1}\n');
    for (const line of [`aging --from ${file}`, `reconcile ${file} --from ${file}`]) {
      const of = (flags: string) => runScripted(`${line} -q ${flags}`.split(' '), []);
      const { stdout } = await of('--list-columns');
      expect((await of('--format csv')).stdout.split('\n')[0]).toBe(stdout.trimEnd().replaceAll('\n', ','));
    }
  });

  it('leaves no file where it fails', async () => {
    const folder = temporaryFolder();
    const failing = [...argv, '--sum', 'a', '-o', join(folder, 'c')];
    const { code } = await runScripted(failing, [[403, '{"Message":"no"}']]);
    expect(code).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });
});

it.each(['csv', 'json', 'jsonl'])('a column that is not there leaves nothing: %s', async (format) => {
  const of = (...flags: string[]) => runScripted(['funds', '--format', format, ...flags], [[200, page]]);
  await expectRefused(of('--columns', 'b.d,a'), 'Did you mean b.c?');
  await expectRefused(of('--where', 'b.d!=5'), 'Did you mean b.c?');
  await expectAnswer(of('--columns', 'b.c,a', '--where', 'b.c!=5'), /3/);
});
