import { describe, expect, it } from 'vitest';
import type { ConfigStore } from '../../../../src/profiles/profile.ts';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import { runProfiles, type ProfilesExit, type ProfilesRun } from '../../../support/run-profiles.ts';

const baseUrl = 'https://api.example.com/v1';

function threeProfiles(): ConfigStore {
  return memoryStore({
    currentProfile: 'acme',
    profiles: {
      acme: { baseUrl, token: jsonWebToken({ organizationId: 'org_1', exp: 1_800_000_000 }) },
      vault: { baseUrl, tokenCommand: ['must-not-run'], organization: 'org_2', settings: { format: 'csv' } },
      broken: { token: 'two words' },
    },
  });
}

function run(argv: readonly string[], store: ConfigStore, options: ProfilesRun = {}): Promise<ProfilesExit> {
  return runProfiles(['auth', ...argv], { config: async () => store, ...options });
}

describe('folio auth list', () => {
  it('shows the profiles without running or sending anything', async () => {
    const { code, stdout, stderr } = await run(['list'], threeProfiles());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'profile | current | baseUrl | token | organization | expiresAt | reason',
      `acme | yes | ${baseUrl} | stored | org_1 | 2027-01-15T08:00:00.000Z`,
      `vault | no | ${baseUrl} | command | org_2`,
      'broken | no | the token (/store/config.json: profiles.broken.token) has a space at character 4 of 9',
      '',
    ]);
  });

  it.each([40, 60, 80, 100])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await run(['list'], threeProfiles(), { terminal: true, columns });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['profile', 'acme', 'vault', 'broken']);
  });

  it('is an array as JSON, also when there is none', async () => {
    const { stdout } = await run(['list', '--format', 'json'], threeProfiles());
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(await run(['list', '--format', 'json'], memoryStore())).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: '',
    });
    expect(await run(['list'], memoryStore(), { terminal: true })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'There are no profiles. Log in with `folio auth login --base-url https://<host>/v1`.\n',
    });
  });
});

describe('folio auth use', () => {
  it('changes the current profile', async () => {
    const store = threeProfiles();
    expect(await run(['use', 'vault'], store)).toEqual({ code: 0, stdout: '', stderr: '', prompts: [] });
    expect(store.currentProfile).toBe('vault');
  });

  it('tells a terminal what goes before it', async () => {
    const { stderr } = await run(['use', 'vault'], threeProfiles(), {
      terminal: true,
      env: { FOLIO_PROFILE: 'acme' },
    });
    expect(stderr).toBe(
      'The current profile is now vault.\nFOLIO_PROFILE is set to acme and goes before it.\n',
    );
  });

  it('refuses what there is not', async () => {
    const store = threeProfiles();
    expect(await run(['use', 'nobody'], store)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'folio: there is no profile "nobody"\n' +
        '  The profiles are acme, vault, broken. A new one begins with `folio auth login --profile nobody`.\n',
      prompts: [],
    });
    expect(await run(['use', '../x'], store)).toMatchObject({ code: 2 });
    expect(store.currentProfile).toBe('acme');
  });
});

describe('folio auth logout', () => {
  it('forgets the current profile, and says what that means', async () => {
    const store = threeProfiles();
    const { code, stderr } = await run(['logout'], store, { terminal: true, env: { FOLIO_TOKEN: 'x' } });
    expect(code).toBe(0);
    expect(stderr.split('\n')).toEqual([
      'Profile acme is forgotten, with its base address and settings.',
      'The service accepts the token until its end; its operator can withdraw it.',
      'There is no current profile now; choose one of vault, broken with `folio auth use <name>`.',
      'FOLIO_TOKEN is still set, and commands use it.',
      '',
    ]);
    expect(store.profileNames).toEqual(['vault', 'broken']);
    expect(store.currentProfile).toBeUndefined();
  });

  it('forgets one that is named, silently off a terminal', async () => {
    const store = threeProfiles();
    expect(await run(['logout', 'vault'], store)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(store.profileNames).toEqual(['acme', 'broken']);
    expect(store.currentProfile).toBe('acme');
  });

  it.each([
    [['logout', 'nobody'], 'there is no profile "nobody"'],
    [['logout', 'acme', '--profile', 'vault'], 'both acme and --profile vault'],
  ])('refuses %j', async (argv, message) => {
    const outcome = await run(argv, threeProfiles());
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message) as string,
    });
  });

  it('refuses where nobody is meant', async () => {
    expect(await run(['logout'], memoryStore())).toMatchObject({ code: 2, stdout: '' });
  });
});
