import { describe, expect, it } from 'vitest';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import { runProfiles, type ProfilesExit, type ProfilesRun } from '../../../support/run-profiles.ts';

const now = Date.UTC(2026, 10, 20, 12) / 1000;
const day = 86_400;
const baseUrl = 'https://api.example.com/v1';
const fresh = jsonWebToken({ organizationId: 'org_1', exp: now + 100 * day });
const ended = jsonWebToken({ organizationId: 'org_2', exp: now - day });
const store = {
  currentProfile: 'acme',
  profiles: {
    acme: { baseUrl, token: fresh },
    old: { baseUrl, token: ended },
    vault: { baseUrl, tokenCommand: [process.execPath, '-p', '"opaque"'] },
    empty: { baseUrl },
    broken: { baseUrl, token: 7 },
  },
};

function status(
  argv: readonly string[],
  options: ProfilesRun = {},
  content: object = store,
): Promise<ProfilesExit> {
  return runProfiles(['auth', 'status', ...argv], { config: async () => memoryStore(content), ...options });
}

describe('folio auth status', () => {
  it('says whom commands ask and as whom, never the token', async () => {
    expect(await status([])).toEqual({
      code: 0,
      stdout: [
        'profile       acme',
        'current       yes',
        'baseUrl       https://api.example.com/v1',
        'tokenSource   profile',
        'organization  org_1',
        'expiresAt     2027-02-28T12:00:00.000Z',
        'state         not tried',
        '',
      ].join('\n'),
      stderr: '',
      prompts: [],
    });
  });

  it('asks the service with --check, and has everything as JSON', async () => {
    const asked: string[] = [];
    const answer = (token: string): number => asked.push(token) * 200;
    const { code, stdout } = await status(['--check', '--format', 'json', '--profile', 'vault'], { answer });
    expect([code, asked]).toEqual([0, ['opaque']]);
    expect(JSON.parse(stdout)).toEqual({
      profile: 'vault',
      current: false,
      baseUrl,
      tokenSource: 'token command',
      organization: null,
      expiresAt: null,
      state: 'accepted',
      reason: null,
    });
  });

  it('shows what it knows of a token that cannot be used, and fails as a command would', async () => {
    const outcome = await status(['--profile', 'old']);
    expect(outcome.code).toBe(3);
    expect(outcome.stdout).toContain('organization  org_2\n');
    expect(outcome.stdout).toContain('state         unusable\n');
    expect(outcome.stderr).toMatch(/^folio: the token ended on 2026-11-19/);
  });

  it('fails with the service’s refusal', async () => {
    const outcome = await status(['--check'], { answer: () => 403 });
    expect(outcome.code).toBe(3);
    const [, reason] = /^folio: (api\.example\.com refuses the .*)/.exec(outcome.stderr)!;
    expect(outcome.stdout).toContain(`reason        ${reason}\n`);
  });

  it('prints nothing but the reason where there is no token', async () => {
    expect(await status([], {}, {})).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^folio: there is no token\n {2}Log in once with `folio auth login --base-url/,
      ) as string,
    });
  });

  it('takes all from the environment without home or store', async () => {
    const env = { FOLIO_TOKEN: 'opaque', FOLIO_BASE_URL: 'http://localhost:8080' };
    const outcome = await runProfiles(['auth', 'status'], { env });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('baseUrl      http://localhost:8080/v1\ntokenSource  FOLIO_TOKEN\n');
  });

  it('remarks at a terminal on a token that ends soon', async () => {
    const env = { FOLIO_TOKEN: jsonWebToken({ exp: now + 3 * day }) };
    const outcome = await status([], { env, terminal: true });
    expect(outcome.stderr).toMatch(/the token ends on 2026-11-23/);
    expect(outcome.stdout).toContain('ends soon');
    expect((await status([], { env })).stderr).toBe('');
  });
});

describe('folio auth status --all-profiles', () => {
  it('has a row for each, with the reason in the row of one that fails', async () => {
    const outcome = await status(['--all-profiles'], {
      env: { FOLIO_TOKEN: 'goes-before', FOLIO_BASE_URL: 'https://x' },
    });
    expect(outcome.code).toBe(6);
    expect(outcome.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'profile | current | baseUrl | tokenSource | organization | expiresAt | state | reason',
      `acme | yes | ${baseUrl} | profile | org_1 | 2027-02-28T12:00:00.000Z | not tried`,
      `old | no | ${baseUrl} | profile | org_2 | 2026-11-19T12:00:00.000Z | unusable | the token ended on 2026-11-19 at 12:00 UTC (1 day ago)`,
      `vault | no | ${baseUrl} | token command | not tried`,
      `empty | no | ${baseUrl} | unusable | profile empty has no token`,
      'broken | no | unusable | the configuration /store/config.json cannot be used: profiles.broken.token is a number, expected a string',
      '',
    ]);
    expect(outcome.stderr).toBe(
      'folio: 3 of 5 profiles cannot be used\n  The table has the reason of each.\n',
    );
  });

  it('is as good as its worst row', async () => {
    const of = (...names: (keyof typeof store.profiles)[]): object => ({
      profiles: Object.fromEntries(names.map((name) => [name, store.profiles[name]])),
    });
    expect(await status(['--all-profiles'], {}, of('acme', 'vault'))).toMatchObject({ code: 0, stderr: '' });
    expect(await status(['--all-profiles'], {}, of('old', 'empty'))).toMatchObject({ code: 3 });
    expect(await status(['--all-profiles'], {}, {})).toMatchObject({ code: 3, stdout: '' });
    expect(
      await status(['--all-profiles', '--check'], { answer: () => 503 }, of('acme', 'vault')),
    ).toMatchObject({
      code: 5,
      stderr: 'folio: 2 of 2 profiles cannot be used\n  The table has the reason of each.\n',
    });
    expect(
      JSON.parse((await status(['--all-profiles', '--format', 'json'], {}, of('acme', 'old'))).stdout),
    ).toMatchObject([
      { profile: 'acme', state: 'not tried', reason: null },
      { profile: 'old', state: 'unusable' },
    ]);
  });

  it('goes without flags that name one', async () => {
    expect(await status(['--all-profiles', '--profile', 'acme'])).toMatchObject({ code: 2, stdout: '' });
  });
});
