import {
  readFileSync,
  writeFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError, Interrupted } from '../../src/errors.ts';
import { lockTarget } from '../../src/output/files/lock.ts';
import { processTable } from '../../src/process-context.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { openStore, storeFile } from '../../src/profiles/store.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { runProgram } from '../support/programs.ts';
import { runFolio } from '../support/run-folio.ts';
import { modeOf, temporaryFolder } from '../support/temporary-folder.ts';

const processes = processTable(process);

/** The store in the folder, as its owner opens it unless the options say otherwise. */
function open(folder: string, options: { signal?: AbortSignal; clock?: FakeClock; uid?: number } = {}) {
  const { signal = new AbortController().signal, clock = new FakeClock() } = options;
  const uid = options.uid ?? process.getuid?.();
  return openStore({ env: { FOLIO_CONFIG_DIR: folder }, clock, processes, signal, uid });
}

function openWith(content: string | Uint8Array): { file: string; store: Promise<ConfigStore> } {
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, content, { mode: 0o600 });
  return { file, store: open(folder) };
}

describe('a broken store', () => {
  it.each([
    ['', 'it is not JSON'],
    ['{"profiles": {"acme": {"token": "eyJ-secret"} "x"', 'it is not JSON'],
    ['['.repeat(1_000_000), 'it is not JSON'],
    ['[]', 'it has to be a JSON object'],
    ['null', 'it has to be a JSON object'],
    ['"eyJ-secret"', 'it has to be a JSON object'],
    ['{"currentProfile": 1}', 'currentProfile has to be a string'],
    ['{"profiles": []}', 'profiles has to be an object'],
    ['{"settings": "eyJ-secret"}', 'settings has to be an object'],
    ['{"profiles": {"acme": "eyJ-secret"}}', 'profiles.acme has to be an object'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8 text'],
  ])('is named with the reason and left as it is: %.60s', async (content, reason) => {
    const { file, store } = openWith(content);
    const error = await store.catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      name: 'UsageError',
      message: `the configuration ${file} cannot be used: ${reason}`,
    });
    // The runtime's own error would quote the file.
    expect((error as Error).cause).toBeUndefined();
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  it('is not written over either when it broke after it was read', async () => {
    const { file, store: opening } = openWith('{}');
    const store = await opening;
    writeFileSync(file, '{"half":');
    await expect(store.update(() => {})).rejects.toThrow(/it is not JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{"half":');
  });

  it.each([
    ['{"token": 5}', 'profiles.acme.token has to be a string'],
    ['{"baseUrl": ["https://api.example.com"]}', 'profiles.acme.baseUrl has to be a string'],
    ['{"tokenCommand": "op read"}', 'profiles.acme.tokenCommand: expected a list of strings, the program'],
    ['{"tokenCommand": ["bin/op"]}', 'profiles.acme.tokenCommand: the program must be a name on the PATH or'],
    ['{"token": "a", "tokenCommand": ["op"]}', 'profiles.acme has both a token and a tokenCommand'],
    ['{"token": "has space"}', 'profiles.acme.token) has a space at character 4 of 9'],
  ])('stops only the profile that is wrong: %s', async (entry, reason) => {
    const { store: opening } = openWith(`{"profiles":{"acme":${entry},"beta":{"token":"fine"}}}`);
    const store = await opening;
    expect(() => store.profile('acme')).toThrow(reason);
    expect(store.profile('beta')?.token?.reveal()).toBe('fine');
  });

  it('says of settings that are none whose they are', async () => {
    const { store } = openWith('{"profiles":{"acme":{"settings":[]}}}');
    const opened = await store;
    expect(() => opened.settings('acme')).toThrow('profiles.acme.settings has to be an object');
  });
});

describe('an update', () => {
  it('reads a file with a byte order mark', async () => {
    const { store } = openWith('\uFEFF{"currentProfile":"acme"}');
    expect((await store).currentProfile).toBe('acme');
  });

  it('writes nothing when the change throws', async () => {
    const { file, store } = openWith('{}');
    const fail = (): never => {
      throw new TypeError('no');
    };
    await expect((await store).update(fail)).rejects.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});

const accountHome = (): string => '/account';
const noHome = (): string => {
  throw new Error('uv_os_homedir returned ENOENT');
};

describe('storeFile', () => {
  it.each([
    ['linux', { HOME: '/home/ann' }, '/home/ann/.config/folio/config.json'],
    ['linux', { HOME: '/home/ann', XDG_CONFIG_HOME: '/xdg' }, '/xdg/folio/config.json'],
    ['linux', { HOME: '/home/ann', XDG_CONFIG_HOME: '' }, '/home/ann/.config/folio/config.json'],
    ['linux', { HOME: '/home/ann', XDG_CONFIG_HOME: 'here' }, '/home/ann/.config/folio/config.json'],
    ['linux', { HOME: '/home/ann', FOLIO_CONFIG_DIR: '/own' }, '/own/config.json'],
    ['linux', { HOME: '/home/ann', FOLIO_CONFIG_DIR: '' }, '/home/ann/.config/folio/config.json'],
    ['linux', {}, '/account/.config/folio/config.json'],
    ['linux', { HOME: '' }, '/account/.config/folio/config.json'],
    ['darwin', { HOME: '/Users/ann' }, '/Users/ann/Library/Preferences/folio/config.json'],
    ['darwin', { HOME: '/Users/ann', XDG_CONFIG_HOME: '/xdg' }, '/xdg/folio/config.json'],
    ['win32', { APPDATA: 'C:\\Data' }, 'C:\\Data\\folio\\Config\\config.json'],
    ['win32', { USERPROFILE: 'C:\\ann' }, 'C:\\ann\\AppData\\Roaming\\folio\\Config\\config.json'],
  ])('is, on %s with %j, %s', (platform, env, expected) => {
    expect(storeFile(env, { platform, homedir: accountHome })).toBe(expected);
  });

  it('takes FOLIO_CONFIG_DIR from the working folder when it is relative, because it was said', () => {
    const env = { FOLIO_CONFIG_DIR: 'conf' };
    expect(storeFile(env, { platform: 'linux', homedir: noHome })).toBe(resolve('conf', 'config.json'));
  });

  it.each([
    ['an account without a home', {}, noHome],
    ['an empty home', {}, () => ''],
    ['a relative home, which would be the working folder', { HOME: '.' }, noHome],
  ])('is undefined for %s', (_case, env, homedir) => {
    expect(storeFile(env, { platform: 'linux', homedir })).toBeUndefined();
  });
});

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
    await expect(open(folder, { uid: 54_321 })).rejects.toThrow(/belongs to another user \(uid \d+\)/);
    await expect((await open(join(folder, 'new'), { uid: 54_321 })).update(setFormat('csv'))).rejects.toThrow(
      /belongs to another/,
    );
  });

  it('leaves a folder alone that others can look into', async () => {
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

  it.each<[what: string, make: (file: string) => void, says: RegExp]>([
    [
      'a link to a file that others can open',
      (file) => {
        const open = join(temporaryFolder(), 'open.json');
        writeFileSync(open, '{}', { mode: 0o644 });
        symlinkSync(open, file);
      },
      /open to other users \(mode 0644\)/,
    ],
    ['a pipe, which would block', (file) => runProgram('mkfifo', ['-m', '600', file]), /it is not a file/],
    ['a folder', (file) => mkdirSync(file, { mode: 0o700 }), /it is not a file/],
  ])('refuses %s in its place', async (_, make, says) => {
    const folder = temporaryFolder();
    make(join(folder, 'config.json'));
    await expect(open(folder)).rejects.toThrow(says);
  });

  it('says what the disk says when it cannot write', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const store = await open(join(folder, 'file', 'folio'));
    await expect(store.update(setFormat('csv'))).rejects.toMatchObject({
      name: 'OutputError',
      message: expect.stringMatching(/cannot be written: not a directory \(ENOTDIR\)$/) as string,
    });
    // Where no folder can be, Node's own way of making those above it never ends.
    const nowhere = await open('/proc/none/folio');
    await expect(nowhere.update(setFormat('csv'))).rejects.toThrow(/cannot be written: .* \(E[A-Z]+\)$/);
  });
});

function settingsIn(folder: string): Record<string, unknown> {
  const document = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
    settings: Record<string, unknown>;
  };
  return document.settings;
}

it('is written by several processes at the same time, and has what each of them sets', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 6 }, (_, at) => `types.column${at}`);
  const env = { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined };
  const exits = names.map((name) => runFolio(['config', 'set', name, 'text'], { env }));
  for (const { code, stderr } of await Promise.all(exits)) expect([code, stderr]).toEqual([0, '']);
  expect(Object.keys(settingsIn(folder)).toSorted()).toEqual(names.toSorted());
  expect(readdirSync(folder)).toEqual(['config.json']);
});

/** The lock of a process that is no more. */
const { host, namespace } = processTable(process);
const staleLock = JSON.stringify({ pid: 2 ** 30, host, namespace, startedAt: '2026-01-01' });

describe('what a run that died left behind', () => {
  it('is taken over: its lock and the half-written file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.config.json.folio-lock'), staleLock);
    writeFileSync(join(folder, 'config.json.tmp-1234567890abcdef'), '{"half":');
    writeFileSync(join(folder, 'config.json.tmp-notes'), 'of the user');
    const clock = new FakeClock();
    const store = await open(folder, { clock });
    await store.update((document) => {
      document.settings['format'] = 'csv';
    });
    expect(settingsIn(folder)).toEqual({ format: 'csv' });
    expect(readdirSync(folder)).toEqual(['config.json', 'config.json.tmp-notes']);
    expect(clock.sleeps).toEqual([]);
  });
});

describe('a run that writes', () => {
  const holdLock = (folder: string): ReturnType<typeof lockTarget> =>
    lockTarget(
      { folder, name: 'config.json', shown: 'config.json' },
      { clock: new FakeClock(), processes: processTable(process), signal: new AbortController().signal },
    );

  it('is waited for no longer than the user wants', async () => {
    const folder = temporaryFolder();
    const lock = await holdLock(folder);
    const stop = new AbortController();
    const store = await open(folder, { signal: stop.signal });
    const update = store.update(() => {});
    stop.abort(new Interrupted('SIGINT'));
    await expect(update).rejects.toBeInstanceOf(Interrupted);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is waited for ten seconds, and then named', async () => {
    const folder = temporaryFolder();
    const lock = await holdLock(folder);
    const clock = new FakeClock();
    const store = await open(folder, { clock });
    await expect(store.update(() => {})).rejects.toMatchObject({
      name: 'OutputError',
      message: expect.stringContaining(`is writing ${join(folder, 'config.json')}`) as string,
    });
    expect(clock.sleeps.reduce((sum, sleep) => sum + sleep, 0)).toBe(10_000);
    await lock.release();
  });

  it('begins again when another took its lock over and wrote meanwhile', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    const attempts: unknown[] = [];
    await store.update((document) => {
      attempts.push(document.settings['other']);
      if (attempts.length === 1) {
        writeFileSync(join(folder, '.config.json.folio-lock'), staleLock);
        writeFileSync(join(folder, 'config.json'), '{"settings":{"other":1}}', { mode: 0o600 });
      }
      document.settings['own'] = 2;
    });
    expect(attempts).toEqual([undefined, 1]);
    expect(settingsIn(folder)).toEqual({ other: 1, own: 2 });
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});
