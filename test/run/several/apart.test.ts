import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, where, status } from '../../support/faults.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations, type Organization } from '../../support/run-model.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer } from '../../support/expect-exit.ts';

function two(south: Partial<Organization> = {}): Record<string, Organization> {
  return {
    north: { records: { issued: modelRecords(3) } },
    south: { records: { issued: modelRecords(4, 100) }, ...south },
  };
}

const LINE = 'issued --all-profiles --page-size 2 --retries 0';

describe('--output-dir', () => {
  it('writes for each profile what it gives by itself, into a folder that is made', async () => {
    const folder = temporaryFolder();
    const organizations = two();
    await expectAnswer(runOrganizations(`${LINE} --output-dir FOLDER/a/b`, { organizations, folder }), '');
    expect(readdirSync(join(folder, 'a/b'))).toEqual(['north.issued.csv', 'south.issued.csv']);
    for (const name of ['north', 'south']) {
      await runOrganizations(`issued --profile ${name} -o FOLDER/alone.csv`, { organizations, folder });
      const [apart, alone] = [`a/b/${name}.issued.csv`, 'alone.csv'].map((file) =>
        readFileSync(join(folder, file)),
      );
      expect(apart).toEqual(alone);
    }
  });

  it.each(['issued', 'statement --all'])(
    'leaves no folder where %s writes nothing into it',
    async (asked) => {
      const folder = temporaryFolder();
      const failing = { records: { issued: modelRecords(8) }, script: where(() => true, status(500)) };
      const { code } = await runOrganizations(`${asked} --all-profiles --retries 0 --output-dir FOLDER/a/b`, {
        organizations: { north: failing, south: failing },
        folder,
      });
      expect([code, readdirSync(folder)]).toEqual([5, []]);
    },
  );

  it('takes the format of the flag, else of the profile, else csv', async () => {
    const folder = temporaryFolder();
    const organizations = two({ settings: { format: 'jsonl' } });
    await runOrganizations(`${LINE} --output-dir FOLDER`, { organizations, folder });
    await runOrganizations(`${LINE} --output-dir FOLDER --format json`, { organizations, folder });
    await runOrganizations(`${LINE} --output-dir FOLDER --format table`, { organizations, folder });
    expect(readdirSync(folder).sort()).toEqual(
      ['north', 'south'].flatMap((name) => [
        ...(name === 'north' ? [`${name}.issued.csv`] : []),
        `${name}.issued.json`,
        ...(name === 'south' ? [`${name}.issued.jsonl`] : []),
        `${name}.issued.txt`,
      ]),
    );
  });

  it.each([
    ['at once', always(status(403))],
    ['midway', where(({ records: [first] }) => first?.includes('"id":102') ?? false, status(500))],
  ])('leaves the old file of one that fails %s, and writes the others', async (_, script) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'north.issued.csv'), 'old');
    writeFileSync(join(folder, 'south.issued.csv'), 'old');
    utimesSync(join(folder, 'south.issued.csv'), new Date(), new Date(Date.UTC(2026, 10, 19, 6, 30)));
    const { code, stderr } = await runOrganizations(`${LINE} --output-dir FOLDER`, {
      organizations: two({ script }),
      folder,
    });
    expect(code).toBe(6);
    expect(stderr).toMatch(
      /^folio: 1 of 2 profiles missing\nsouth: .*\nsouth: \S+south\.issued\.csv stays as it was, of 2026-11-19 06:30\ndelivered: north\n {2}/,
    );
    expect(readFileSync(join(folder, 'north.issued.csv'), 'utf8')).toMatch(/^id,number/);
    expect(readFileSync(join(folder, 'south.issued.csv'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['north.issued.csv', 'south.issued.csv']);
  });

  it('ends like the first when all fail', async () => {
    const script = always(status(403));
    const organizations = { north: { records: {}, script }, south: { records: {}, script } };
    const { code } = await runOrganizations(`${LINE} --output-dir FOLDER`, { organizations });
    expect(code).toBe(3);
  });

  it('has a file for each listing', async () => {
    const folder = temporaryFolder();
    const organizations = { north: { records: { issued: modelRecords(3), received: modelRecords(2, 50) } } };
    await runOrganizations('issued --all-profiles --output-dir FOLDER', { organizations, folder });
    await runOrganizations('received --all-profiles --output-dir FOLDER', { organizations, folder });
    const aging = ['--sandbox', 'aging', '--profile', 'one', '--output-dir', folder];
    expect(await runHere(aging)).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(['north.issued.csv', 'north.received.csv', 'one.aging-issued.csv']);
    expect(readFileSync(join(folder, 'north.issued.csv'), 'utf8').split('\n')).toHaveLength(5);
  });

  it('goes for one profile as well', async () => {
    const folder = temporaryFolder();
    const { code } = await runOrganizations('issued --profile south --output-dir FOLDER', {
      organizations: two(),
      folder,
    });
    expect([code, readdirSync(folder)]).toEqual([0, ['south.issued.csv']]);
  });

  it('asks nobody where there can be no such folder', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr, asked } = await runOrganizations(`${LINE} --output-dir FOLDER/file`, {
      organizations: two(),
      folder,
    });
    expect([code, asked]).toEqual([1, []]);
    expect(stderr).toMatch(/^folio: cannot write .*file/);
  });

  it('keeps from its file one whose receipt cannot be written, before it is asked, and no other', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'south.issued.csv.receipt.json'));
    const line = `${LINE} --output-dir FOLDER --receipt beside`;
    const { code, stderr, asked } = await runOrganizations(line, { organizations: two(), folder });
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/^folio: 1 of 2 profiles missing\nsouth: cannot write /),
    ]);
    expect(asked.every(({ profile }) => profile === 'north')).toBe(true);
    expect(existsSync(join(folder, 'south.issued.csv'))).toBe(false);
  });

  it('has in each receipt what its own records lack', async () => {
    const folder = temporaryFolder();
    const due = (id: number, dueBy: string | null): string =>
      JSON.stringify({ id, dueBy, currency: 'CLP', amountToBePaid: 1 });
    const organizations = {
      north: { records: { issued: [due(1, null), due(2, '2020-01-01')] } },
      south: { records: { issued: [due(3, '2020-01-01')] } },
    };
    const line = 'issued --overdue --all-profiles --output-dir FOLDER --receipt beside';
    expect(await runOrganizations(line, { organizations, folder })).toMatchObject({ code: 0 });
    const missing = ['north', 'south'].map((name) => {
      const receipt = readFileSync(join(folder, `${name}.issued.csv.receipt.json`), 'utf8');
      return (JSON.parse(receipt) as { missing: { due: number } }).missing.due;
    });
    expect(missing).toEqual([1, 0]);
  });

  it('has a receipt beside each report', async () => {
    const folder = temporaryFolder();
    const sandbox = ['--sandbox', '--all-profiles', '--output-dir', folder, '--receipt', 'beside'];
    expect(await runHere(['report', ...sandbox])).toMatchObject({ code: 0 });
    const { code, stdout } = await runHere(['verify', folder, '--max-age', '1h']);
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(
      /^one report: \S+one.report.html: .*\ntwo report: \S+two.report.html: .*\n$/,
    );
  });

  it('has a receipt beside each file, also where an organization failed, and a run of some leaves those of the others', async () => {
    const folder = temporaryFolder();
    const organizations = two({ script: always(status(503)) });
    const run = (line: string, all = organizations) => runOrganizations(line, { organizations: all, folder });
    const receipts = (): readonly Record<string, unknown>[] =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.receipt.json'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>);
    const line = `${LINE} --output-dir FOLDER --receipt beside`;
    expect(await run(line)).toMatchObject({ code: 6 });
    const output = (name: string): object => ({
      profile: name,
      resource: 'issued',
      output: join(folder, `${name}.issued.csv`),
      file: `${name}.issued.csv`,
    });
    expect(receipts()).toMatchObject([
      { ...output('north'), records: 3, complete: true, errors: [] },
      { ...output('south'), records: 0, sha256: null, complete: false, errors: [expect.any(String)] },
    ]);
    const verified = await run('verify FOLDER --max-age 1h');
    expect([verified.code, verified.stdout, verified.stderr]).toEqual([
      6,
      expect.stringMatching(/^north issued: \S+: as delivered at .*\n$/),
      expect.stringMatching(
        /^folio: 1 of 2 files is not in order\nsouth issued: not delivered \(.*\)\n {2}Try again later\. Then run it again: [^\n]*\n$/,
      ),
    ]);
    const { code, stdout, stderr } = await run('verify -q FOLDER --max-age 1h');
    expect([code, stdout, stderr]).toEqual([6, '', verified.stderr]);
    // What folio itself advises.
    expect(await run(line.replace('--all-profiles', '--profile south'), two())).toMatchObject({ code: 0 });
    await expectAnswer(run('verify -q FOLDER'), '');
    rmSync(join(folder, 'north.issued.csv'));
    expect(await run('verify -q FOLDER')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('north issued: '),
    });
  });
});
