import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { OpenTransport } from '../../../src/api/transport.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import { listings } from '../../../src/resources/listings.ts';
import { answeringTransport } from '../../support/fake-transport.ts';
import { fakeContext, type FakeContextOptions } from '../../support/fake-context.ts';
import { jsonWebToken } from '../../support/json-web-token.ts';
import { customersOf, pageOf } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Store, address and token, six of the network, and one of each listing. */
const CHECKS = 9 + listings.length;

/** The steps of the network. */
const WAY = ['proxy', 'DNS', 'TCP', 'TLS', 'HTTP'];

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 24 * 60 * 60 * 1000;
const TOKEN = jsonWebToken({ organizationId: 'org-1', exp: (NOW + 100 * DAY) / 1000 });
const ENV = { FOLIO_TOKEN: TOKEN, FOLIO_BASE_URL: 'http://127.0.0.1:8080' };

/**
 * The listings, but for those whose path ends as `down` says: these answer with 502. A request without a token gets the date
 * alone, or fails with the code `error`, and its headers are kept in `seen`.
 */
function service({
  down = '-',
  date = new Date(NOW).toUTCString(),
  seen = [] as unknown[],
  error = '',
} = {}): OpenTransport {
  return async ({ origin }) =>
    answeringTransport(({ url: { pathname }, headers }) => {
      if (origin === undefined) {
        seen.push(headers);
        if (error !== '') return Object.assign(new Error(error.toLowerCase()), { code: error });
        return { status: 401, headers: date === '' ? {} : { date } };
      }
      if (pathname.endsWith(down)) return { status: 502, body: {} };
      return { body: pathname.endsWith('/customers') ? customersOf(['{"id":1}']) : pageOf(['{"id":1}']) };
    });
}

async function doctor(options: FakeContextOptions = {}, argv: readonly string[] = []) {
  const context = fakeContext({ env: ENV, openTransport: service(), ...options, argv: ['doctor', ...argv] });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** The line of one check, and those under it. */
function lineOf(stdout: string, name: string): string {
  const [line = ''] = new RegExp(`^\\w+ +${name} .*(?:\\n +.*)*`, 'm').exec(stdout) ?? [];
  return line.replace(/\s+/g, ' ');
}

describe('folio doctor', () => {
  it('has a line for everything, and exit code 0 when all is well', async () => {
    const { code, stdout, stderr } = await doctor();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const names = stdout.split('\n').map((line) => line.slice(9, 22).trim());
    const own = ['store', 'base address', ...WAY, 'clock', 'token'];
    expect(names.filter((name) => name !== '')).toEqual([...own, ...listings.map(({ name }) => name)]);
    for (const [name, says] of Object.entries({
      proxy: 'ok proxy none is set',
      DNS: 'ok DNS 127.0.0.1 is an address, not a name',
      TCP: 'ok TCP 127.0.0.1:8080 accepts connections',
      TLS: 'skipped TLS plain http',
      HTTP: 'ok HTTP 127.0.0.1:8080 answers in 0 ms',
      token: 'from FOLIO_TOKEN: a JSON Web Token for organization org-1, ends on',
      issued: 'ok issued answers in 0 ms with 57 bytes; there are 1 issued invoices',
    }))
      expect(lineOf(stdout, name)).toContain(says);
    expect(stdout).not.toContain(TOKEN);
  });

  it('says of each thing what is missing when nothing is set up', async () => {
    const { code, stdout, stderr } = await doctor({ env: {} });
    expect(code).toBe(2);
    expect(lineOf(stdout, 'store')).toContain('warning store there is no home folder');
    expect(lineOf(stdout, 'base address')).toContain('failed base address there is no base address');
    for (const step of WAY) expect(lineOf(stdout, step)).toBe(`skipped ${step} needs a base address`);
    expect(lineOf(stdout, 'token')).toContain('failed token there is no token → Log in once with');
    expect(lineOf(stdout, 'funds')).toBe('skipped funds needs a base address and a token');
    expect(stderr).toBe(`folio: 2 checks of ${CHECKS} failed, first: base address\n`);
  });

  it('looks at the store that a profile is in and at who may read it, and refuses one that others can read', async () => {
    const folder = join(temporaryFolder(), 'config');
    mkdirSync(folder, { mode: 0o700 });
    const file = join(folder, 'config.json');
    const profiles = { north: { baseUrl: 'http://127.0.0.2/v1', token: TOKEN }, south: {} };
    writeFileSync(file, JSON.stringify({ currentProfile: 'south', profiles }), { mode: 0o600 });
    const env = { FOLIO_CONFIG_DIR: folder };
    const good = await doctor({ env }, ['--profile', 'north']);
    expect(good.code).toBe(0);
    expect(lineOf(good.stdout, 'store')).toBe(
      `ok store ${file}: mode 0600, in a folder of mode 0700; 2 profiles`,
    );
    expect(lineOf(good.stdout, 'base address')).toContain('http://127.0.0.2/v1 (profile north)');
    expect(lineOf(good.stdout, 'token')).toContain('from profile north');
    const all = await doctor({ env }, ['--all-profiles']);
    expect(all.stdout).toMatch(/^north\nok .*\n\nsouth\nok .*failed +token +profile south has no token/s);
    expect(all.stderr).toContain(`folio: 2 checks of ${2 * CHECKS} failed, first: base address of south\n`);
    const json = await doctor({ env }, ['--profile', 'north,south', '--format', 'json']);
    const facts = JSON.parse(json.stdout) as { profile: string }[];
    expect(facts.map(({ profile }) => profile).join(' ')).toBe(
      `${'north '.repeat(CHECKS)}${'south '.repeat(CHECKS)}`.trim(),
    );
    chmodSync(file, 0o644);
    const open = await doctor({ env }, ['--profile', 'north']);
    expect(open.code).toBe(2);
    expect(lineOf(open.stdout, 'store')).toContain(`→ Run \`chmod 600 ${file}\`.`);
    for (const name of ['base address', 'token'])
      expect(lineOf(open.stdout, name)).toBe(`skipped ${name} needs the store`);
  });

  it.each([
    ['https://api.example.com', 'ENOTFOUND', 'DNS', /: its name is unknown .*\(ENOTFOUND\) → Check/],
    ['https://192.0.2.1', 'ECONNREFUSED', 'TCP', /it refuses the connection/],
  ])('says at which step the service is not reached: %s, %s', async (address, error, step, message) => {
    const env = { ...ENV, FOLIO_BASE_URL: address };
    const { code, stdout } = await doctor({ env, openTransport: service({ error }) });
    expect(code).toBe(5);
    expect(lineOf(stdout, step)).toMatch(message);
    for (const later of [...WAY.slice(WAY.indexOf(step) + 1), 'clock', 'issued'])
      expect(lineOf(stdout, later)).toBe(`skipped ${later} not tried, since the service is not reached`);
    expect(lineOf(stdout, 'token')).toMatch(/^ok token/);
  });

  it('warns of a token that ends soon, with exit code 0', async () => {
    const token = jsonWebToken({ exp: (NOW + 3 * DAY) / 1000 });
    const { code, stdout } = await doctor({ env: { ...ENV, FOLIO_TOKEN: token } });
    expect(code).toBe(0);
    expect(lineOf(stdout, 'token')).toMatch(/^warning token .*in 3 days.*→ Ask the operator/);
  });

  it('refuses a token that has ended, and does not send it', async () => {
    const token = jsonWebToken({ exp: (NOW - DAY) / 1000 });
    const { code, stdout } = await doctor({
      env: { ...ENV, FOLIO_TOKEN: token },
      openTransport: (options) =>
        options.origin === undefined ? service()(options) : Promise.reject(new Error('it was sent')),
    });
    expect(code).toBe(3);
    expect(lineOf(stdout, 'token')).toMatch(/^failed token the token ended on .* → Ask the operator/);
  });

  it.each([
    [0, 'ok clock as the service’s'],
    [30, 'ok clock 30 s ahead of the service’s'],
    [-3600, 'warning clock 3600 s behind the service’s → Set this machine’s clock'],
  ])('compares the clock: %d s', async (seconds, line) => {
    const date = new Date(NOW - seconds * 1000).toUTCString();
    const { code, stdout } = await doctor({ openTransport: service({ date }) });
    expect(code).toBe(0);
    expect(lineOf(stdout, 'clock')).toContain(line);
  });

  it('asks for the clock without a token', async () => {
    const seen: unknown[] = [];
    await doctor({ openTransport: service({ date: '', seen }) });
    expect(seen).toHaveLength(1);
    expect(Object.keys(seen[0] as object)).toEqual(['accept', 'user-agent']);
  });

  it.each(['received', 'customers'])('fails where %s do, and looks at the others', async (name) => {
    const { code, stdout, stderr } = await doctor({ openTransport: service({ down: `/${name}` }) });
    expect(stderr).toBe(`folio: 1 check of ${CHECKS} failed, first: ${name}\n`);
    expect(code).toBe(5);
    expect(lineOf(stdout, name)).toMatch(new RegExp(`^failed ${name} .*\\(502\\)`));
    expect(lineOf(stdout, 'funds')).toMatch(/^ok funds/);
  });

  it('prints everything as JSON, without secrets', async () => {
    const { code, stdout } = await doctor({}, ['--format', 'json']);
    expect(code).toBe(0);
    const checks = JSON.parse(stdout) as Record<string, unknown>[];
    expect(checks).toHaveLength(CHECKS);
    expect(Object.keys(checks[0]!)).toEqual(['check', 'status', 'says', 'fix']);
    expect(stdout).not.toContain(TOKEN);
  });

  it('wraps its lines to the terminal', async () => {
    const { stdout } = await doctor({ env: {}, terminal: true, columns: 60 });
    const plain = stripVTControlCharacters(stdout);
    expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
