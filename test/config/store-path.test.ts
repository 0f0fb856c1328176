import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storePath } from '../../src/config/store-path.ts';

const accountHome = (): string => '/account';
const noHome = (): string => {
  throw new Error('uv_os_homedir returned ENOENT');
};

describe('storePath', () => {
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
    expect(storePath({ env, platform, homedir: accountHome })).toBe(expected);
  });

  it('takes FOLIO_CONFIG_DIR from the working folder when it is relative, because it was said', () => {
    const place = { env: { FOLIO_CONFIG_DIR: 'conf' }, platform: 'linux', homedir: noHome };
    expect(storePath(place)).toBe(resolve('conf', 'config.json'));
  });

  it.each([
    ['an account without a home', {}, noHome],
    ['an empty home', {}, () => ''],
    ['a relative home, which would be the working folder', { HOME: '.' }, noHome],
  ])('is undefined for %s', (_case, env, homedir) => {
    expect(storePath({ env, platform: 'linux', homedir })).toBeUndefined();
  });
});
