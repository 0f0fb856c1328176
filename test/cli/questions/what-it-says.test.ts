import { describe, expect, it } from 'vitest';
import { customersOf, pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';

const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `{"n":${n}}`);
const screen = { terminal: true, env: { NO_COLOR: '1' } };

describe('how much of an answer is shown on a terminal', () => {
  it.each([
    ['--limit 3', 5, [0, 2], '3 of 5, the newest first\n'],
    ['--where n>2 --limit 4', 50, [3, 6], 'the newest first\n'],
    ['--sort -n --limit 2', 5, [4, 3], ''],
    ['--where n>2', 60, [3, 52], 'the first 50 · --all for the rest\nthe newest first\n'],
    ['--where n>20', 60, [21, 59], '39 of 60, the newest first\n'],
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

describe('what is said of an empty answer', () => {
  const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `"k${n}"`);
  const ten = 'k0, k1, k2, k3, k4, k5, k6, k7, k8, k9';
  const [whole, long] = ['x'.repeat(40), 'y'.repeat(41)];
  it.each<[condition: string, values: readonly string[], says: string]>([
    ['a=x', named(10), `0 of 10 issued invoices; a has ${ten}\n`],
    ['a=x', named(11), `0 of 11 issued invoices; a has ${ten}, …\n`],
    ['a=z', [`"${whole}"`, `"${long}"`], `0 of 2 issued invoices; a has ${whole}, ${'y'.repeat(39)}…\n`],
    ['a>9999', ['5', '10', '2'], '0 of 3 issued invoices; a goes from 2 to 10\n'],
    ['a>9999', ['5', '5'], '0 of 2 issued invoices; a has 5\n'],
    ['a>9999', ['null', '""'], '0 of 2 issued invoices\n'],
    [
      'a<1999',
      ['"2026-01-02T10:00:00Z"', '"2025-12-31"'],
      '0 of 2 issued invoices; a goes from 2025-12-31 to 2026-01-02\n',
    ],
    ['a=x', ['"x"', '"y"'], '1 of 2, the newest first\n'],
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
