import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { always, status } from '../../support/faults.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const organizations = {
  north: { records: { issued: modelRecords(3) } },
  south: { records: { issued: modelRecords(5, 100) } },
  west: { records: { issued: modelRecords(7, 200) } },
};

/**
 * A folder with a database and exports of north and south, and an export of north by itself; and what runs command lines over
 * them, which send nothing: where nothing chooses, or where FOLIO_PROFILE does.
 */
async function place() {
  const folder = temporaryFolder();
  for (const line of [
    'sync FOLDER/group issued --profile north,south',
    'issued --profile north,south -o FOLDER/group.jsonl',
    'issued --profile north,south -o FOLDER/group.json',
    'issued --profile north -o FOLDER/one.jsonl',
  ])
    expect(await runOrganizations(line, { organizations, folder })).toMatchObject({ code: 0 });
  const run = async (line: string, profile?: string) => {
    const env = profile === undefined ? {} : { FOLIO_PROFILE: profile };
    const exit = await runOrganizations(line, { organizations, folder, env });
    expect(exit.asked).toEqual([]);
    return exit;
  };
  return { folder, run };
}

const COUNTS: readonly (readonly [flags: string, profile: string | undefined, count: number])[] = [
  ['', 'south', 5],
  [' --profile north', 'south', 3],
  [' --all-profiles', 'south', 8],
  [' --profile south,north', undefined, 8],
];

describe('whose records are read from a source of several', () => {
  it.each(['group', 'group.jsonl', 'group.json'])('is chosen of %s as with the service', async (name) => {
    const { folder, run } = await place();
    const count = (flags: string, profile?: string) =>
      run(`issued --from FOLDER/${name} --count${flags}`, profile);
    for (const [flags, profile, expected] of COUNTS)
      await expectAnswer(count(flags, profile), `${expected}\n`);
    const together = 'warning: the figures are of north, south together; choose with --profile, ';
    await expectAnswer(count(''), '8\n', `${together}or confirm with --all-profiles\n`);
    expect((await count(' --group-by _profile')).stderr).toBe('');
    const hint = '  There are those of north, south. Name some with --profile, or take --all-profiles.\n';
    const lacks = `folio: ${folder}/${name}: there are no records of a profile west`;
    await expectRefused(count('', 'west'), `${lacks}, which FOLIO_PROFILE names\n${hint}`);
    await expectRefused(count(' --profile north,west'), `${lacks}\n${hint}`);
    expect(await count(' --profile north --all-profiles')).toMatchObject({ code: 2 });
    const of = name === 'group' ? '' : 'issued=';
    const report = run(`report --from ${of}FOLDER/${name} --format json`, 'west');
    await expectRefused(report, 'there are no records of a profile west');
  });

  it('gives an export of several the flags that are for each of them', async () => {
    const { folder, run } = await place();
    const all = (file: string, flags: string) =>
      run(`issued --from FOLDER/${file} --all-profiles --format jsonl ${flags}`.trim());
    const first = all('group.json', '--limit 1 --columns _profile,id');
    await expectAnswer(first, '{"_profile":"north","id":0}\n');
    await expectAnswer(all('group.jsonl', '--output-dir FOLDER/out'), '');
    const lines = readFileSync(join(folder, 'group.jsonl'), 'utf8').trimEnd().split('\n');
    // Mixed, those of each come together all the same, in their order.
    const mixed = [0, 3, 4, 1, 5, 6, 2, 7].map((at) => `${lines[at]}\n`);
    writeFileSync(join(folder, 'mixed.jsonl'), mixed.join(''));
    await expectAnswer(all('mixed.jsonl', ''), `${lines.join('\n')}\n`);
    const south = 'issued --from FOLDER/out/south.issued.jsonl --count --profile south';
    await expectAnswer(run(south), '5\n');
  });

  it('is among those that the receipt of an export names, also where they had no records', async () => {
    const folder = temporaryFolder();
    const none = { records: { issued: [] } };
    const some = { ...organizations, west: none };
    const columns = '--columns id,number';
    for (const [name, all, expected] of [
      ['some', some, ['0\n', '8\n', 'id,number\n']],
      ['empty', { north: none, west: none }, ['0\n', '0\n', 'id,number\n']],
    ] as const) {
      const run = (line: string) => runOrganizations(line, { organizations: all, folder });
      const write = `issued --all-profiles -o FOLDER/${name}.jsonl --receipt beside`;
      await expectAnswer(run(write), '');
      const from = `issued --from FOLDER/${name}.jsonl`;
      await expectAnswer(run(`${from} --profile west --count`), expected[0]);
      await expectAnswer(run(`${from} --all-profiles --count`), expected[1]);
      await expectAnswer(run(`${from} --profile west ${columns}`), expected[2]);
    }
    // Nobody knows whether a profile has records that the run left out.
    for (const part of ['--where _profile=west', '--limit 2', '--page 1 --page-size 5']) {
      const run = (line: string) => runOrganizations(line, { organizations, folder });
      await expectAnswer(run(`issued --all-profiles ${part} -o FOLDER/part.jsonl --receipt beside`), '');
      await expectRefused(run('issued --from FOLDER/part.jsonl --profile south'), 'of a profile south');
    }
    const read = `issued --from FOLDER/empty.jsonl --all-profiles ${columns}`;
    await expectAnswer(runOrganizations(read, { organizations, folder }), '_profile,id,number\n');
  });

  it('gives the records of one of them the meaning that they have for the service', async () => {
    const folder = temporaryFolder();
    const rest = '"dueBy":"2026-10-30","currency":"CLP","amountToBePaid":7,"customer":{"fiscalId":"1-9"}';
    const invoice = (id: number) => `{"id":${id},${rest}}`;
    const all = {
      north: { records: { issued: [invoice(1)] } },
      south: { records: { issued: [invoice(2)] }, settings: { 'fields.currency': 'moneda' } },
    };
    const run = (line: string) => runOrganizations(line, { organizations: all, folder });
    await expectAnswer(run('issued --all-profiles -o FOLDER/all.jsonl --receipt beside'), '');
    for (const question of ['issued --sum open', 'aging', 'statement --all --format csv']) {
      const refusal = 'no record has a currency in moneda';
      await expectRefused(run(`${question} --from FOLDER/all.jsonl --profile south`), refusal);
      const both = await run(`${question} --from FOLDER/all.jsonl --all-profiles`);
      expect(both).toMatchObject({ code: 6 });
      expect(both.stderr).toMatch(/no record (of south )?has a currency in moneda/);
    }
  });

  it('has a warning for each of them whose records have no types', async () => {
    const { folder, run } = await place();
    const rest = '"currency":"CLP","amountToBePaid":5,"dueBy":"2026-11-01"}\n';
    const kinds = '"documentType":33,"status":"OPEN"';
    const lines = [`{"_profile":"north",${kinds},${rest}`, `{"_profile":"south",${rest}`];
    writeFileSync(join(folder, 'mix.jsonl'), lines.join(''));
    for (const [flags, whose] of [
      ['--all-profiles', ['south: ']],
      ['--profile south', ['']],
      ['--profile north', []],
    ] as const)
      for (const question of ['issued --sum open', 'issued --open', 'aging']) {
        const { stderr } = await run(`${question} --from FOLDER/mix.jsonl ${flags}`);
        const found = [...stderr.matchAll(/^warning: (.*?)\/\S+ has no documentType/gm)].map(
          ([, who]) => who,
        );
        expect([flags, question, found]).toEqual([flags, question, whose]);
      }
    // No folio doctor helps a file.
    const failing = [...lines, lines[0]!.replace('north', 'west').replace('dueBy', 'until')].join('');
    writeFileSync(join(folder, 'failing.jsonl'), failing);
    const refused = run('statement --all --from FOLDER/failing.jsonl --all-profiles');
    await expectRefused(refused, /none of 3 profiles\n[^]*\n {2}Say which column it is in /);
    writeFileSync(join(folder, 'funds.jsonl'), '{"amount":5,"currency":"CLP"}\n');
    await expectAnswer(run('funds --from FOLDER/funds.jsonl --sum total'), /./, '');
  });

  it('is said where the usual profile was read, and the question is about others', async () => {
    const { run } = await place();
    const said = 'group.jsonl: this reads the records of south alone, not of north;';
    for (const question of [
      'count --where _profile=north',
      'count --group-by _profile',
      'columns _profile',
    ]) {
      const line = `issued --from FOLDER/group.jsonl --${question}`;
      expect((await run(line, 'south')).stderr).toContain(said);
      expect((await run(`${line} --profile south`)).stderr).not.toContain('alone');
    }
  });

  it('of an export that lacks one, those of the others are whole', async () => {
    const folder = temporaryFolder();
    const down = { north: organizations.north, south: { records: {}, script: always(status(403)) } };
    const run = (line: string) => runOrganizations(line, { organizations: down, folder });
    const file = 'FOLDER/part.jsonl';
    expect(await run(`issued --all-profiles -o ${file} --receipt beside`)).toMatchObject({ code: 6 });
    await expectAnswer(run(`issued --from ${file} --profile north --count`), '3\n');
    await expectPart(run(`issued --from ${file} --all-profiles --count`), '3\n', 'is incomplete: ');
    const left = `issued --all-profiles --where dueBy>=2026 -o ${file} --receipt beside`;
    const unreadable = {
      ...down,
      north: { records: { issued: ['{"id":1,"dueBy":"soon"}', '{"id":2,"dueBy":"2026-10-01"}'] } },
    };
    expect(await runOrganizations(left, { organizations: unreadable, folder })).toMatchObject({ code: 6 });
    await expectPart(run(`issued --from ${file} --profile north --count`), '1\n', 'is incomplete: ');
  });

  it('is nobody’s choice where the records do not say whose they are', async () => {
    const { folder, run } = await place();
    const one = 'issued --from FOLDER/one.jsonl --count';
    const says = 'one.jsonl does not say of which profiles its records are';
    for (const flags of ['--profile north', '--profile north,south', '--all-profiles'])
      await expectRefused(run(`${one} ${flags}`), says);
    await expectAnswer(run(one, 'west'), '3\n');
    writeFileSync(join(folder, 'none.jsonl'), '');
    await expectAnswer(run('issued --from FOLDER/none.jsonl --all-profiles --count'), '0\n');
  });
});

describe('two profiles of one organization', () => {
  const records = { issued: modelRecords(3) };
  const same = {
    south: { records, organization: 'acme' },
    west: { records: { issued: modelRecords(2, 50) }, organization: 'other' },
    north: { records, organization: 'acme' },
  };
  const says = 'the profiles north and south are of one organization';

  it('are one: --all-profiles reads the first by name, and says so', async () => {
    const run = runOrganizations('issued --all-profiles --count', { organizations: same });
    await expectAnswer(run, '5\n', `warning: ${says}; south is left out\n`);
  });

  const BOTH = ['issued --profile south,north --count', 'report --profile north,south --format json'];
  it.each(BOTH)('are refused where both are named: %s', async (line) => {
    const { code, stderr, asked } = await runOrganizations(line, { organizations: same });
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain(`${says}, whose records would come twice`);
  });

  it('are refused of a database that has rows of both', async () => {
    const folder = temporaryFolder();
    const run = (line: string) => runOrganizations(line, { organizations: same, folder });
    for (const name of ['south', 'north', 'west'])
      expect(await run(`sync FOLDER/books issued --profile ${name}`)).toMatchObject({ code: 0 });
    const hint = '  Leave out south: name the others with --profile.\n';
    const refused = `folio: ${folder}/books: ${says}, whose records would come twice\n${hint}`;
    for (const line of ['issued --count', 'statement --all', 'report --output-dir FOLDER/pages'])
      await expectRefused(run(`${line} --from FOLDER/books --all-profiles`), refused);
    const two = run('issued --from FOLDER/books --count --profile west,south');
    expect(await two).toMatchObject({ code: 0, stdout: '5\n' });
  });
});

const nobody = { north: { records: {} }, south: { records: {} } };

const REFUSED: readonly (readonly [line: string, says: RegExp])[] = [
  ['issued --all-profiles --profile north', /--all-profiles and --profile/],
  ['issued --profile north,nowhere', /there is no profile "nowhere"/],
  ['issued --profile north,', /--profile "north,"/],
  ['issued --profile north,north', /expected names with commas between them, none twice/],
  ['customers --all-profiles --next-token c1', /--next-token and several profiles do not go/],
  ['customers --profile north --output-dir FOLDER --next-token c1', /--next-token and --output-dir do not/],
  ['issued --all-profiles --token-file FOLDER/token', /--token-file gives one token/],
  ['issued --output-dir FOLDER', /--output-dir needs several profiles/],
  ['issued --all-profiles --output-dir FOLDER -o FOLDER/out.csv', /--output-dir and --output/],
  ['issued --all-profiles --output-dir FOLDER --changes-since FOLDER/a.jsonl', /--changes-since/],
  ['issued --all-profiles --limit 1 --all', /^folio: --all and --limit do not go together\n/],
  ['received --all-profiles --param totalAmount=1', /^folio: --param totalAmount: the service/],
  ['customers get 1 --profile north,south', /this command asks one organization/],
  ['get /customers --profile north,south', /this command asks one organization/],
  ['--sandbox issued --profile one,three', /--sandbox has no profile "three"/],
];

describe('several profiles are refused, before anything is asked', () => {
  it.each(REFUSED)('%s', async (line, says) => {
    const { code, stderr, asked } = await runOrganizations(line, { organizations: nobody });
    expect(stderr).toMatch(says);
    expect([code, asked]).toEqual([2, []]);
  });

  it('with FOLIO_TOKEN in the environment', async () => {
    const env = { FOLIO_TOKEN: 'a-token-of-somebody' };
    await expectRefused(
      runOrganizations('issued --all-profiles', { organizations: nobody, env }),
      'FOLIO_TOKEN gives one token, but each profile has its own',
    );
  });

  it('where there are none', async () => {
    const { code, stderr } = await runOrganizations('issued --all-profiles', { organizations: {} });
    expect([code, stderr.split('\n')[0]]).toEqual([3, 'folio: there are no profiles']);
  });
});

describe('an export of one profile', () => {
  it('means what the settings of that profile say, by its receipt, and is of one page with its own alone', async () => {
    const folder = temporaryFolder();
    const issued = ['{"id":1,"amountToBePaid":1,"saldo":2,"currency":"CLP"}'];
    const south = { records: { issued, received: issued }, settings: { 'fields.amount': 'saldo' } };
    const own = { organizations: { north: { records: { issued } }, south }, folder };
    const run = (line: string) => runOrganizations(line, { ...own, env: { FOLIO_PROFILE: 'north' } });
    for (const [line, file] of [
      ['issued --profile north', 'issued.jsonl'],
      ['received --profile south', 'received.jsonl'],
      ['issued --profile south', 'south.jsonl'],
      ['issued --from FOLDER/south.jsonl', 'copy.jsonl'],
      ['issued --profile south --columns open,currency', 'roles.jsonl'],
      ['issued --profile south --columns Saldo=open,currency', 'headed.jsonl'],
      ['issued --from FOLDER/headed.jsonl', 'again.jsonl'],
      ['issued --profile south --columns Saldo=open,*', 'both.jsonl'],
      ['issued --from FOLDER/roles.jsonl --columns Moneda=currency,*', 'chosen-again.jsonl'],
    ])
      expect(await run(`${line} -o FOLDER/${file} --receipt beside`)).toMatchObject({ code: 0 });
    const sum = async (line: string, column = 'open') =>
      (await run(`issued ${line} --open --sum ${column} --no-header`)).stdout;
    for (const file of ['south', 'copy', 'roles', 'headed', 'again', 'chosen-again'])
      expect(await sum(`--from FOLDER/${file}.jsonl`)).toBe(await sum('--profile south'));
    for (const column of ['open', 'saldo'])
      expect(await sum('--from FOLDER/both.jsonl', column)).toBe(await sum('--profile south', column));
    expect(await sum('--from FOLDER/issued.jsonl')).toBe(await sum('--profile north'));
    const page = 'report --from FOLDER/issued.jsonl --from FOLDER/received.jsonl --format json';
    await expectRefused(run(page), `issued.jsonl is of north, and ${folder}/received.jsonl of south\n`);
  });

  it('is not what a token of the environment is of: settings for the meaning of columns are left out, and that is said', async () => {
    const settings = { 'fields.amount': 'saldo', 'known.received': 'x', 'columns.issued': 'id' };
    const north = {
      records: { issued: ['{"id":1,"amountToBePaid":1,"saldo":2,"currency":"CLP"}'] },
      settings,
    };
    const env = { FOLIO_TOKEN: 'token-of-north-0123456789', FOLIO_PROFILE: 'north' };
    const says = 'warning: the token is not that of profile north: its fields.amount do not apply\n';
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'token'), env.FOLIO_TOKEN, { mode: 0o600 });
    const run = (line: string) => runOrganizations(line, { organizations: { north }, env });
    const named = 'issued --sum open --no-header --profile north --token-file FOLDER/token';
    await expectAnswer(runOrganizations(named, { organizations: { north }, folder }), /^CLP,1,2,/);
    await expectAnswer(run('issued --sum open --no-header'), /^CLP,1,1,/, says);
    await expectAnswer(run('issued'), 'id\n1\n', says);
  });
});
