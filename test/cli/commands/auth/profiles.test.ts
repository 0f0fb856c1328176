import { describe, expect, it } from 'vitest';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import { runProfiles, type ProfilesRun } from '../../../support/scripted-run.ts';
import { expectAnswer, expectRefused } from '../../../support/expect-exit.ts';

const now = Date.UTC(2026, 10, 20, 12) / 1000;
const day = 86_400;
const baseUrl = 'https://api.example.com/v1';
const acme = { baseUrl, token: jsonWebToken({ organizationId: 'org_1', exp: now + 100 * day }) };
const old = { baseUrl, token: jsonWebToken({ organizationId: 'org_2', exp: now - day }) };
const vault = { baseUrl, tokenCommand: [process.execPath, '-p', '"opaque"'] };
const ALL = {
  currentProfile: 'acme',
  profiles: { acme, old, vault, empty: { baseUrl }, broken: { baseUrl, token: 7 } },
};

/** Runs `folio auth …` with a store of that content, and returns the outcome beside the store. */
async function auth(line: string, content: object = ALL, options: ProfilesRun = {}) {
  const store = memoryStore(content);
  const run = await runProfiles(['auth', ...line.split(' ')], { config: async () => store, ...options });
  return { store, ...run };
}

/** The rows of a table, their cells apart. */
function rowsOf(stdout: string): string[] {
  return stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
}

describe('folio auth status', () => {
  it('says whom commands ask and as whom, never the token', async () => {
    const { code, stdout, stderr } = await auth('status');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(rowsOf(stdout)).toEqual([
      'profile | acme',
      'current | yes',
      `baseUrl | ${baseUrl}`,
      'tokenSource | profile',
      'organization | org_1',
      'expiresAt | 2027-02-28T12:00:00.000Z',
      'state | not tried',
      '',
    ]);
  });

  it('asks the service with --check, and has everything as JSON', async () => {
    const tokens: string[] = [];
    const answer = (token: string): number => tokens.push(token) * 200;
    const { code, stdout } = await auth('status --check --format json --profile vault', ALL, { answer });
    expect([code, tokens]).toEqual([0, ['opaque']]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ profile: 'vault', current: false, baseUrl, tokenSource: 'token command' },
      ...{ organization: null, expiresAt: null, state: 'accepted', reason: null },
    });
  });

  it('shows what it knows of a token that cannot be used, and fails as a command would', async () => {
    const ended = await auth('status --profile old');
    expect([ended.code, ended.stderr]).toEqual([
      3,
      expect.stringMatching(/^folio: the token ended on 2026-11-19/),
    ]);
    for (const row of ['organization | org_2', 'state | unusable'])
      expect(rowsOf(ended.stdout)).toContain(row);
    const refused = await auth('status --check', ALL, { answer: () => 403 });
    const [, reason] = /^folio: (api\.example\.com refuses the .*)/.exec(refused.stderr)!;
    expect(refused.code).toBe(3);
    expect(rowsOf(refused.stdout)).toContain(`reason | ${reason}`);
    const none = /^folio: there is no token\n {2}Log in once with `folio auth login --base-url/;
    await expectRefused(auth('status', {}), none, 3);
  });

  it('takes all from the environment without home or store', async () => {
    const env = { FOLIO_TOKEN: 'opaque', FOLIO_BASE_URL: 'http://localhost:8080' };
    const { code, stdout, stderr } = await runProfiles(['auth', 'status'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('baseUrl      http://localhost:8080/v1\ntokenSource  FOLIO_TOKEN\n');
  });

  it('remarks at a terminal on a token that ends soon', async () => {
    const env = { FOLIO_TOKEN: jsonWebToken({ exp: now + 3 * day }) };
    const { stdout, stderr } = await auth('status', ALL, { env, terminal: true });
    expect(stderr).toMatch(/the token ends on 2026-11-23/);
    expect(stdout).toContain('ends soon');
    expect((await auth('status', ALL, { env })).stderr).toBe('');
  });
});

describe('folio auth status --all-profiles', () => {
  it('has a row for each, with the reason in the row of one that fails', async () => {
    const env = { FOLIO_TOKEN: 'goes-before', FOLIO_BASE_URL: 'https://x' };
    const { code, stdout, stderr } = await auth('status --all-profiles', ALL, { env });
    expect(code).toBe(6);
    expect(rowsOf(stdout)).toEqual([
      'profile | current | baseUrl | tokenSource | organization | expiresAt | state | reason',
      `acme | yes | ${baseUrl} | profile | org_1 | 2027-02-28T12:00:00.000Z | not tried`,
      `old | no | ${baseUrl} | profile | org_2 | 2026-11-19T12:00:00.000Z | unusable | the token ended on 2026-11-19 at 12:00 UTC (1 day ago)`,
      `vault | no | ${baseUrl} | token command | not tried`,
      `empty | no | ${baseUrl} | unusable | profile empty has no token`,
      'broken | no | unusable | the configuration /store/config.json cannot be used: profiles.broken.token has to be a string',
      '',
    ]);
    expect(stderr).toMatch(/^folio: 3 of 5 profiles cannot be used\nold: .*\nempty: .*\nbroken: .*\n {2}Ask/);
  });

  it.each<[what: string, profiles: object, flags: string, code: number, stderr: RegExp]>([
    ['of good ones', { acme, vault }, '', 0, /^$/],
    [
      'of one that has ended and one that has none',
      { old, empty: { baseUrl } },
      '',
      3,
      /^folio: none of 2 profiles\nold: the token ended.*\nempty: profile empty has no token\n/,
    ],
    ['of none', {}, '', 3, /^folio: there are no profiles\n/],
    ['of a service that fails', { acme, vault }, ' --check', 5, /^folio: api.example.com failed/],
    ['with a flag that names one', { acme }, ' --profile acme', 2, /do not go together|--profile/],
  ])('is as good as its worst row: %s', async (_, profiles, flags, code, stderr) => {
    const options = { answer: () => 503 };
    const outcome = await auth(`status --all-profiles${flags}`, { profiles }, options);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(stderr)]);
  });

  it('has all rows as JSON', async () => {
    const rows = [
      { profile: 'acme', state: 'not tried', reason: null },
      { profile: 'old', state: 'unusable' },
    ];
    const all = await auth('status --all-profiles --format json', { profiles: { acme, old } });
    expect(JSON.parse(all.stdout)).toMatchObject(rows);
    const some = await auth('status --profile acme,old --format json', ALL);
    expect(JSON.parse(some.stdout)).toMatchObject(rows);
  });
});

const THREE = {
  currentProfile: 'acme',
  profiles: {
    acme,
    vault: { baseUrl, tokenCommand: ['must-not-run'], organization: 'org_2', settings: { format: 'csv' } },
    broken: { token: 'two words' },
  },
};

describe('folio auth list', () => {
  it('shows the profiles without running or sending anything', async () => {
    const { code, stdout, stderr } = await auth('list', THREE);
    expect([code, stderr]).toEqual([0, '']);
    expect(rowsOf(stdout)).toEqual([
      'profile | current | baseUrl | token | organization | expiresAt | reason',
      `acme | yes | ${baseUrl} | stored | org_1 | 2027-02-28T12:00:00.000Z`,
      `vault | no | ${baseUrl} | command | org_2`,
      'broken | no | the token (/store/config.json: profiles.broken.token) has a space at character 4 of 9',
      '',
    ]);
  });

  it('has one below the other where a terminal is too narrow for rows', async () => {
    const { stdout } = await auth('list', THREE, { terminal: true, columns: 80 });
    const blocks = stdout.split('\n\n').map(rowsOf);
    expect(blocks).toHaveLength(3);
    expect(blocks[1]).toEqual([
      'profile | vault',
      'current | no',
      `baseUrl | ${baseUrl}`,
      'token | command',
      'organization | org_2',
    ]);
  });

  it('is an array as JSON, also when there is none', async () => {
    expect(JSON.parse((await auth('list --format json', THREE)).stdout)).toHaveLength(3);
    await expectAnswer(auth('list --format json', {}), '[]\n');
    await expectAnswer(
      auth('list', {}, { terminal: true }),
      '',
      'There are no profiles. Log in with `folio auth login --base-url https://<host>/v1`.\n',
    );
  });
});

describe('folio auth use and logout', () => {
  const atTerminal = { terminal: true, env: { FOLIO_PROFILE: 'acme', FOLIO_TOKEN: 'x' } };
  it.each<[line: string, options: ProfilesRun, current: string | undefined, names: string[], says: string[]]>(
    [
      ['use vault', {}, 'vault', ['acme', 'vault', 'broken'], []],
      [
        'use vault',
        atTerminal,
        'vault',
        ['acme', 'vault', 'broken'],
        ['The current profile is now vault.', 'FOLIO_PROFILE is set to acme and takes precedence.'],
      ],
      ['logout vault', {}, 'acme', ['acme', 'broken'], []],
      [
        'logout',
        atTerminal,
        undefined,
        ['vault', 'broken'],
        [
          'Profile acme is forgotten, with its base address and settings.',
          'The service accepts the token until it expires; its operator can revoke it.',
          'There is no current profile now; choose one of vault, broken with `folio auth use <name>`.',
          'FOLIO_TOKEN is still set, and commands use it.',
        ],
      ],
    ],
  )('%s %j', async (line, options, current, names, says) => {
    const { code, stdout, stderr, store } = await auth(line, THREE, options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.split('\n')).toEqual([...says, '']);
    expect([store.currentProfile, store.profileNames]).toEqual([current, names]);
  });

  it.each<[line: string, stderr: RegExp, content?: object]>([
    [
      'use nobody',
      /^folio: there is no profile "nobody"\n {2}The profiles are acme, vault, broken\. A new one begins with `folio auth login --profile nobody`\.\n$/,
    ],
    ['use ../x', /cannot be the name/],
    ['logout nobody', /there is no profile "nobody"/],
    ['logout acme --profile vault', /both acme and --profile vault/],
    ['logout', /there is no current profile to log out of/, {}],
    ['logout --sandbox', /unknown flag '--sandbox'\n {2}Leave it out: folio auth logout does not use it/],
    ['list --profile acme', /unknown flag '--profile'/],
  ])('refuses %s', async (line, says, content = THREE) => {
    const { code, stdout, stderr, store } = await auth(line, content);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
    expect(store.profileNames).toEqual(Object.keys((content as Partial<typeof THREE>).profiles ?? {}));
  });
});
