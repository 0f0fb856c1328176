import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processTable } from '../../src/output/files/processes.ts';
import { openStore } from '../../src/profiles/store.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { UsageError } from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { runProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { signal } = new AbortController();
const processes = processTable(process);

function open(folder: string, uid = process.getuid?.()): Promise<ConfigStore> {
  return openStore({ env: { FOLIO_CONFIG_DIR: folder }, clock: new FakeClock(), processes, signal, uid });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

const setFormat = (format: string) => (document: { settings: Record<string, unknown> }) => {
  document.settings['format'] = format;
};

describe.skipIf(process.platform === 'win32')('the store on disk', () => {
  it('creates nothing before something is to be kept', async () => {
    const folder = join(temporaryFolder(), 'folio');
    const store = await open(folder);
    expect([store.profileNames, store.currentProfile, store.settings()]).toEqual([[], undefined, {}]);
    expect(existsSync(folder)).toBe(false);
  });

  it('says the chmod line so that a shell takes it, whatever the folder is called', async () => {
    const folder = join(temporaryFolder(), "Ann's files; $(x)");
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, 'config.json');
    writeFileSync(file, '{}', { mode: 0o644 });
    const error = (await open(folder).catch((thrown: unknown) => thrown)) as UsageError;
    runProgram('sh', ['-c', /`(.*)`/.exec(error.hint!)![1]!]);
    await expect(open(folder)).resolves.toMatchObject({ file });
  });

  it('refuses what another user owns', async () => {
    const folder = temporaryFolder();
    await (await open(folder)).update(setFormat('csv'));
    await expect(open(folder, 54_321)).rejects.toThrow(/belongs to another user \(uid \d+\)/);
    await expect((await open(join(folder, 'new'), 54_321)).update(setFormat('csv'))).rejects.toThrow(
      /belongs to another/,
    );
  });

  it('makes an empty folder of ours private, and leaves one that is in use alone', async () => {
    const empty = temporaryFolder();
    chmodSync(empty, 0o755);
    await (await open(empty)).update(setFormat('csv'));
    expect(modeOf(empty)).toBe('700');

    const used = temporaryFolder();
    writeFileSync(join(used, 'notes.txt'), '');
    chmodSync(used, 0o755);
    await expect((await open(used)).update(setFormat('csv'))).rejects.toMatchObject({
      hint: `Run \`chmod 700 ${used}\`.`,
    });
    expect([modeOf(used), readdirSync(used)]).toEqual(['755', ['notes.txt']]);
  });

  it('keeps a symbolic link to the file and writes what is behind it', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const real = join(elsewhere, 'folio.json');
    writeFileSync(real, '{"settings":{"timeout":9}}', { mode: 0o600 });
    symlinkSync(real, join(folder, 'config.json'));
    const store = await open(folder);
    await store.update(setFormat('csv'));
    expect(lstatSync(join(folder, 'config.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toMatchObject({ settings: { timeout: 9, format: 'csv' } });
    expect([modeOf(real), readdirSync(elsewhere)]).toEqual(['600', ['folio.json']]);
  });

  it('looks at the file behind a link, not at the link', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(elsewhere, 'open.json'), '{}', { mode: 0o644 });
    symlinkSync(join(elsewhere, 'open.json'), join(folder, 'config.json'));
    await expect(open(folder)).rejects.toThrow(/open to other users \(mode 0644\)/);
  });

  it('does not wait for a pipe that lies in the place of the file', async () => {
    const folder = temporaryFolder();
    runProgram('mkfifo', ['-m', '600', join(folder, 'config.json')]);
    await expect(open(folder)).rejects.toThrow(/it is not a file/);
  });

  it('refuses a folder in the place of the file', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config.json'), { mode: 0o700 });
    await expect(open(folder)).rejects.toThrow(/it is not a file/);
  });

  it('says what the disk says when it cannot write', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const store = await open(join(folder, 'file', 'folio'));
    await expect(store.update(setFormat('csv'))).rejects.toMatchObject({
      name: 'OutputError',
      message: expect.stringMatching(/cannot be written: not a directory \(ENOTDIR\)$/) as string,
    });
  });
});
