import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefused } from '../../support/expect-exit.ts';
import { always, where, status } from '../../support/faults.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations, type Organization } from '../../support/run-model.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Two organizations, the second with what a test says; a folder; and command lines in which FOLDER stands for it. */
function two(south: Partial<Organization> = {}, north: Partial<Organization> = {}) {
  const folder = temporaryFolder();
  const organizations: Record<string, Organization> = {
    north: { records: { issued: modelRecords(3) }, ...north },
    south: { records: { issued: modelRecords(4, 100) }, ...south },
  };
  return {
    folder,
    run: (line: string, all = organizations) => runOrganizations(line, { organizations: all, folder }),
    files: (below = ''): string[] => readdirSync(join(folder, below)).toSorted(),
    read: (name: string): string => readFileSync(join(folder, name), 'utf8'),
  };
}

const LINE = 'issued --all-profiles --page-size 2 --retries 0';
const APART = `${LINE} --output-dir FOLDER`;

describe('--output-dir', () => {
  it('writes for each profile what it gives by itself, into a folder that is made', async () => {
    const { run, files, read } = two();
    expect(await run(`${LINE} --output-dir FOLDER/a/b`)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(files('a/b')).toEqual(['north.issued.csv', 'south.issued.csv']);
    for (const name of ['north', 'south']) {
      await run(`issued --profile ${name} -o FOLDER/alone.csv`);
      expect(read(`a/b/${name}.issued.csv`)).toBe(read('alone.csv'));
    }
  });

  const LINES = ['issued', 'statement --all'];
  it.each(LINES)('leaves no folder where %s writes nothing into it', async (command) => {
    const failing = { records: { issued: modelRecords(8) }, script: where(() => true, status(500)) };
    const { run, files } = two(failing, failing);
    const { code } = await run(`${command} --all-profiles --retries 0 --output-dir FOLDER/a/b`);
    expect([code, files()]).toEqual([5, []]);
  });

  it('takes the format of the flag, else of the profile, else csv', async () => {
    const { run, files } = two({ settings: { format: 'jsonl' } });
    for (const format of ['', ' --format json', ' --format table']) await run(APART + format);
    const endings = (name: string, ...all: string[]): string[] => all.map((one) => `${name}.issued.${one}`);
    const south = endings('south', 'json', 'jsonl', 'txt');
    expect(files()).toEqual([...endings('north', 'csv', 'json', 'txt'), ...south]);
  });

  it.each([
    ['at once', always(status(403))],
    ['midway', where(({ records: [first] }) => first?.includes('"id":102') ?? false, status(500))],
  ])('leaves the old file of one that fails %s, and writes the others', async (_, script) => {
    const { run, files, read, folder } = two({ script });
    const south = join(folder, 'south.issued.csv');
    for (const file of [south, join(folder, 'north.issued.csv')]) writeFileSync(file, 'old');
    utimesSync(south, new Date(), new Date(Date.UTC(2026, 10, 19, 6, 30)));
    await expectRefused(
      run(APART),
      /^folio: 1 of 2 profiles missing\nsouth: .*\nsouth: \S+south\.issued\.csv stays as it was, of 2026-11-19 06:30\ndelivered: north\n {2}/,
      6,
    );
    expect(read('north.issued.csv')).toMatch(/^id,number/);
    expect([files(), read('south.issued.csv')]).toEqual([['north.issued.csv', 'south.issued.csv'], 'old']);
  });

  it('ends like the first when all fail', async () => {
    const script = always(status(403));
    expect(await two({ script }, { script }).run(APART)).toMatchObject({ code: 3 });
  });

  it('has a file for each listing, and leaves another file alone', async () => {
    const { run, files, read, folder } = two({ records: { issued: [], received: modelRecords(2, 50) } });
    writeFileSync(join(folder, 'north.csv'), 'old');
    await run('issued --profile north --output-dir FOLDER');
    await run('received --profile south --output-dir FOLDER');
    const aging = ['--sandbox', 'aging', '--profile', 'one', '--output-dir', folder];
    expect(await runHere(aging)).toMatchObject({ code: 0 });
    const all = 'north.csv north.issued.csv one.aging-issued.csv south.received.csv';
    expect(files().join(' ')).toBe(all);
    expect(read('north.csv')).toBe('old');
    expect(read('north.issued.csv').split('\n')).toHaveLength(5);
  });

  it('sends nothing where there can be no such folder', async () => {
    const { run, folder } = two();
    writeFileSync(join(folder, 'file'), '');
    const exit = await run(`${APART}/file`);
    expect(exit).toMatchObject({ code: 1, stderr: expect.stringMatching(/^folio: cannot write .*file/) });
    expect(exit.asked).toEqual([]);
  });

  it('keeps from its file one whose receipt cannot be written, before its first request, and no other', async () => {
    const { run, files, folder } = two();
    mkdirSync(join(folder, 'south.issued.csv.receipt.json'));
    const { code, stderr, asked } = await run(`${APART} --receipt beside`);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^folio: 1 of 2 profiles missing\nsouth: cannot write /);
    expect(asked.every(({ profile }) => profile === 'north')).toBe(true);
    expect(files()).not.toContain('south.issued.csv');
  });

  it('has in each receipt what its own records lack', async () => {
    const due = (id: number, dueBy: string | null): string =>
      JSON.stringify({ id, dueBy, currency: 'CLP', amountToBePaid: 1 });
    const north = { records: { issued: [due(1, null), due(2, '2020-01-01')] } };
    const { run, read } = two({ records: { issued: [due(3, '2020-01-01')] } }, north);
    const line = 'issued --overdue --all-profiles --output-dir FOLDER --receipt beside';
    expect(await run(line)).toMatchObject({ code: 0 });
    const missing = ['north', 'south'].map((name) => {
      const receipt = JSON.parse(read(`${name}.issued.csv.receipt.json`)) as { missing: { due: number } };
      return receipt.missing.due;
    });
    expect(missing).toEqual([1, 0]);
  });

  it('has a receipt beside each report', async () => {
    const folder = temporaryFolder();
    const sandbox = ['--sandbox', '--all-profiles', '--output-dir', folder, '--receipt', 'beside'];
    expect(await runHere(['report', ...sandbox])).toMatchObject({ code: 0 });
    const { code, stdout } = await runHere(['verify', folder, '--max-age', '1h']);
    expect([code, String(stdout)]).toEqual([
      0,
      expect.stringMatching(/^one report: \S+one.report.html: .*\ntwo report: \S+two.report.html: .*\n$/),
    ]);
  });

  it('has a receipt beside each file, also where an organization failed, and a run of some leaves those of the others', async () => {
    const { run, files, read, folder } = two({ script: always(status(503)) });
    const line = `${APART} --receipt beside`;
    expect(await run(line)).toMatchObject({ code: 6 });
    const receipts = files().filter((name) => name.endsWith('.receipt.json'));
    const output = (profile: string): object => {
      const file = `${profile}.issued.csv`;
      return { profile, resource: 'issued', output: join(folder, file), file };
    };
    expect(receipts.map((name) => JSON.parse(read(name)) as object)).toMatchObject([
      { ...output('north'), records: 3, complete: true, errors: [] },
      { ...output('south'), records: 0, sha256: null, complete: false, errors: [expect.any(String)] },
    ]);
    const verified = await run('verify FOLDER --max-age 1h');
    expect(verified.code).toBe(6);
    expect(verified.stdout).toMatch(/^north issued: \S+: as delivered at .*\n$/);
    expect(verified.stderr).toMatch(
      /^folio: 1 of 2 files is not in order\nsouth issued: not delivered \(.*\)\n {2}Try again later\. Then run it again: [^\n]*\n$/,
    );
    await expectRefused(run('verify -q FOLDER --max-age 1h'), verified.stderr, 6);
    // What folio itself advises.
    const south = { south: { records: { issued: modelRecords(4, 100) } } };
    expect(await run(line.replace('--all-profiles', '--profile south'), south)).toMatchObject({ code: 0 });
    expect(await run('verify -q FOLDER')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    rmSync(join(folder, 'north.issued.csv'));
    await expectRefused(run('verify -q FOLDER'), 'north issued: ', 6);
  });
});
