import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { runProfiles, type ProfilesExit, type ProfilesRun } from '../../../support/run-profiles.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const day = 86_400;
const now = Date.UTC(2026, 10, 20, 12) / 1000;
const address = 'https://api.example.com/v1';
const accept = (): number => 200;

interface Login extends ProfilesRun {
  readonly folder: string;
}

function login(argv: readonly string[], { folder, ...options }: Login): Promise<ProfilesExit> {
  const env = { FOLIO_CONFIG_DIR: folder, ...options.env };
  return runProfiles(['auth', 'login', ...argv], { answer: accept, ...options, env });
}

function stored(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
}

describe('folio auth login', () => {
  it('says that another profile is of the same organization', async () => {
    const folder = temporaryFolder();
    const as = (name: string, organizationId: string) =>
      login(['--base-url', address, '--profile', name], {
        folder,
        stdin: { text: jsonWebToken({ organizationId, name }) },
      });
    expect((await as('south', 'acme')).stderr).toBe('');
    expect((await as('west', 'other')).stderr).toBe('');
    expect((await as('north', 'acme')).stderr).toBe(
      'warning: profile north is of the same organization as south; --all-profiles reads north alone\n',
    );
  });

  it('asks for the token at a terminal, tries it, stores it', async () => {
    const folder = temporaryFolder();
    const token = jsonWebToken({ organizationId: 'org_7', exp: now + 300 * day });
    const tried: string[] = [];
    const outcome = await login(['--base-url', 'https://api.example.com'], {
      folder,
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
      prompts: ['Token of profile default (not shown): '],
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
    const typing = (...typed: string[]) => login([], { folder, stdin: { typed }, terminal: true });
    const prompt = 'Base address of profile default, as in https://<host>/v1: ';
    expect(await typing('s3cret-t0ken')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'folio: what was typed is no base address: it begins with https://\n' +
        '  Type the address of the service first, and its token when it is asked for.\n',
      prompts: [prompt],
    });
    expect(await typing('')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^folio: login needs the base address/),
    });
    expect(await typing(' https://api.example.com ', 'abc')).toMatchObject({
      code: 0,
      prompts: [prompt, 'Token of profile default (not shown): '],
    });
    expect(stored(folder)).toMatchObject({ profiles: { default: { baseUrl: address, token: 'abc' } } });
    expect(await typing('abd')).toMatchObject({
      code: 0,
      prompts: ['Token of profile default (not shown): '],
    });
  });

  it('goes by the name `folio login` too', async () => {
    const folder = temporaryFolder();
    const options = { answer: accept, env: { FOLIO_CONFIG_DIR: folder }, stdin: { text: 'abc\n' } };
    const outcome = await runProfiles(['login', '--base-url', address, '--profile', 'acme'], options);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '', prompts: [] });
    expect(stored(folder)).toMatchObject({ profiles: { acme: { token: 'abc' } } });
  });

  it('takes it from a pipe, silently', async () => {
    const folder = temporaryFolder();
    const env = { FOLIO_PROFILE: 'acme', FOLIO_BASE_URL: address };
    const outcome = await login([], { folder, env, stdin: { text: 'abc\n' } });
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '', prompts: [] });
    expect(stored(folder)).toMatchObject({ currentProfile: 'acme', profiles: { acme: { token: 'abc' } } });
  });

  it('takes it from a file, and takes a pasted Bearer off, and says so', async () => {
    const folder = temporaryFolder();
    const file = join(temporaryFolder(), 'token.txt');
    writeFileSync(file, 'Bearer abc\n', { mode: 0o600 });
    const outcome = await login(['--base-url', address, '--token-file', file], { folder });
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(outcome.stderr).toMatch(/^warning: the "Bearer" before the token .* was taken off: .*\n$/);
    expect(outcome.stderr).not.toContain('abc');
    expect(stored(folder)).toMatchObject({ profiles: { default: { token: 'abc' } } });
  });

  it('does not store a token that is refused, and says that', async () => {
    const folder = temporaryFolder();
    const options = { folder, stdin: { text: 'abc' }, answer: () => 403 };
    const outcome = await login(['--base-url', address], options);
    expect(outcome).toMatchObject({ code: 3, stdout: '', prompts: [] });
    expect(outcome.stderr).toMatch(
      /^folio: api\.example\.com refuses the to.*; the token was not stored\n {2}\w/,
    );
    expect(() => stored(folder)).toThrow(/ENOENT/);
  });

  it('does not store an untried token either, unless told to', async () => {
    const folder = temporaryFolder();
    const options = { folder, stdin: { text: 'abc' }, answer: () => 503 };
    const outcome = await login(['--base-url', address], options);
    expect(outcome).toMatchObject({ code: 5, stderr: expect.stringContaining('add --no-verify') as string });
    expect(() => stored(folder)).toThrow(/ENOENT/);
    expect(await login(['--base-url', address, '--no-verify'], options)).toMatchObject({
      code: 0,
    });
    expect(stored(folder)).toMatchObject({ profiles: { default: { token: 'abc' } } });
  });

  it('refuses a token that has ended before it is tried', async () => {
    const outcome = await login(['--base-url', address], {
      folder: temporaryFolder(),
      stdin: { text: jsonWebToken({ exp: now - day }) },
      answer: () => new Error('was tried'),
    });
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toMatch(/^folio: the token ended on 2026-11-19 at 12:00 UTC \(1 day ago\)\n/);
  });

  it('warns of a token in its last days', async () => {
    const outcome = await login(['--base-url', address], {
      folder: temporaryFolder(),
      stdin: { text: jsonWebToken({ exp: now + 2 * day }) },
    });
    expect(outcome).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^warning: the token ends on/) as string,
    });
  });

  it('stores a token command in place of a token, and tries what it prints', async () => {
    const folder = temporaryFolder();
    await login(['--base-url', address], { folder, stdin: { text: 'old' } });
    const tried: string[] = [];
    const command = [process.execPath, '-p', '"from-vault"'];
    const outcome = await login(['--token-command', JSON.stringify(command)], {
      folder,
      answer: (token) => tried.push(token) * 200,
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(tried).toEqual(['from-vault']);
    expect(stored(folder)).toMatchObject({
      profiles: { default: { baseUrl: address, tokenCommand: command } },
    });
    expect(JSON.stringify(stored(folder))).not.toMatch(/old|from-vault"/);
  });

  it('takes a token command word by word, and does not run it untried', async () => {
    const folder = temporaryFolder();
    const argv = ['--base-url', address, '--no-verify', '--token-command', 'no-such-vault', 'read', 'op://x'];
    expect(await login([...argv, '--profile', 'acme'], { folder })).toMatchObject({ code: 0, stderr: '' });
    const tokenCommand = ['no-such-vault', 'read', 'op://x'];
    expect(stored(folder)).toMatchObject({ profiles: { acme: { tokenCommand } } });
  });

  it('leaves the current profile and everything else as it was', async () => {
    const folder = temporaryFolder();
    const before = {
      currentProfile: 'acme',
      profiles: {
        acme: { baseUrl: address, token: 'a' },
        beta: { baseUrl: address, token: 'b', settings: { format: 'csv' }, mine: 1 },
      },
      settings: {},
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(before), { mode: 0o600 });
    const outcome = await login(['--profile', 'beta'], { folder, stdin: { typed: ['new'] }, terminal: true });
    expect(outcome.stderr).toContain(
      'The current profile is still acme; change it with `folio auth use beta`.',
    );
    const { acme, beta } = before.profiles;
    expect(stored(folder)).toEqual({ ...before, profiles: { acme, beta: { ...beta, token: 'new' } } });
  });

  it('moves a profile to another address together with its token', async () => {
    const folder = temporaryFolder();
    await login(['--base-url', address], { folder, stdin: { text: 'old' } });
    await login(['--base-url', 'https://new.example.com'], { folder, stdin: { text: 'new' } });
    expect(stored(folder)).toMatchObject({
      profiles: { default: { baseUrl: 'https://new.example.com/v1', token: 'new' } },
    });
  });
});

describe('folio auth login refuses', () => {
  it.each<[string, readonly string[], ProfilesRun, number, RegExp]>([
    ['no address', [], {}, 2, /^folio: login needs the base address of the service\n {2}.*--base-url https:/],
    [
      'a bad address',
      ['--base-url', 'http://x.example'],
      {},
      2,
      /^folio: the base address http:\/\/x\.example is refused/,
    ],
    ['no input', ['--base-url', address], {}, 3, /^folio: there is no token on standard input\n/],
    [
      'a malformed token',
      ['--base-url', address],
      { stdin: { text: 's3 cret' } },
      3,
      /has a space at character 3 of 7/,
    ],
    ['a bad name', ['--base-url', address, '--profile', 'a/b'], {}, 2, /cannot be the name of a profile/],
    [
      'both sources',
      ['--base-url', address, '--token-file', 'x', '--token-command', 'op'],
      {},
      2,
      /--token-command and --token-file do not go together/,
    ],
    [
      'a broken list',
      ['--base-url', address, '--token-command', '["op"'],
      {},
      2,
      /^folio: --token-command: expected a list/,
    ],
    ['--token', ['--token', 's3cret', '--base-url', address], {}, 2, /^folio: there is no --token flag/],
    ['Ctrl-C', ['--base-url', address], { stdin: { typed: [] }, terminal: true }, 130, /SIGINT/],
  ])('%s', async (_what, argv, options, code, stderr) => {
    const outcome = await login(argv, {
      folder: temporaryFolder(),
      ...options,
      answer: () => new Error(),
    });
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toMatch(stderr);
    expect(outcome.stderr).not.toMatch(/s3|cret/);
    expect(outcome.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('a store that others can read, before it asks for anything', async () => {
    const folder = temporaryFolder();
    await login(['--base-url', address], { folder, stdin: { text: 'abc' } });
    chmodSync(join(folder, 'config.json'), 0o644);
    const outcome = await login(['--base-url', address], { folder, stdin: { typed: [] }, terminal: true });
    expect(outcome).toMatchObject({ code: 2, stdout: '', prompts: [] });
    expect(outcome.stderr).toContain(`Run \`chmod 600 ${join(folder, 'config.json')}\`.\n`);
  });

  it('to store without a home, after the service took the token', async () => {
    const outcome = await runProfiles(['auth', 'login', '--base-url', address], {
      answer: accept,
      stdin: { text: 'abc' },
    });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('Set FOLIO_CONFIG_DIR to a folder');
  });
});
