import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

const organizations = {
  north: { records: { issued: modelRecords(3) } },
  south: { records: { issued: modelRecords(5, 100) } },
  west: { records: { issued: modelRecords(7, 200) } },
};

/** A database and exports of north and south, and an export of north by itself. */
async function place(): Promise<string> {
  const folder = temporaryFolder();
  for (const line of [
    'sync FOLDER/group issued --profile north,south',
    'issued --profile north,south -o FOLDER/group.jsonl',
    'issued --profile north,south -o FOLDER/group.json',
    'issued --profile north -o FOLDER/one.jsonl',
  ])
    expect(await runOrganizations(line, { organizations, folder })).toMatchObject({ code: 0 });
  return folder;
}

/** Runs where nothing chooses, or where FOLIO_PROFILE does. */
async function run(folder: string, line: string, profile?: string) {
  const { code, stdout, stderr, asked } = await runOrganizations(line, {
    organizations,
    folder,
    ...(profile !== undefined && { env: { FOLIO_PROFILE: profile } }),
  });
  expect(asked).toEqual([]);
  return { code, stdout, stderr };
}

describe('whose records are read from a source of several', () => {
  it('is chosen as with the service, whatever the source', async () => {
    const folder = await place();
    for (const name of ['group', 'group.jsonl', 'group.json']) {
      const count = (flags: string, profile?: string) =>
        run(folder, `issued --from FOLDER/${name} --count${flags}`, profile);
      expect(await count('', 'south')).toEqual({ code: 0, stdout: '5\n', stderr: '' });
      expect(await count(' --profile north', 'south')).toEqual({ code: 0, stdout: '3\n', stderr: '' });
      expect(await count(' --all-profiles', 'south')).toEqual({ code: 0, stdout: '8\n', stderr: '' });
      expect(await count(' --profile south,north')).toEqual({ code: 0, stdout: '8\n', stderr: '' });
      expect(await count('')).toEqual({
        code: 0,
        stdout: '8\n',
        stderr:
          'warning: the figures are of north, south together; --profile names whose are meant, --all-profiles says that all are\n',
      });
      expect((await count(' --group-by _profile')).stderr).toBe('');
      const hint = '  There are those of north, south. Name some with --profile, or take --all-profiles.\n';
      const lacks = `folio: ${folder}/${name}: there are no records of a profile west`;
      expect(await count('', 'west')).toEqual({
        code: 2,
        stdout: '',
        stderr: `${lacks}, which FOLIO_PROFILE names\n${hint}`,
      });
      expect(await count(' --profile north,west')).toEqual({
        code: 2,
        stdout: '',
        stderr: `${lacks}\n${hint}`,
      });
      expect(await count(' --profile north --all-profiles')).toMatchObject({ code: 2 });
      const report = `report --from issued=FOLDER/${name} --format json`;
      await expectRefused(
        run(folder, name === 'group' ? report.replace('issued=', '') : report, 'west'),
        'there are no records of a profile west',
      );
    }
  });

  it('gives an export of several the flags that are for each of them', async () => {
    const folder = await place();
    const each = await run(
      folder,
      'issued --from FOLDER/group.json --all-profiles --limit 1 --columns _profile,id',
    );
    expect(each).toEqual({ code: 0, stdout: '_profile,id\nnorth,0\n', stderr: '' });
    const apart = await run(
      folder,
      'issued --from FOLDER/group.jsonl --all-profiles --format jsonl --output-dir FOLDER/out',
    );
    expect(apart).toEqual({ code: 0, stdout: '', stderr: '' });
    const lines = readFileSync(join(folder, 'group.jsonl'), 'utf8').trimEnd().split('\n');
    // Mixed, those of each come together all the same, in their order.
    writeFileSync(
      join(folder, 'mixed.jsonl'),
      `${[0, 3, 4, 1, 5, 6, 2, 7].map((at) => lines[at]).join('\n')}\n`,
    );
    expect(await run(folder, 'issued --from FOLDER/mixed.jsonl --all-profiles --format jsonl')).toEqual({
      code: 0,
      stdout: `${lines.join('\n')}\n`,
      stderr: '',
    });
    expect(await run(folder, 'issued --from FOLDER/out/south.issued.jsonl --count --profile south')).toEqual({
      code: 0,
      stdout: '5\n',
      stderr: '',
    });
  });

  it('is nobody’s choice where the records do not say whose they are', async () => {
    const folder = await place();
    const says = 'one.jsonl does not say of which profiles its records are';
    for (const flags of ['--profile north', '--profile north,south', '--all-profiles'])
      await expectRefused(run(folder, `issued --from FOLDER/one.jsonl --count ${flags}`), says);
    await expectAnswer(run(folder, 'issued --from FOLDER/one.jsonl --count', 'west'), '3\n');
    writeFileSync(join(folder, 'none.jsonl'), '');
    await expectAnswer(run(folder, 'issued --from FOLDER/none.jsonl --all-profiles --count'), '0\n');
  });
});

describe('two profiles of one organization', () => {
  const records = { issued: modelRecords(3) };
  const same = {
    south: { records, organization: 'acme' },
    west: { records: { issued: modelRecords(2, 50) }, organization: 'other' },
    north: { records, organization: 'acme' },
  };

  it('are one: --all-profiles reads the first by name, and says so', async () => {
    await expectAnswer(
      runOrganizations('issued --all-profiles --count', { organizations: same }),
      '5\n',
      'warning: the profiles north and south are of one organization; south is left out\n',
    );
  });

  it('are refused where both are named', async () => {
    for (const line of [
      'issued --profile south,north --count',
      'report --profile north,south --format json',
    ]) {
      const { code, stderr, asked } = await runOrganizations(line, { organizations: same });
      expect([code, asked]).toEqual([2, []]);
      expect(stderr).toContain(
        'the profiles north and south are of one organization, whose records would come twice',
      );
    }
  });

  it('are refused of a database that has rows of both', async () => {
    const folder = temporaryFolder();
    for (const name of ['south', 'north', 'west'])
      expect(
        await runOrganizations(`sync FOLDER/books issued --profile ${name}`, { organizations: same, folder }),
      ).toMatchObject({ code: 0 });
    const from = (flags: string) =>
      runOrganizations(`issued --from FOLDER/books --count ${flags}`, { organizations: same, folder });
    await expectRefused(
      from('--all-profiles'),
      `folio: ${folder}/books: the profiles north and south are of one organization, whose records would come twice\n` +
        '  Leave out south: name the others with --profile.\n',
    );
    await expectAnswer(from('--profile west,south'), '5\n');
  });
});
