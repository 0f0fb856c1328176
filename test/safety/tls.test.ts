import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { runFolio } from '../support/run-folio.ts';
import { runHere, type FolioExit } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startConnectProxy } from './connect-proxy.ts';

/** What trusts an embedded service over HTTPS: its address, a token, and the file with its certificate. */
let sandbox: Record<string, string>;
let service: Sandbox;
let port: number;

beforeAll(async () => {
  service = await startSandbox({ tls: true, issued: 5 });
  const file = join(temporaryFolder(), 'certificate.pem');
  writeFileSync(file, service.certificate!);
  sandbox = {
    FOLIO_BASE_URL: service.baseUrl,
    FOLIO_TOKEN: service.tokens[0],
    NODE_EXTRA_CA_CERTS: file,
  };
  port = Number(new URL(service.baseUrl).port);
});
afterAll(() => service.close());

type Environment = Readonly<Record<string, string | undefined>>;

const LISTING = ['issued', '--limit', '2', '--format', 'csv', '--columns', 'number', '--retries', '0'];

/** Runs against the sandbox in a process of its own: whose certificates it trusts, the runtime reads when it starts. */
function run(env: Environment = {}): Promise<FolioExit> {
  return runFolio(LISTING, { env: { ...sandbox, ...env } });
}

/** Runs against the sandbox without trust in its certificate. */
function runUntrusting(env: Environment = {}, ...args: string[]): Promise<FolioExit> {
  return runHere([...LISTING, ...args], { env: { ...sandbox, ...env, NODE_EXTRA_CA_CERTS: undefined } });
}

/** What it says then: it has reached the sandbox, by whatever way. */
const UNTRUSTED =
  /^folio: no safe connection to 127\.0\.0\.1:\d+: .*self-signed certificate.*\n.*NODE_EXTRA_CA_CERTS/;

describe('certificates', () => {
  it('of an authority in NODE_EXTRA_CA_CERTS are taken', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, rows: stdout.toString().split('\n').length, stderr }).toEqual({
      code: 0,
      rows: 4,
      stderr: '',
    });
  });

  it('that nobody vouches for are refused: exit 5 with the reason, at once', async () => {
    const { code, stdout, stderr } = await runUntrusting({}, '--retries', '5', '--retry-delay', '600000');
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(UNTRUSTED);
  });

  it.each([
    ['without the certificate', runUntrusting],
    ['with it', run],
  ])('are never left unchecked, %s: NODE_TLS_REJECT_UNAUTHORIZED=0 is refused', async (_, run) => {
    const { code, stdout, stderr } = await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates');
  });
});

describe('a proxy', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])(
    'named by %s sees CONNECT, and nothing that is said',
    async (name) => {
      const { host, heads, tunnelled } = await startConnectProxy(port);
      const { code, stdout, stderr } = await run({ [name]: `http://me:pass%2Fword@${host}` });
      expect({ code, rows: stdout.toString().split('\n').length, stderr }).toEqual({
        code: 0,
        rows: 4,
        stderr: '',
      });
      expect(heads).toHaveLength(1);
      expect(heads[0]).toMatch(new RegExp(`^CONNECT 127\\.0\\.0\\.1:${port} `));
      expect(heads[0]).toContain(
        `"proxy-authorization":"Basic ${Buffer.from('me:pass/word').toString('base64')}"`,
      );
      expect(heads[0]).not.toContain(sandbox['FOLIO_TOKEN']);
      expect(tunnelled().slice(0, 2)).toBe('\u0016\u0003'); // A handshake of TLS.
      expect(tunnelled()).not.toContain(sandbox['FOLIO_TOKEN']);
      expect(tunnelled()).not.toContain('/invoices/issued');
    },
  );

  it.each([
    ['NO_PROXY', '127.0.0.1'],
    ['no_proxy', 'example.com,127.0.0.1'],
    ['NO_PROXY', '*'],
  ])('is passed by where %s is %s', async (name, value) => {
    const { host, heads } = await startConnectProxy(port);
    const { stderr } = await runUntrusting({ HTTPS_PROXY: `http://${host}`, [name]: value });
    expect({ stderr, heads }).toEqual({ stderr: expect.stringMatching(UNTRUSTED), heads: [] });
  });

  it('counts as unset, and as not exempted, where the value is empty', async () => {
    const { host, heads } = await startConnectProxy(port);
    const unset = { HTTPS_PROXY: '', https_proxy: '', NO_PROXY: '', no_proxy: '' };
    expect((await runUntrusting(unset)).stderr).toMatch(UNTRUSTED);
    expect(heads).toHaveLength(0);
    expect((await runUntrusting({ ...unset, HTTPS_PROXY: `http://${host}` })).stderr).toMatch(UNTRUSTED);
    expect(heads).toHaveLength(1);
  });

  it.each([407, 502])('that refuses (%i) is named, its password is not', async (status) => {
    const { host } = await startConnectProxy(port, status);
    for (const loudness of [[], ['-v'], ['--debug']]) {
      const env = { HTTPS_PROXY: `http://me:pass%2Fword@${host}` };
      const { code, stdout, stderr } = await runUntrusting(env, ...loudness);
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain(
        `the proxy ${host} on the way to 127.0.0.1:${port} does not let folio through (${status})`,
      );
      expect(stderr).not.toMatch(/pass(?:\/|%2F)word/i);
      expect(stderr).not.toContain(Buffer.from('me:pass/word').toString('base64').slice(0, 12));
    }
  });

  it.each([
    'socks5://h:1',
    'socks5://me:pass-word@h:1',
    'http://me:pass-word%@h:1',
    'pass-word@@:',
    'http://proxy.example:1/path',
    'http://proxy.example:1/?a',
    'http://proxy.example:1/#a',
  ])('that cannot be used is refused without being shown: %s', async (value) => {
    const { code, stderr } = await runUntrusting({ HTTPS_PROXY: value }, '--debug');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^folio: HTTPS_PROXY is not the address of an http or https proxy\n/);
    expect(stderr).not.toContain('pass-word');
  });

  it('never gets what is for this machine in plain http', async () => {
    const { host, heads } = await startConnectProxy(port);
    const env = { HTTPS_PROXY: `http://${host}`, HTTP_PROXY: `http://${host}`, http_proxy: `http://${host}` };
    const { code } = await runHere(['--sandbox', 'issued', '--limit', '1'], { env });
    expect({ code, heads }).toEqual({ code: 0, heads: [] });
  });
});
