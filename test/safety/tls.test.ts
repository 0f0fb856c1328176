import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { makeCertificate } from '../support/certificate.ts';
import { runFolio } from '../support/run-folio.ts';
import { runHere, type FolioExit } from '../support/run-here.ts';
import { startProxy } from '../support/servers.ts';
import { fileOf } from '../support/temporary-folder.ts';

let service: Sandbox;
/** What trusts an embedded service over HTTPS: its address, a token, and the file with its certificate. */
let sandbox: Record<string, string>;
let port: number;

beforeAll(async () => {
  const certificate = await makeCertificate();
  service = await startSandbox({ certificate, issued: 5 });
  const file = fileOf(certificate.cert, 'certificate.pem');
  const { baseUrl, tokens } = service;
  sandbox = { FOLIO_BASE_URL: baseUrl, FOLIO_TOKEN: tokens[0], NODE_EXTRA_CA_CERTS: file };
  port = Number(new URL(baseUrl).port);
});
afterAll(() => service.close());

type Environment = Readonly<Record<string, string | undefined>>;

const LISTING = ['issued', '--limit', '2', '--format', 'csv', '--columns', 'number', '--retries', '0'];
const ROWS = { code: 0, stdout: expect.stringMatching(/^(?:.+\n){3}$/), stderr: '' };

/** Runs against the sandbox in a process of its own: whose certificates it trusts, the runtime reads when it starts. */
async function run(env: Environment = {}) {
  return texts(await runFolio(LISTING, { env: { ...sandbox, ...env } }));
}

/** Runs against the sandbox without trust in its certificate. */
async function runUntrusting(env: Environment = {}, ...args: string[]) {
  const own = { ...sandbox, ...env, NODE_EXTRA_CA_CERTS: undefined };
  return texts(await runHere([...LISTING, ...args], { env: own }));
}

const texts = ({ code, stdout, stderr }: FolioExit) => ({ code, stdout: stdout.toString(), stderr });

/** The message then: it has reached the sandbox, by whatever way. */
const UNTRUSTED = expect.stringMatching(
  /^folio: no safe connection to 127\.0\.0\.1:\d+: .*self-signed certificate.*\n.*NODE_EXTRA_CA_CERTS/,
) as string;

describe('certificates', () => {
  it('of an authority in NODE_EXTRA_CA_CERTS are taken', async () => {
    expect(await run()).toEqual(ROWS);
  });

  it.each([
    [30, /^ok +TLS +TLSv1\.3, certificate by folio sandbox, ends .*in 29 days/m],
    [10, /^warning +TLS .*, ends .*in 9 days.* → Tell the operator of the service/m],
  ])('that end after %i days are described by doctor', async (days, line) => {
    const certificate = await makeCertificate(undefined, days);
    const { baseUrl, tokens, ...service } = await startSandbox({ certificate, issued: 5 });
    const file = fileOf(certificate.cert, 'certificate.pem');
    const env = { FOLIO_BASE_URL: baseUrl, FOLIO_TOKEN: tokens[0], NODE_EXTRA_CA_CERTS: file };
    const { code, stdout } = await runFolio(['doctor'], { env }).finally(() => service.close());
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(line)]);
  });

  it('that nobody vouches for are refused: exit 5 with the reason, at once', async () => {
    const exit = await runUntrusting({}, '--retries', '5', '--retry-delay', '600000');
    expect(exit).toEqual({ code: 5, stdout: '', stderr: UNTRUSTED });
  });

  it.each([
    ['without the certificate', runUntrusting],
    ['with it', run],
  ])('are never left unchecked, %s: NODE_TLS_REJECT_UNAUTHORIZED=0 is refused', async (_, run) => {
    const says = 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates';
    const exit = await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(exit).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });
});

describe('a proxy', () => {
  const password = Buffer.from('me:pass/word').toString('base64');

  const VARIABLES = ['HTTPS_PROXY', 'https_proxy'];
  it.each(VARIABLES)('named by %s sees CONNECT, and nothing that is said', async (name) => {
    const { host, asked, tunnelled } = await startProxy();
    expect(await run({ [name]: `http://me:pass%2Fword@${host}` })).toEqual(ROWS);
    const headers = expect.objectContaining({ 'proxy-authorization': `Basic ${password}` });
    expect(asked).toEqual([{ method: 'CONNECT', url: `127.0.0.1:${port}`, headers }]);
    const token = sandbox['FOLIO_TOKEN'];
    expect(JSON.stringify(asked) + tunnelled()).not.toContain(token);
    expect(tunnelled().slice(0, 2)).toBe('\u0016\u0003'); // A handshake of TLS.
    expect(tunnelled()).not.toContain('/invoices/issued');
  });

  it.each([
    ['NO_PROXY', '127.0.0.1'],
    ['no_proxy', 'example.com,127.0.0.1'],
    ['NO_PROXY', '*'],
  ])('is passed by where %s is %s', async (name, value) => {
    const { host, asked } = await startProxy();
    const { stderr } = await runUntrusting({ HTTPS_PROXY: `http://${host}`, [name]: value });
    expect({ stderr, asked }).toEqual({ stderr: UNTRUSTED, asked: [] });
  });

  it('counts as unset, and as not exempted, where the value is empty', async () => {
    const { host, asked } = await startProxy();
    const unset = { HTTPS_PROXY: '', https_proxy: '', NO_PROXY: '', no_proxy: '' };
    for (const [env, tunnels] of [
      [unset, 0],
      [{ ...unset, HTTPS_PROXY: `http://${host}` }, 1],
    ] as const)
      expect([(await runUntrusting(env)).stderr, asked.length]).toEqual([UNTRUSTED, tunnels]);
  });

  it.each([407, 502])('that refuses (%i) is named, its password is not', async (status) => {
    const { host } = await startProxy(status);
    for (const loudness of [[], ['-v'], ['--debug']]) {
      const env = { HTTPS_PROXY: `http://me:pass%2Fword@${host}` };
      const { stderr, ...exit } = await runUntrusting(env, ...loudness);
      expect(exit).toEqual({ code: 5, stdout: '' });
      const says = `the proxy ${host} on the way to 127.0.0.1:${port} does not let folio through (${status})`;
      expect(stderr).toContain(says);
      expect(stderr).not.toMatch(/pass(?:\/|%2F)word/i);
      expect(stderr).not.toContain(password.slice(0, 12));
    }
  });

  it.each([
    ...['socks5://h:1', 'socks5://me:pass-word@h:1', 'http://me:pass-word%@h:1', 'pass-word@@:'],
    ...['http://proxy.example:1/path', 'http://proxy.example:1/?a', 'http://proxy.example:1/#a'],
  ])('that cannot be used is refused without being shown: %s', async (value) => {
    const { code, stderr } = await runUntrusting({ HTTPS_PROXY: value }, '--debug');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^folio: HTTPS_PROXY is not the address of an http or https proxy\n/);
    expect(stderr).not.toContain('pass-word');
  });

  it.each([
    ['', 200, /^ok +proxy +HOST, from HTTPS_PROXY\nok +DNS .*\nok +TCP +HOST .*\nfailed +TLS +no safe/m],
    ['', 407, /^ok +TCP +HOST .*\nfailed +TLS +the proxy HOST on the way .* \(407\) → /m],
    ['127.0.0.1', 200, /^ok +proxy +HOST, from HTTPS_PROXY, is not for this .*\nok +DNS .*\nok +TCP +127/m],
  ])('is seen by doctor, without its password: NO_PROXY=%s, %i', async (NO_PROXY, status, lines) => {
    const { host } = await startProxy(status);
    const proxy = { HTTPS_PROXY: `http://me:pass%2Fword@${host}`, NO_PROXY };
    const env = { ...sandbox, NODE_EXTRA_CA_CERTS: undefined, ...proxy };
    const { code, stdout, stderr } = texts(await runHere(['doctor'], { env }));
    expect(stdout.replaceAll(host, 'HOST')).toMatch(lines);
    expect([code, stderr]).toEqual([5, expect.stringMatching('first: TLS')]);
    expect(stdout + stderr).not.toMatch(/pass(?:\/|%2F)word/i);
  });

  it('never gets what is for this machine in plain http', async () => {
    const { host, asked } = await startProxy();
    const env = { HTTPS_PROXY: `http://${host}`, HTTP_PROXY: `http://${host}`, http_proxy: `http://${host}` };
    const { code } = await runHere(['--sandbox', 'issued', '--limit', '1'], { env });
    expect({ code, asked }).toEqual({ code: 0, asked: [] });
  });
});
