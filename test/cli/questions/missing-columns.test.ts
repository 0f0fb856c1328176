import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../support/memory-store.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

const RECORDS = [
  '{"number":1,"status":"PAID","dueByDate":"2026-10-01","payments":[{"date":"2026-10-02","amount":5},{"date":"2026-09-01","amount":7}],"categories":[]}',
  '{"number":2,"status":"PENDING","dueByDate":"2026-10-09","payments":[],"customer":{"name":"Roble"},"categories":[{"name":"Servicios"}],"note":null}',
  '{"number":3,"status":"PENDING","payments":[{"date":"2026-08-01","amount":1}],"lines":[{"taxes":[{"code":14},{"code":9}]}]}',
];

/** Of the service, or of a file of the same records. */
async function ask(line: string, from: 'service' | 'file', records = RECORDS): Promise<ScriptedExit> {
  const settings = { 'known.issued': 'buyer,shop' };
  const config = { config: async () => memoryStore({ settings }) };
  const argv = line.split(' ');
  if (from === 'service') return runScripted(argv, [pageOf(records)], config);
  return runScripted([...argv, '--from', fileOf(records.join('\n'))], [], config);
}

const FLAGS = ['--where X=x --count', '--where X!=x', '--sum X', '--count --group-by X', '--sort X'];

describe.each(['service', 'file'] as const)('a column that no record of the %s had', (from) => {
  it.each(FLAGS)('is exit 2 where nobody declares it: %s', async (flags) => {
    for (const [column, hint] of [
      ['vendedor', 'folio config set known.issued vendedor'],
      ['Status', 'Did you mean status?'],
      ['day_past_due', '`folio statement --all --overdue` shows how many days late each is.'],
      ['cliente', 'Did you mean customer.name?'],
      ['number.part', 'folio config set known.issued number.part'],
    ] as const) {
      const { code, stderr } = await ask(`issued ${flags.replace('X', column)}`, from);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`no record has a column ${column}\n`)]);
      expect(stderr).toContain(hint);
    }
  });

  it.each(FLAGS)('is exit 2 where it is of a role, or another column is: %s', async (flags) => {
    const run = (column: string): Promise<ScriptedExit> => ask(`issued ${flags.replace('X', column)}`, from);
    await expectRefused(run('paid'), /no record has a paid amount in /);
    await expectRefused(run('netAmount'), 'no record has a net amount');
    await expectRefused(run('cancelled'), /no record has a mark of cancelled .*\n.* --field cancelled=/);
    await expectRefused(run('dueBy'), /no record has a column dueBy\n  Did you mean dueByDate\?/);
  });

  const DECLARED = ['dispute.reason', 'buyer', 'purchaseOrder'];
  it.each(DECLARED)('is an empty answer where it is declared: %s', async (column) => {
    const warning = new RegExp(`no record has a value in ${column}`);
    for (const [flags, stdout] of [
      ['--where X=x --count', '0\n'],
      ['--where X!=x --count', '3\n'],
      ['--count --group-by X --no-header', ',3\n'],
      ['--sum X --columns X --no-header', '""\n'],
      ['--sort X --columns number --no-header', '1\n2\n3\n'],
    ] as const)
      await expectAnswer(ask(`issued ${flags.replaceAll('X', column)}`, from), stdout, warning);
  });

  it.each(FLAGS)('is none where it is null, or where nothing was read: %s', async (flags) => {
    for (const [column, records] of Object.entries({ note: RECORDS, vendedor: [] })) {
      const { code, stderr } = await ask(`issued ${flags.replace('X', column)}`, from, records);
      expect([code, stderr]).toEqual([0, '']);
    }
  });

  it('is found beyond the records that a filter keeps, and beyond the first 500', async () => {
    expect(await ask('issued --where status=NONE --sum vendedor', from)).toMatchObject({ code: 2 });
    expect(await ask('issued --where number=1 --sort note', from)).toMatchObject({ code: 0, stderr: '' });
    expect(await ask('issued --where vendedor!=x --limit 1', from)).toMatchObject({ code: 2 });
    const many = [...Array<string>(600).fill('{"a":1}'), '{"a":1,"rare":null}'];
    await expectAnswer(ask('issued --where rare=x --count', from, many), '0\n');
    const open = '{"amountToBePaid":1}';
    const undated = [...Array<string>(600).fill(open), open.replace('}', ',"dueBy":null}')];
    expect(await ask('issued --overdue --count', from, undated)).toMatchObject({ code: 0, stdout: '0\n' });
  });
});

it('an assistant, a download and each of several organizations have the same rule', async () => {
  const organizations = {
    north: { records: { issued: RECORDS }, settings: { 'known.issued': 'vendedor' } },
    south: { records: { issued: RECORDS } },
  };
  const folder = temporaryFolder();
  const run = (line: string) => runOrganizations(line, { organizations, folder });
  expect(await run('issued --where vendedor=x --count --profile north')).toMatchObject({ code: 0 });
  expect(await run('issued --where vendedor=x --count --profile south')).toMatchObject({ code: 2 });
  expect(await run('issued --where seller=x --count --all-profiles')).toMatchObject({ code: 2 });
  const download = await run('issued download FOLDER/files --where seller=x --profile north');
  expect(download.code).toBe(2);
});

it('is a warning where no record of one of several organizations has a column that others have', async () => {
  const of = (payments: string) => ({ records: { issued: [`{"id":1,"number":1${payments}}`] } });
  const organizations = {
    east: of(',"payments":[]'),
    north: of(',"payments":[{"date":"2026-10-02"}]'),
    south: of(''),
    west: of(',"payments":[{"paidAt":"2026-10-02"}]'),
  };
  const line = 'issued --where payments.date>=2026-10 --count';
  const warned = (names: readonly string[]): string =>
    names.map((name) => `warning: --where: no record of ${name} has a value in payments.date\n`).join('');
  expect(await runOrganizations(`${line} --all-profiles`, { organizations })).toMatchObject({
    ...{ code: 0, stdout: '1\n', stderr: warned(['south', 'west']) },
  });
  expect(await runOrganizations(`${line} --profile south,west`, { organizations })).toMatchObject({
    stderr: expect.not.stringContaining('no record of'),
  });
});

it('is exit 6 where no record of one of several organizations has what the answer is of', async () => {
  const record = (due: string, open: string): string =>
    `{"id":1,"number":1,"date":"2020-01-01","currency":"CLP","customer":{"name":"Roble"},"${due}":"2020-01-31","${open}":5}`;
  const organizations = {
    north: { records: { issued: [record('dueBy', 'amountToBePaid')] } },
    south: { records: { issued: [record('vence', 'amountToBePaid')] } },
    west: { records: { issued: [record('dueBy', 'saldo')] } },
  };
  const folder = temporaryFolder();
  const run = (line: string) => runOrganizations(`issued ${line}`, { organizations, folder });
  const noDue = 'no record of south has a due date in dueBy';
  const noAmount = 'no record of west has an open amount in';
  const late = await run('--all-profiles --overdue --count');
  expect([late.code, late.stdout]).toEqual([6, '1\n']);
  expect(late.stderr).toContain(`folio: --overdue: the answer is not whole: ${noDue}`);
  expect(late.stderr).toContain(`warning: --overdue: the answer is not whole: ${noAmount}`);
  expect(late.stderr).toContain('--field due=<column>');
  const open = await run('--all-profiles --open --count');
  expect(open).toMatchObject({ code: 6, stdout: '2\n', stderr: expect.stringContaining(noAmount) });
  expect(open.stderr).not.toContain('south');
  for (const [flags, lack] of [
    ['--sum open', noAmount],
    ['--sum amountToBePaid', 'no record of west has a column amountToBePaid\n  Say which column it is in'],
    ['--where open>0', noAmount],
    ['--where dueBy<2030', 'no record of south has a column dueBy\n'],
  ] as const) {
    const { code, stdout, stderr } = await run(`--all-profiles ${flags}`);
    expect([code, stderr]).toEqual([6, expect.stringContaining(lack)]);
    expect(stdout).toContain('CLP');
  }
  // What lacks it is not wanted.
  for (const flags of ['--overdue --where _profile=north', '--where dueBy<2030 --where _profile!=south,west'])
    expect(await run(`--all-profiles --count ${flags}`)).toMatchObject({ code: 0, stdout: '1\n' });
  // What one answers with exit 2 alone is not added up beside others.
  const poor = record('dueBy', 'amountToBePaid').replace('"currency":"CLP",', '');
  const beside = { north: organizations.north, south: { records: { issued: [poor] } } };
  for (const line of ['issued --sum open', 'aging'])
    for (const [profile, code, of] of [['south', 2, ''] as const, ['north,south', 6, ' of south'] as const]) {
      const ended = await runOrganizations(`${line} --profile ${profile}`, { organizations: beside });
      const says = expect.stringContaining(`no record${of} has a currency`) as string;
      expect([ended.code, ended.stderr]).toEqual([code, says]);
    }
  // That of a record which a filter leaves out is one, too.
  const withStatus = (status: string, of: string): string => of.replace('{', `{"status":"${status}",`);
  const [paid, open_] = [
    withStatus('PAID', poor),
    withStatus('OPEN', organizations.north.records.issued[0]!),
  ];
  const some = { north: { records: { issued: [open_] } }, south: { records: { issued: [paid, open_] } } };
  const ofPaid = 'issued --where status=PAID --sum open --all-profiles';
  expect(await runOrganizations(ofPaid, { organizations: some })).toMatchObject({ code: 0 });
  const { records } = organizations.west;
  const elsewhere = {
    ...organizations,
    west: { records: { issued: [records.issued[0]!.replace('"saldo"', '"total":1,"totalAmount"')] } },
    north: { records: { issued: [records.issued[0]!.replace('"saldo"', '"total"')] } },
  };
  const sum = 'issued --sum totalAmount --profile west,north';
  expect(await runOrganizations(sum, { organizations: elsewhere, folder })).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('  Write total, which stands for the column of each profile.\n'),
  });
  // Its groups would be one, of nothing. Where no column has it, that is what the records say.
  for (const [column, due, code] of [
    ['dueBy', 'dueByDate', 6],
    ['dueBy:month', 'dueByDate', 6],
    ['due', 'dueByDate', 0],
    ['dueBy', 'vence', 0],
  ] as const) {
    const south = { records: { issued: [record(due, 'amountToBePaid')] } };
    const ended = await runOrganizations(`issued --group-by ${column} --count --profile north,south`, {
      organizations: { ...organizations, south },
      folder,
    });
    const hint = '  Write due, which stands for the column of each profile.\n';
    expect([column, ended.code, ended.stderr.includes(hint)]).toEqual([column, code, code === 6]);
  }
  const aging = await runOrganizations('aging --all-profiles', { organizations, folder });
  expect(aging).toMatchObject({ code: 6, stdout: expect.stringMatching(/^_profile,.*\nnorth,Roble,/) });
  expect(aging.stderr).toContain(noDue);
  expect(aging.stderr).toContain(noAmount);
  // An export of chosen columns has all of them in each row.
  const rows = '--columns number,dueBy,open,status,documentType -o FOLDER/rows.jsonl --receipt beside';
  expect(await run(`--all-profiles ${rows}`)).toMatchObject({ code: 0 });
  const of = (more: string) => run(`--from FOLDER/rows.jsonl --overdue --count ${more}`);
  const both = { code: 6, stdout: '1\n', stderr: expect.stringContaining(noDue) };
  expect(await of('--all-profiles')).toMatchObject(both);
  await expectRefused(of('--profile south'), 'A whole export, without --columns, tells a missing column');
  const one = { code: 0, stdout: '1\n', stderr: '' };
  expect(await run('--profile north --overdue --count')).toMatchObject(one);
  // A column that is there without a value is absent, and nothing is missing.
  organizations.south.records.issued = [record('dueBy', 'amountToBePaid').replace('"2020-01-31"', 'null')];
  expect(await run('--profile north,south --overdue --count')).toMatchObject(one);
});

describe('what is within a list', () => {
  it.each([
    ['payments.date>=2026-10', '1'],
    ['payments.date<2026-10', '1 3'],
    ['payments.date=2026-09,2026-08', '1 3'],
    ['payments.date!=2026-09', '2 3'],
    ['payments.amount=7.0', '1'],
    ['payments.date=', '2'],
    ['payments.date!=', '1 3'],
    ['categories.name~servicios', '2'],
    ['categories.name!~servicios', '1 3'],
    ['lines.taxes.code=9', '3'],
    ['payments.date>=2026-10 --where payments.amount=7', '1'],
  ])('is met by any object of it: --where %s', async (condition, numbers) => {
    const line = `issued --columns number --no-header --where ${condition}`;
    const { code, stdout, stderr } = await ask(line, 'service');
    expect([code, stdout.trimEnd().replaceAll('\n', ' '), stderr]).toEqual([0, numbers, '']);
  });

  it.each(['--sum X', '--count --group-by X', '--sort X', '--columns number,X', '--where number=1 --sum X'])(
    'is not a value of a record: %s',
    async (flags) => {
      const question = flags.replace('X', 'payments.amount');
      const { code, stderr } = await ask(`issued ${question}`, 'service');
      expect(code).toBe(2);
      expect(stderr).toMatch(/payments\.amount is within the list payments.*\n  Add --expand payments/);
      const expanded = `issued --expand payments --field currency==CLP ${question}`;
      expect(await ask(expanded, 'file')).toMatchObject({ code: 0 });
    },
  );

  it('is exit 2 where no object of it has that, though some lists are empty', async () => {
    for (const column of ['payments.on', 'payments.date.day'])
      expect(await ask(`issued --where ${column}=x`, 'service')).toMatchObject({ code: 2 });
    const empty = await ask('issued --where payments.on=x', 'service', [RECORDS[1]!]);
    expect(empty).toMatchObject({ code: 0, stderr: '' });
  });

  it('holds no date where a number is: that is a usage error, or said', async () => {
    await expectRefused(ask('issued --where payments.date<7', 'service'), 'payments.date holds dates');
  });
});
