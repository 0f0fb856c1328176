import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { runProfiles, type ProfilesExit, type ProfilesRun } from '../../../support/scripted-run.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { expectRefused } from '../../../support/expect-exit.ts';

const day = 86_400;
const now = Date.UTC(2026, 10, 20, 12) / 1000;
const address = 'https://api.example.com/v1';
const AT = ['--base-url', address];
const TOKEN_PROMPT = 'Token of profile default (not shown): ';

/** Logs in where the service takes each token, unless `options` say otherwise. */
function login(folder: string, argv: readonly string[], options: ProfilesRun = {}): Promise<ProfilesExit> {
  const env = { FOLIO_CONFIG_DIR: folder, ...options.env };
  return runProfiles(['auth', 'login', ...argv], { answer: () => 200, ...options, env });
}

function stored(folder: string): unknown {
  const file = join(folder, 'config.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

describe('folio auth login', () => {
  it('asks for the token at a terminal, tries it, stores it', async () => {
    const folder = temporaryFolder();
    const token = jsonWebToken({ organizationId: 'org_7', exp: now + 300 * day });
    const tried: string[] = [];
    const outcome = await login(folder, ['--base-url', 'https://api.example.com'], {
      stdin: { typed: [token] },
      terminal: true,
      answer: (sent, { origin }) => tried.push(sent, origin) * 100,
    });
    expect(outcome).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Logged in: profile default at https://api.example.com/v1, organization org_7; ' +
        'the token ends on 2027-09-16 at 12:00 UTC (in 300 days).\n',
      prompts: [TOKEN_PROMPT],
    });
    expect(tried).toEqual([token, 'https://api.example.com']);
    expect(stored(folder)).toEqual({
      currentProfile: 'default',
      profiles: { default: { baseUrl: address, token, organization: 'org_7' } },
      settings: {},
    });
  });

  it('asks at a terminal for the address, too, where none is known, and shows nothing that is none', async () => {
    const folder = temporaryFolder();
    const typing = (...typed: string[]) => login(folder, [], { stdin: { typed }, terminal: true });
    const prompt = 'Base address of profile default, as in https://<host>/v1: ';
    const refused = await typing('s3cret-t0ken');
    expect(refused).toMatchObject({ code: 2, prompts: [prompt] });
    expect(refused.stderr).toBe(
      'folio: what was typed is not a base address: it begins with https://\n' +
        '  Type the address of the service first, and the token at the next prompt.\n',
    );
    expect((await typing('')).stderr).toMatch(/^folio: login needs the base address/);
    const taken = await typing(' https://api.example.com ', 'abc');
    expect(taken).toMatchObject({ code: 0, prompts: [prompt, TOKEN_PROMPT] });
    expect(stored(folder)).toMatchObject({ profiles: { default: { baseUrl: address, token: 'abc' } } });
    expect(await typing('abd')).toMatchObject({ code: 0, prompts: [TOKEN_PROMPT] });
  });

  const piped = { stdin: { text: 'abc\n' } };
  const vault = ['no-such-vault', 'read', 'op://x'];
  it.each<[what: string, argv: readonly string[], options: ProfilesRun, profiles: object, stderr: RegExp]>([
    [
      'for what the environment names',
      [],
      { ...piped, env: { FOLIO_PROFILE: 'acme', FOLIO_BASE_URL: address } },
      { acme: { baseUrl: address, token: 'abc' } },
      /^$/,
    ],
    [
      'that is in its last days, with a warning',
      AT,
      { stdin: { text: jsonWebToken({ exp: now + 2 * day }) } },
      { default: {} },
      /^warning: the token ends on/,
    ],
    [
      'as a command, word by word, which is not run untried',
      [...AT, '--no-verify', '--token-command', ...vault, '--profile', 'acme'],
      {},
      { acme: { tokenCommand: vault } },
      /^$/,
    ],
    [
      'untried, where it is told to',
      [...AT, '--no-verify'],
      { ...piped, answer: () => 503 },
      { default: { token: 'abc' } },
      /^$/,
    ],
  ])('takes a token %s', async (_, argv, options, profiles, stderr) => {
    const folder = temporaryFolder();
    const outcome = await login(folder, argv, options);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(stderr), prompts: [] });
    expect(stored(folder)).toMatchObject({ currentProfile: Object.keys(profiles)[0], profiles });
  });

  it('stores a token command in place of a token, and tries what it prints', async () => {
    const folder = temporaryFolder();
    await login(folder, AT, { stdin: { text: 'old' } });
    const tried: string[] = [];
    const command = [process.execPath, '-p', '"from-vault"'];
    const outcome = await login(folder, ['--token-command', JSON.stringify(command)], {
      answer: (token) => tried.push(token) * 200,
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(tried).toEqual(['from-vault']);
    const profile = { baseUrl: address, tokenCommand: command };
    expect(stored(folder)).toMatchObject({ profiles: { default: profile } });
    expect(JSON.stringify(stored(folder))).not.toMatch(/old|from-vault"/);
  });

  it('goes by the name `folio login` too', async () => {
    const folder = temporaryFolder();
    const options = { ...piped, answer: () => 200, env: { FOLIO_CONFIG_DIR: folder } };
    const outcome = await runProfiles(['login', ...AT], options);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '', prompts: [] });
    expect(stored(folder)).toMatchObject({ profiles: { default: { token: 'abc' } } });
  });

  it('leaves the current profile and everything else as it was', async () => {
    const folder = temporaryFolder();
    const acme = { baseUrl: address, token: 'a' };
    const beta = { baseUrl: address, token: 'b', settings: { format: 'csv' }, mine: 1 };
    const before = { currentProfile: 'acme', profiles: { acme, beta }, settings: {} };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(before), { mode: 0o600 });
    const options = { stdin: { typed: ['new'] }, terminal: true };
    expect((await login(folder, ['--profile', 'beta'], options)).stderr).toContain(
      'The current profile is still acme; change it with `folio auth use beta`.',
    );
    expect(stored(folder)).toEqual({ ...before, profiles: { acme, beta: { ...beta, token: 'new' } } });
  });

  it('refuses a new name that differs from a known one only in case', async () => {
    const folder = temporaryFolder();
    await login(folder, [...AT, '--profile', 'acme'], piped);
    await expectRefused(
      login(folder, [...AT, '--profile', 'ACME'], piped),
      'folio: a profile "acme" exists, which differs from "ACME" only in case\n' +
        '  To log in to that one again, use --profile acme.\n',
    );
  });

  it('moves a profile to another address together with its token', async () => {
    const folder = temporaryFolder();
    await login(folder, AT, { stdin: { text: 'old' } });
    await login(folder, ['--base-url', 'https://new.example.com'], { stdin: { text: 'new' } });
    const moved = { baseUrl: 'https://new.example.com/v1', token: 'new' };
    expect(stored(folder)).toMatchObject({ profiles: { default: moved } });
  });

  it('says that another profile is of the same organization, and passes over one that cannot be used', async () => {
    const folder = temporaryFolder();
    // As written by hand: folio adds /v1.
    const south = { baseUrl: 'https://api.example.com', organization: 'acme', token: 'x' };
    const profiles = { south, broken: { token: 7 } };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    const said: string[] = [];
    for (const [name, organizationId] of Object.entries({ west: 'other', north: 'acme' })) {
      const stdin = { text: jsonWebToken({ organizationId, name }) };
      said.push((await login(folder, [...AT, '--profile', name], { stdin })).stderr);
    }
    const same = 'profile north is of the same organization as south; --all-profiles reads north alone';
    expect(said).toEqual(['', `warning: ${same}\n`]);
  });
});

describe('folio auth login refuses, and stores nothing for', () => {
  const text = (token: string): ProfilesRun => ({ stdin: { text: token } });
  it.each<[what: string, argv: readonly string[], options: ProfilesRun, code: number, stderr: RegExp]>([
    ['no address', [], {}, 2, /^folio: login needs the base address of the service\n {2}.*--base-url https:/],
    ['a bad address', ['--base-url', 'http://x.example'], {}, 2, /base address http:\/\/x\.example is/],
    ['no input', AT, {}, 3, /^folio: there is no token on standard input\n/],
    ['a malformed token', AT, text('s3 cret'), 3, /has a space at character 3 of 7/],
    ['a bad name', [...AT, '--profile', 'a/b'], {}, 2, /cannot be the name of a profile/],
    ['both sources', [...AT, '--token-file', 'x', '--token-command', 'op'], {}, 2, /do not go together/],
    ['a broken list', [...AT, '--token-command', '["op"'], {}, 2, /^folio: --token-command: expected a list/],
    ['--token', ['--token', 's3cret', ...AT], {}, 2, /^folio: there is no --token flag/],
    ['Ctrl-C', AT, { stdin: { typed: [] }, terminal: true }, 130, /SIGINT/],
    [
      'a token that has ended, before it is tried',
      AT,
      text(jsonWebToken({ exp: now - day })),
      3,
      /^folio: the token ended on 2026-11-19 at 12:00 UTC \(1 day ago\)\n/,
    ],
    [
      'a token that is refused',
      AT,
      { ...text('s3cret'), answer: () => 403 },
      3,
      /^folio: api\.example\.com refuses the .*; the token was not stored\n {2}\w/,
    ],
    ['a token that cannot be tried', AT, { ...text('s3cret'), answer: () => 503 }, 5, /add --no-verify/],
  ])('%s', async (_what, argv, options, code, stderr) => {
    const folder = temporaryFolder();
    const outcome = await login(folder, argv, { answer: () => new Error('was tried'), ...options });
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toMatch(stderr);
    expect(outcome.stderr).not.toMatch(/s3|cret/);
    expect(outcome.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(stored(folder)).toBeUndefined();
  });

  it('a store that others can read, before it asks for anything', async () => {
    const folder = temporaryFolder();
    await login(folder, AT, { stdin: { text: 'abc' } });
    chmodSync(join(folder, 'config.json'), 0o644);
    const outcome = await login(folder, AT, { stdin: { typed: [] }, terminal: true });
    expect(outcome).toMatchObject({ code: 2, stdout: '', prompts: [] });
    expect(outcome.stderr).toContain(`Run \`chmod 600 ${join(folder, 'config.json')}\`.\n`);
  });

  it('no home, after the service took the token', async () => {
    const options = { answer: () => 200, stdin: { text: 'abc' } };
    await expectRefused(runProfiles(['auth', 'login', ...AT], options), 'Set FOLIO_CONFIG_DIR to a folder');
  });
});
