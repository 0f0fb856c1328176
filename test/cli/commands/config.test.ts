import { describe, expect, it } from 'vitest';
import { settingNames } from '../../../src/run/settings.ts';
import type { ConfigStore } from '../../../src/profiles/profile.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { runProfiles, type ProfilesExit, type ProfilesRun } from '../../support/scripted-run.ts';
import { expectAnswer } from '../../support/expect-exit.ts';

const baseUrl = 'https://api.example.com/v1';

function aStore(): ConfigStore {
  return memoryStore({
    currentProfile: 'acme',
    profiles: {
      acme: { baseUrl, token: 's3cret', settings: { format: 'csv' } },
      vault: { baseUrl, tokenCommand: ['op', 's3cret'] },
      fresh: {},
    },
    settings: { timeout: 2.5, format: 'jsonl', fromat: 'typo' },
  });
}

function config(argv: readonly string[], store = aStore(), options: ProfilesRun = {}): Promise<ProfilesExit> {
  return runProfiles(['config', ...argv], { config: async () => store, ...options });
}

describe('folio config set', () => {
  it.each([
    ['format', 'JSON', 'JSON'],
    ['concurrency', '8', 8],
    ['retries', '0', 0],
    ['retry-delay', '250', 250],
    ['retryDelay', '250', 250],
    ['timeout', '0.5', 0.5],
    ['list-encoding', 'repeat', 'repeat'],
    ['key.fund-documents', 'fundId,number', 'fundId,number'],
    ['page-size.received', '1000', 1000],
    ['pageSize.fundDocuments', '100', 100],
    ['fields.due', 'dueBy', 'dueBy'],
  ])('%s %s', async (name, value, stored) => {
    const store = memoryStore();
    await expectAnswer(config(['set', name, value], store), '');
    expect(Object.values(store.settings())).toEqual([stored]);
  });

  it.each([
    ['format', 'xml', 'format "xml": expected table'],
    ['format', 'xlsx', 'format "xlsx": expected table'],
    ['concurrency', '0', 'concurrency "0": expected a whole number, 1 to 64'],
    ['page-size.received', '1001', 'pageSize.received "1001": expected a whole number, 1 to 1000'],
    ['page-size.fundDocuments', '101', 'pageSize.fundDocuments "101": expected a whole number, 1 to 100'],
    ['timeout', 'soon', 'timeout "soon": expected a number of seconds'],
    ['listEncoding', 'semicolon', 'listEncoding "semicolon": expected comma, repeat, brackets'],
    ['key.issued', 'a,,b', 'key.issued "a,,b": expected names with commas between them'],
    ['delimiter', ';;', 'delimiter ";;": expected one character'],
    ['fields.due', '', 'fields.due "": expected the name of a column'],
    ['lang', 'de', 'lang "de": expected en, es'],
    ['organization', 'Roble SpA', 'organization is the name of one organization'],
    ['colour', 'red', 'there is no setting "colour"'],
    ['base-url', baseUrl, 'there is no setting "base-url"'],
    ['token', 's3cret', 'there is no setting "token"'],
  ])('refuses %s %s', async (name, value, message) => {
    const store = memoryStore();
    const { code, stdout, stderr } = await config(['set', name, value], store);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
    expect(stderr).not.toContain('s3cret');
    expect(store.settings()).toEqual({});
  });

  it('lists the settings that there are when there is none of that name', async () => {
    const { stderr } = await config(['set', 'colour', 'red']);
    const { stdout } = await config(['list', '--names']);
    for (const [name, about] of settingNames()) {
      expect(stderr).toContain(name);
      expect(stdout).toMatch(new RegExp(`^${name} +${about}$`, 'm'));
    }
  });

  it('sets for one profile what it is told to, and only by flag', async () => {
    const store = aStore();
    const env = { FOLIO_PROFILE: 'acme' };
    await config(['set', 'concurrency', '2', '--profile', 'fresh'], store, { env });
    await config(['set', 'retries', '1'], store, { env });
    expect(store.settings('fresh')).toEqual({ concurrency: 2 });
    expect(store.settings()).toMatchObject({ retries: 1 });
    expect(await config(['set', 'retries', '1', '--profile', 'nobody'], store)).toMatchObject({ code: 2 });
  });
});

const FROMAT = 'warning: /store/config.json: "fromat" is not a setting of folio\'s\n';

describe('folio config get, list, unset, path', () => {
  it.each<[argv: string, code: number, stdout: string, stderr?: string]>([
    ['get timeout', 0, '2.5\n'],
    ['get format', 0, 'jsonl\n'],
    ['get format --profile acme', 0, 'csv\n'],
    [
      'get timeout --profile acme',
      4,
      '',
      'folio: timeout is not set for profile acme\n  Set it with `folio config set timeout <value> --profile acme`.\n',
    ],
    ['list', 0, 'timeout  2.5\nformat   jsonl\n', FROMAT],
    ['list --profile acme', 0, 'format  csv\n'],
    ['list --profile vault', 0, ''],
    ['unset retries', 0, ''],
    ['path', 0, '/store/config.json\n'],
  ])('%s', async (line, code, stdout, stderr = '') => {
    expect(await config(line.split(' '))).toEqual({ code, stdout, stderr, prompts: [] });
  });

  it.each(['token', 'tokenCommand', 'token-command'])('never shows %s', async (name) => {
    const outcome = await config(['get', name, '--profile', 'acme']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).not.toContain('s3cret');
  });

  it('shows as JSON what is set, and nothing, or an empty object, where nothing is', async () => {
    const { stdout } = await config(['list', '--profile', 'acme', '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({ format: 'csv' });
    await expectAnswer(config(['list'], memoryStore()), '');
    const hostile = memoryStore({ settings: { 'types.a\u001bb': 'text' } });
    await expectAnswer(config(['list'], hostile), 'types.a\u241bb  text\n');
    expect(await config(['list', '--format', 'json'], memoryStore())).toMatchObject({ stdout: '{}\n' });
  });

  it('removes what is set for exactly that owner', async () => {
    const store = aStore();
    await expectAnswer(config(['unset', 'format', '--profile', 'acme'], store), '');
    expect([store.settings('acme'), store.settings()['format']]).toEqual([{}, 'jsonl']);
    expect(await config(['unset', 'colour'], store)).toMatchObject({ code: 2 });
  });

  it('says where the file is to be, or that there can be none', async () => {
    expect(await runProfiles(['config', 'path'])).toMatchObject({ code: 2, stdout: '' });
    const env = { XDG_CONFIG_HOME: '/nowhere/xdg' };
    const { stdout } = await runProfiles(['config', 'path'], { env });
    expect(stdout).toBe('/nowhere/xdg/folio/config.json\n');
  });
});
