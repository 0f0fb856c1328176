import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { processTable } from '../../src/output/files/processes.ts';
import { openStore, storeFile } from '../../src/profiles/store.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { signal } = new AbortController();

function openWith(content: string | Uint8Array): { file: string; store: Promise<ConfigStore> } {
  const folder = temporaryFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, content, { mode: 0o600 });
  const store = openStore({
    env: { FOLIO_CONFIG_DIR: folder },
    clock: new FakeClock(),
    processes: processTable(process),
    signal,
    uid: process.getuid?.(),
  });
  return { file, store };
}

describe('a broken store', () => {
  it.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['{"profiles": {"acme": {"token": "eyJ-secret"} "x"', 'it is not JSON (line 1, column 47)'],
    ['{"token": eyJ-secret}', 'it is not JSON (line 1, column 11)'],
    ['{\n  "ñ": 1\n  "b": 2\n}', 'it is not JSON (line 3, column 3)'],
    ['{"á": tru}', 'it is not JSON (line 1, column 10)'],
    ['["a\nb"]', 'it is not JSON (line 1, column 4)'],
    [`["${'a'.repeat(1_000_000)}`, 'it is not JSON (line 1, column 1000003)'],
    ['['.repeat(1_000_000), 'it is not JSON (line 1, column 1001)'],
    ['[]', 'expected a JSON object, found an array'],
    ['null', 'expected a JSON object, found null'],
    ['"eyJ-secret"', 'expected a JSON object, found a string'],
    ['{"currentProfile": 1}', 'currentProfile is a number, expected a string'],
    ['{"profiles": []}', 'profiles is an array, expected an object'],
    ['{"settings": "eyJ-secret"}', 'settings is a string, expected an object'],
    ['{"profiles": {"acme": "eyJ-secret"}}', 'profiles.acme is a string, expected an object'],
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
    ['{"token": 5}', 'profiles.acme.token is a number, expected a string'],
    ['{"baseUrl": ["https://api.example.com"]}', 'profiles.acme.baseUrl is an array, expected a string'],
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
    expect(() => opened.settings('acme')).toThrow('profiles.acme.settings is an array, expected an object');
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
