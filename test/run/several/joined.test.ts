import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, where, members, status } from '../../support/faults.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations, type Organization, type OrganizationsRun } from '../../support/run-model.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { nobody } from '../../support/scripted-run.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

const PAGES = '--page-size 2 --retries 0';

/** Three organizations of 5, 3 and 4 invoices. */
function three(more: Readonly<Record<string, Partial<Organization>>> = {}): Record<string, Organization> {
  return {
    north: { records: { issued: modelRecords(5) }, ...more['north'] },
    south: { records: { issued: modelRecords(3, 100) }, ...more['south'] },
    west: { records: { issued: modelRecords(4, 200) }, ...more['west'] },
  };
}

/** Runs a command line over these three, unless it names others. */
const run = (line: string, more: Partial<OrganizationsRun> = {}) =>
  runOrganizations(line, { organizations: three(), ...more });

/** `north 0`, `north 1` and so on, of a jsonl export. */
function places(stdout: string): string[] {
  return [...stdout.matchAll(/^\{"_profile":"(\w+)","id":(\d+)/gm)].map(([, name, id]) => `${name} ${id}`);
}

const from = (name: string, first: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name} ${first + at}`);
const [NORTH, SOUTH, WEST] = [from('north', 0, 5), from('south', 100, 3), from('west', 200, 4)];

/** The third request of an organization fails, when two pages were read. */
const failsMidway = where(({ records: [first] }) => first?.includes('"id":204') ?? false, status(500));

/** After so many turns of the event loop. */
async function laterOn(turns: number): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}

describe('several profiles', () => {
  it('come one after the other, as stored or as named, each whole and in its order', async () => {
    const all = await run(`issued --all-profiles --format jsonl ${PAGES}`);
    expect([all.code, all.stderr]).toEqual([0, '']);
    expect(places(all.stdout)).toEqual([...NORTH, ...SOUTH, ...WEST]);
    const some = await run(`issued --profile west --profile south,north --format jsonl ${PAGES}`);
    expect(places(some.stdout)).toEqual([...WEST, ...SOUTH, ...NORTH]);
  });

  it.each([
    [40, 1, 1],
    [1, 40, 1],
    [1, 7, 40],
    [30, 20, 10],
  ])('come in the same order at whatever speed: %i, %i, %i', async (north, south, west) => {
    const organizations = three({ north: { turns: north }, south: { turns: south }, west: { turns: west } });
    const { stdout } = await run(`issued --all-profiles --format jsonl ${PAGES}`, { organizations });
    expect(places(stdout)).toEqual([...NORTH, ...SOUTH, ...WEST]);
  });

  const thirty = Array.from({ length: 30 }, (_, at) => `p${at}`);
  it.each([
    ['four at a time', ['a', 'b', 'c', 'd', 'e', 'f'], 1_000, ['a', 'b', 'c', 'd']],
    ['on while the first is slow', thirty, 1, thirty],
  ])('are read %s', async (_, names, turns, begun) => {
    const records = { issued: modelRecords(1) };
    const organizations = Object.fromEntries(
      names.map((name, at) => [name, { records, turns: at === 0 ? 4_000 : turns }]),
    );
    const { asked, stdout } = await runOrganizations('issued --all-profiles --format jsonl', {
      organizations,
      onRequest: ({ profile }, context) => {
        if (profile === begun.at(-1)) void laterOn(100).then(() => context.stop());
      },
    });
    expect([asked.map(({ profile }) => profile), stdout]).toEqual([begun, '']);
  });

  it('name themselves in the first column, and as the first member', async () => {
    const organizations = {
      a: { records: { issued: ['{ "id" : 1 , "net" : 1.10 }', '{}'] } },
      b: { records: { issued: ['{"id":2,"other":[1, 2]}'] } },
    };
    const told = async (flags: string): Promise<string> =>
      (await run(`issued --all-profiles ${flags}`, { organizations })).stdout;
    expect(await told('--format csv')).toBe('_profile,id,net,other\na,1,1.10,\na,,,\nb,2,,"[1,2]"\n');
    expect(await told('--delimiter tab --columns net')).toBe('_profile\tnet\na\t1.10\na\t\nb\t\n');
    expect(await told('--format csv --columns id,_profile')).toBe('id,_profile\n1,a\n,a\n2,b\n');
    expect(await told('--format json')).toBe(
      '[\n{"_profile":"a","id":1,"net":1.10},\n{"_profile":"a"},\n{"_profile":"b","id":2,"other":[1,2]}\n]\n',
    );
    expect(await told('--format table --columns id')).toMatch(/^_profile +id\n.*\na +1\n/);
  });

  it('have their own columns in *, whatever these mean elsewhere, and -name leaves out what it means in each', async () => {
    const organizations = {
      a: { records: { issued: ['{"id":1,"dueBy":"2026-11-05"}'] } },
      b: { records: { issued: ['{"id":2,"due":"2026-12-01"}'] }, settings: { 'fields.due': 'due' } },
    };
    const rows = async (columns: string): Promise<string> =>
      (await run(`issued --all-profiles --format csv --columns=${columns}`, { organizations })).stdout;
    expect(await rows('id,*')).toBe('_profile,id,dueBy,due\na,1,2026-11-05,\nb,2,,2026-12-01\n');
    expect(await rows('-due')).toBe('_profile,id\na,1\nb,2\n');
  });

  it('have one limit together, and are each asked for no more', async () => {
    const folder = temporaryFolder();
    const limited = (flags: string) =>
      run(`issued --all-profiles --limit ${flags} --format jsonl --receipt FOLDER/receipt.json`, { folder });
    const { stdout, asked } = await limited('2');
    expect(places(stdout)).toEqual(NORTH.slice(0, 2));
    expect(asked.map(({ url }) => url.searchParams.get('options_pageSize'))).toEqual(['2', '2', '2']);
    const receipt: unknown = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8'));
    const profiles = [{ records: 2 }, { records: 0 }, { records: 0 }];
    expect(receipt).toMatchObject({ records: 2, complete: true, profiles });
    for (const flags of ['6', '6 --sort id'])
      expect(places((await limited(flags)).stdout)).toEqual([...NORTH, 'south 100']);
  });

  it('work for customers, funds and the documents of a fund', async () => {
    const organizations = {
      a: { records: { customers: modelRecords(3), funds: modelRecords(2), documents: modelRecords(1) } },
      b: { records: { customers: modelRecords(1, 9), funds: [], documents: modelRecords(2, 9) } },
    };
    for (const [line, expected] of [
      ['customers --page-size 2', 'a 0,a 1,a 2,b 9'],
      ['funds list', 'a 0,a 1'],
      ['funds documents 1', 'a 0,b 9,b 10'],
    ]) {
      const { stdout } = await run(`${line} --all-profiles --format jsonl`, { organizations });
      expect(places(stdout).join()).toBe(expected);
    }
  });

  it('are filtered, limited, sorted and summed together', async () => {
    const told = async (flags: string): Promise<string> =>
      (await run(`issued --all-profiles ${PAGES} ${flags}`)).stdout;
    const kept = async (flags: string): Promise<string[]> => places(await told(`--format jsonl ${flags}`));
    expect(await kept('--where id>1 --limit 4')).toEqual([...NORTH.slice(2), 'south 100']);
    expect(await kept('--where _profile=west --limit 3')).toEqual(WEST.slice(0, 3));
    expect(await kept('--sort -id --limit 5')).toEqual([...WEST.toReversed(), 'south 102']);
    expect(await told('--group-by _profile --columns _profile,records')).toBe(
      '_profile,records\nnorth,5\nwest,4\nsouth,3\n',
    );
  });
});

describe('a profile that fails', () => {
  it.each([
    ['at once', always(status(403)), 'refuses the token'],
    ['midway', failsMidway, 'failed on'],
  ])('%s is named with its reason, leaves no record, and the others are whole', async (_, script, reason) => {
    const organizations = three({ west: { records: { issued: modelRecords(8, 200) }, script } });
    const line = `issued --profile west,north,south --format jsonl ${PAGES}`;
    const { code, stdout, stderr } = await run(line, { organizations });
    expect(code).toBe(6);
    expect(places(stdout)).toEqual([...NORTH, ...SOUTH]);
    expect(stderr).toMatch(/^folio: 1 of 3 profiles missing\nwest: api\.example\.com /);
    expect(stderr).toContain(reason);
  });

  it('in part is delivered as far as it can be had', async () => {
    const organizations = three({ south: { script: always(members({ total: '4' })) } });
    const { code, stdout, stderr } = await run('issued --all-profiles --format jsonl', { organizations });
    expect(code).toBe(6);
    expect(places(stdout)).toEqual([...NORTH, ...SOUTH, ...WEST]);
    expect(stderr).toMatch(/^folio: 1 of 3 profiles not whole\nsouth: delivered 3 records, but not all/);
  });

  it('does not hide what another could not be judged by', async () => {
    const invoice = (id: number, due: string): string => `{"id":${id},"dueBy":"${due}","amountToBePaid":5}`;
    const organizations = {
      north: { records: { issued: [invoice(1, '2025-01-01'), invoice(2, '15/10/2024')] } },
      south: { records: {}, script: always(status(403)) },
    };
    const line = 'issued --all-profiles --overdue --columns id --no-header';
    await expectPart(
      run(line, { organizations }),
      'north,1\n',
      /^warning: --overdue: 1 record was left out, .* dueBy of record 2 .*\nfolio: 1 of 2 profiles missing\nsouth: /,
    );
  });

  it('with all the others ends like the first, and leaves the old file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'out.csv'), 'old');
    const script = always(status(403));
    const north = { script: always(status(404)) };
    const organizations = three({ north, south: { script }, west: { script } });
    const failing = run('issued --all-profiles -o FOLDER/out.csv', { organizations, folder });
    await expectRefused(failing, /^folio: none of 3 profiles\nnorth: .*\nsouth: .*\nwest: /, 5);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('old');
  });

  it.each([
    ['many', 'concurrency has to be a number'],
    [1000, 'concurrency: concurrency "1000": expected a whole number, 1 to 64'],
  ])('by its broken entry in the store is named too: %j', async (concurrency, reason) => {
    const organizations = three({ south: { settings: { concurrency } } });
    const { code, stdout, stderr } = await run('issued --all-profiles --format jsonl', { organizations });
    expect([code, places(stdout)]).toEqual([6, [...NORTH, ...WEST]]);
    expect(stderr).toContain(`/store/config.json cannot be used: profiles.south.settings.${reason}`);
  });

  it('is told of in words that name it, as are its warnings', async () => {
    const errors = JSON.stringify([nobody('12')]);
    const organizations = three({ south: { script: always(members({ errors })) } });
    const line = 'issued --all-profiles --customer-fiscal-id 1-2,3-4 --format jsonl';
    const { code, stderr } = await run(line, { organizations });
    expect([code, stderr]).toEqual([0, 'warning: south: no customer has the fiscal ID 1-2\n']);
  });

  it('has no changes: what became of its earlier records is not known', async () => {
    const folder = temporaryFolder();
    expect(await run('issued --all-profiles -o FOLDER/old.jsonl', { folder })).toMatchObject({ code: 0 });
    const north = { records: { issued: modelRecords(4) } };
    const organizations = three({ north, west: { script: always(status(403)) } });
    const changes = 'issued --all-profiles --changes-since FOLDER/old.jsonl --columns _change,_profile,id';
    const { code, stdout } = await run(changes, { organizations, folder });
    expect({ code, stdout }).toEqual({ code: 6, stdout: '_change,_profile,id\ngone,north,4\n' });
  });
});

describe('a run over several profiles', () => {
  it('has no change in what is of other fiscal IDs', async () => {
    const folder = temporaryFolder();
    const issued = ['1-2', '3-4'].map((id, at) => `{"id":${at},"receiverFiscalId":"${id}"}`);
    const organizations = { north: { records: { issued } }, south: { records: { issued } } };
    const more = { organizations, folder };
    const all = 'issued --all-profiles';
    expect(await run(`${all} -o FOLDER/all.jsonl --receipt beside`, more)).toMatchObject({ code: 0 });
    const line = `${all} --from FOLDER/all.jsonl --customer-fiscal-id 1-2 --changes-since FOLDER/all.jsonl`;
    await expectAnswer(run(`${line} --no-header`, more), '');
  });

  it.each([
    ['issued --all-profiles --count', 0, '2\n'],
    ['issued --all-profiles --count --strict', 6, '2\n'],
    ['issued --all-profiles --output-dir FOLDER', 6, ''],
    ['statement --all-profiles --columns _profile,open', 0, '_profile,open\nnorth,5\nwest,5\n'],
  ])('lacks nothing where one of them has no customer of a fiscal ID: %s', async (line, code, stdout) => {
    const invoice =
      '{"id":1,"amountToBePaid":5,"dueBy":"2026-11-01","currency":"CLP","receiverFiscalId":"1-2"}';
    const errors = JSON.stringify([nobody('12')]);
    const records = { issued: [invoice] };
    const script = always(status(400, {}, `{"errors":${errors}}`));
    const organizations = { north: { records }, south: { records, script }, west: { records } };
    const found = await run(`${line} --customer-fiscal-id 1-2`, { organizations });
    expect([found.code, found.stdout]).toEqual([code, stdout]);
    expect(found.stderr).toContain('south: no customer has any of these fiscal IDs: 1-2\n');
  });

  it('reads fiscal IDs from standard input once, for all', async () => {
    const stdin = { text: '1-2\n3-4\n' };
    const { asked } = await run('issued --all-profiles --customer-fiscal-id @-', { stdin });
    const lists = asked.map(({ url }) => url.searchParams.get('customerFiscalIds'));
    expect(lists).toEqual(['1-2,3-4', '1-2,3-4', '1-2,3-4']);
  });

  it('takes the settings of each profile for its requests, and those for all for the one result', async () => {
    const settings = { format: 'jsonl', 'pageSize.issued': 3 };
    const { stdout, asked } = await run('issued --all-profiles', {
      organizations: three({ north: { settings } }),
      settings: { format: 'csv', delimiter: ';' },
    });
    expect(stdout).toMatch(/^_profile;id;number;net;party\.name\nnorth;0;/);
    const sizes = asked
      .filter(({ profile }) => profile === 'north')
      .map(({ url }) => url.searchParams.get('options_pageSize'));
    expect(sizes).toEqual(['3', '2', '3']);
  });

  it('takes a name for what it means in each, also where one has nothing in its own column of that name', async () => {
    const organizations = {
      north: { records: { issued: ['{"date":"2026-10-01"}', '{"date":""}'] } },
      south: { records: { issued: ['{"emitida":"2026-11-01"}'] }, settings: { 'fields.date': 'emitida' } },
    };
    const months = run('issued --all-profiles --group-by date:month --no-header', { organizations });
    await expectAnswer(months, '2026-10,1\n2026-11,1\n,1\n');
  });

  it('has one quota for all its retries', async () => {
    const script = always(status(500));
    const organizations = three({ north: { script }, south: { script }, west: { script } });
    const { code, asked } = await run('issued --all-profiles --retries 100', { organizations });
    expect(code).toBe(5);
    // 500 tokens at 14 a retry are 35 retries, beside the first try of each and the small page after it.
    expect(asked).toHaveLength(35 + 3 + 3);
  });

  it('stops when it is told to, and leaves the old file', async () => {
    await expectRefused(
      run(`issued --all-profiles -o FOLDER/out.csv ${PAGES}`, {
        organizations: three({ north: { turns: 30 } }),
        onRequest: ({ profile, url }, context) => {
          if (profile === 'south' && url.searchParams.get('options_page') === '1') context.stop();
        },
      }),
      'folio: stopped by SIGINT\n',
      130,
    );
  });

  it('writes one receipt with a section for each', async () => {
    const folder = temporaryFolder();
    const organizations = three({ south: { script: always(status(403)) } });
    const line = `issued --all-profiles -o FOLDER/out.csv --receipt FOLDER/receipt.json ${PAGES}`;
    expect((await run(line, { organizations, folder })).code).toBe(6);
    const receipt = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8')) as Record<string, unknown>;
    expect(receipt).toMatchObject({
      ...{ profile: null, records: 9, recordsRead: 9, total: null, complete: false },
      errors: [expect.stringContaining('1 of 3 profiles missing: south')],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(receipt['profiles']).toMatchObject([
      { profile: 'north', records: 5, total: 5, pages: 6, complete: true, errors: [] },
      { profile: 'south', records: 0, total: null, complete: false, errors: [expect.stringMatching('403')] },
      { profile: 'west', records: 4, total: 4, pages: 6, complete: true, errors: [] },
    ]);
    for (const [flags, counts] of [
      ['--where id>1', [3, 0, 4]],
      ['--where id>1 --sort -id --limit 5', [1, 0, 4]],
      ['--group-by _profile --count', [1, 0, 1]],
    ] as const) {
      const some = `issued --all-profiles ${flags} -o FOLDER/some.csv --receipt FOLDER/some.json ${PAGES}`;
      await run(some, { organizations, folder });
      const told: unknown = JSON.parse(readFileSync(join(folder, 'some.json'), 'utf8'));
      expect(told).toMatchObject({ profiles: counts.map((records) => ({ records })) });
    }
    const verify = 'verify FOLDER/out.csv --receipt FOLDER/receipt.json';
    expect((await run(verify, { folder })).code).toBe(6);
  });

  it('has in a receipt of fiscal IDs all of them, and in each section those that nobody has', async () => {
    const folder = temporaryFolder();
    const rest = '"currency":"CLP","amountToBePaid":1,"dueBy":"2026-11-01"}\n';
    const lines = ['north 1-9', 'south 2-7'].map((one) => {
      const [profile, fiscalId] = one.split(' ');
      return `{"_profile":"${profile}","customer":{"fiscalId":"${fiscalId}"},${rest}`;
    });
    writeFileSync(join(folder, 'all.jsonl'), lines.join(''));
    writeFileSync(join(folder, 'ids.txt'), '1-9\n2-7\n3-3\n');
    const only = ['--customer-fiscal-id 1-9,2-7,3-3'];
    const lacks = (...missingFiscalIds: string[]) => ({ missingFiscalIds });
    for (const [line, profiles] of [
      ['issued --profile north', [lacks('2-7', '3-3')]],
      ['statement --all-profiles', [lacks('2-7', '3-3'), lacks('1-9', '3-3')]],
    ] as const) {
      const flags =
        '--from FOLDER/all.jsonl --customer-fiscal-id @FOLDER/ids.txt --receipt FOLDER/receipt.json';
      expect(await run(`${line} ${flags}`, { folder })).toMatchObject({ code: 0 });
      const receipt: unknown = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8'));
      expect(receipt).toMatchObject({ only, profiles });
    }
  });

  it.each(['', '--where id>1', '--sort -id', '--group-by _profile --count'])(
    'has no section call complete what was read and not delivered when it was stopped: %s',
    async (questions) => {
      const folder = temporaryFolder();
      const line = `issued --all-profiles ${questions} -o FOLDER/out.csv --receipt FOLDER/receipt.json ${PAGES}`;
      const { code } = await runOrganizations(line.replaceAll('  ', ' '), {
        organizations: three({ west: { turns: 300 } }),
        folder,
        onRequest: ({ profile, url }, context) => {
          if (profile === 'west' && url.searchParams.get('options_page') === '1') context.stop();
        },
      });
      expect(code).toBe(130);
      const stopped = { records: 0, complete: false, errors: ['stopped by SIGINT'] };
      expect(JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8'))).toMatchObject({
        ...stopped,
        profiles: [
          { profile: 'north', recordsRead: 5, ...stopped },
          { profile: 'south', recordsRead: 3, ...stopped },
          { profile: 'west', ...stopped },
        ],
      });
    },
  );

  it('shows in a table on a terminal the newest of each, and says how many there are of all', async () => {
    const organizations = {
      a: { records: { issued: modelRecords(60) } },
      b: { records: { issued: modelRecords(2) } },
      c: { records: { issued: modelRecords(1_051) } },
    };
    const { code, stdout, stderr } = await run('issued --all-profiles', { organizations, terminal: true });
    expect(code).toBe(0);
    expect(stdout.match(/^│? ?[abc] /gm)?.length).toBe(102);
    expect(stderr).toBe('102 of 1,113, newest first within each profile · --all for the rest\n');
    const customersOf = async (...counts: number[]) => {
      const [a, b] = counts.map((count) => ({ records: { customers: modelRecords(count) } }));
      return run('customers --all-profiles', { organizations: { a: a!, b: b! }, terminal: true });
    };
    const first = 'the first 50 · --all for the rest\n';
    expect(await customersOf(60, 0)).toMatchObject({ code: 0, stderr: first });
    expect(await customersOf(30, 40)).toMatchObject({ code: 0, stderr: '' });
  });

  it('shows with --verbose whose request is which', async () => {
    const { stderr } = await run('issued --profile north,south -v');
    expect(stderr).toMatch(
      /^2026-11-20T12:00:00Z north: GET \/v1\/invoices\/issued\?\S+ → 200, \d+ bytes, 0 ms$/m,
    );
    expect(stderr).toMatch(/^\S+ south: GET /m);
  });
});

describe('changes since an export of several', () => {
  const columns = '--columns _change,_profile,number,field,new --format jsonl';
  const organizations = {
    north: { records: { issued: ['{"id":1,"number":10,"a":1}', '{"id":2,"number":20,"a":1}'] } },
    south: { records: { issued: ['{"id":1,"number":10,"a":2}'] } },
    west: { records: { issued: ['{"id":3,"number":10,"a":3}'] } },
  };
  const now = { ...organizations, north: { records: { issued: ['{"id":1,"number":10,"a":5}'] } } };
  const changed = [
    '{"_change":"changed","_profile":"north","number":10,"field":"a","new":5}',
    '{"_change":"gone","_profile":"north","number":20,"field":null,"new":null}',
  ];

  async function since(flags: string, from = '', more: Partial<OrganizationsRun> = {}) {
    const folder = temporaryFolder();
    const old = 'issued --all-profiles -o FOLDER/old.jsonl';
    expect(await runOrganizations(old, { organizations, folder })).toMatchObject({ code: 0 });
    await runOrganizations('issued --all-profiles -o FOLDER/new.jsonl', { organizations: now, folder });
    const line = `issued${from} --changes-since FOLDER/old.jsonl ${flags} ${columns}`;
    return runOrganizations(line, { organizations: now, folder, ...more });
  }

  it.each([
    ['--profile north,south', ''],
    ['--profile north,south', ' --from FOLDER/new.jsonl'],
    ['--profile north', ' --from FOLDER/new.jsonl'],
  ])('are those of the profiles that are asked for: %s%s', async (flags, from) => {
    const { code, stdout, stderr } = await since(flags, from);
    expect({ code, stdout: stdout.trimEnd().split('\n') }).toEqual({ code: 0, stdout: changed });
    expect(stderr).toMatch(
      /^warning: .*old\.jsonl has records of (?:south, )?west, too, whose listings are not read, so they /,
    );
  });

  it('pair no two records of different profiles, whatever key.issued names', async () => {
    const settings = { 'key.issued': 'number' };
    const { stdout, stderr } = await since('--all-profiles', '', { settings });
    expect({ stdout: stdout.trimEnd().split('\n'), stderr }).toEqual({ stdout: changed, stderr: '' });
  });

  it('cannot be told where two of the profiles are known by different columns', async () => {
    const north = { ...now.north, settings: { 'key.issued': 'number,date' } };
    const other = since('--all-profiles', '', { organizations: { ...now, north } });
    await expectRefused(other, 'tell records apart by different columns (number, date; id)');
  });

  it('cannot be told of a listing whose records do not say whose they are', async () => {
    const says = (names: string): string =>
      `its records are of ${names}, and those of the listing do not say`;
    await expectRefused(since('--profile north'), says('north, south, west'));
    const folder = temporaryFolder();
    const told = (line: string) => runOrganizations(line, { organizations, folder });
    const file = 'FOLDER/all.jsonl -o FOLDER/north.jsonl';
    await expectAnswer(told('issued --all-profiles -o FOLDER/all.jsonl'), '');
    await expectAnswer(told(`issued --from ${file} --profile north --receipt beside`), '');
    await expectRefused(told('issued --profile north --changes-since FOLDER/north.jsonl'), says('north'));
    await expectAnswer(told('issued --from FOLDER/north.jsonl --profile north --count'), '2\n');
    await expectAnswer(told('verify FOLDER/north.jsonl'), /^north issued: /);
  });
});

describe('a member that is called as one of folio’s own', () => {
  it('leaves as \\_profile, and no question takes it for the profile', async () => {
    const records = {
      issued: ['{"id":1,"_profile":"south","a":1}', '{"id":2, "\\u005fprofile" :{"b":"_profile"}}'],
    };
    const organizations = { north: { records }, south: { records: { issued: [] } } };
    const told = async (flags: string): Promise<string> =>
      (await run(`issued --all-profiles ${flags}`, { organizations })).stdout;
    expect(await told('--format jsonl')).toBe(
      '{"_profile":"north","id":1,"\\\\_profile":"south","a":1}\n' +
        '{"_profile":"north","id":2,"\\\\_profile":{"b":"_profile"}}\n',
    );
    expect(await told('--group-by _profile --count --no-header')).toBe('north,2\n');
    expect(await told('--where _profile=south --count')).toBe('0\n');
  });

  it.each(['jsonl', 'json'])('is no profile in an export of one organization: %s', async (ending) => {
    const folder = temporaryFolder();
    const records = { issued: ['{"id":1,"_profile":"south","a":1}', '{"id":2,"_profile":"west","a":2}'] };
    const organizations = { north: { records }, south: { records: { issued: modelRecords(2) } } };
    const told = async (line: string): Promise<string> => {
      const { code, stdout, stderr } = await run(line, { organizations, folder });
      return code + stdout + stderr;
    };
    const file = `FOLDER/one.${ending}`;
    await told(`issued --profile north -o ${file} --receipt ${file}.receipt.json`);
    expect(await told(`issued --from ${file} --format jsonl`)).toBe(`0${records.issued.join('\n')}\n`);
    expect(await told(`issued --from ${file} --where _profile=west --columns id --no-header`)).toBe('02\n');
    expect(await told(`issued --from ${file} --profile south`)).toMatch(
      /^2folio: .*does not say of which profiles its records are/,
    );
    const group = `FOLDER/group.${ending}`;
    await told(`issued --all-profiles -o ${group} --receipt ${group}.receipt.json`);
    expect(await told(`issued --from ${group} --profile south --count`)).toBe('02\n');
  });
});
