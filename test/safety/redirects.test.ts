import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countFigure } from '../support/random-runs.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { runHere } from '../support/run-here.ts';
import { HOSTILE_TOKEN } from './token-forms.ts';

/** Answers each request with the redirect that its parameters `status` and `to` ask for. */
function startHost(): Promise<HttpService> {
  return startHttpService((_, response, { url: { searchParams } }) => {
    const location = searchParams.get('to');
    response.writeHead(Number(searchParams.get('status') ?? 200), location === null ? {} : { location });
    response.end('{"data":[],"errors":[],"nextToken":null}');
  });
}

let own: HttpService;
let other: HttpService;
beforeAll(async () => {
  own = await startHost();
  other = await startHost();
});
let cases = 0;
afterAll(() => {
  countFigure({ what: 'redirects', ran: cases, leaked: other.requests.length });
});

const STATUSES = [300, 301, 302, 303, 304, 305, 306, 307, 308];

/** Where to, and how the message names the target. */
const TARGETS: readonly (readonly [what: string, to: () => string, named: () => string])[] = [
  ['another host', () => `http://localhost:${other.port}/v1/customers`, () => `localhost:${other.port}`],
  ['another port', () => `http://${other.host}/v1/customers`, () => other.host],
  [
    'a subdomain',
    () => `http://evil.${own.host.replace('127.0.0.1', 'localhost')}/`,
    () => `evil.localhost:${own.port}`,
  ],
  ['a suffix', () => `http://${own.host}.evil.example/`, () => 'an unreadable address'],
  ['a suffix to the name', () => 'https://127.0.0.1.evil.example/v1', () => '127.0.0.1.evil.example'],
  ['a user named like the host', () => `http://${own.host}@${other.host}/`, () => other.host],
  ['a path on the same host', () => '/v1/customers?again', () => own.host],
  ['a relative path', () => '../v2/customers', () => own.host],
  ['no scheme', () => `//${other.host}/v1/customers`, () => other.host],
  ['backslashes', () => `\\\\${other.host}/v1`, () => other.host],
  ['another scheme', () => `ftp://${other.host}/v1`, () => other.host],
  ['a file', () => 'file:///etc/passwd', () => 'an unreadable address'],
  ['no host at all', () => 'javascript:alert(1)', () => 'an unreadable address'],
  [
    'the token in the address',
    () => `http://${other.host}/?t=${encodeURIComponent(HOSTILE_TOKEN)}`,
    () => other.host,
  ],
];

describe('a redirect', () => {
  it.each(
    TARGETS.flatMap(([what, ...target]) => STATUSES.map((status) => [status, what, ...target] as const)),
  )('%i to %s: the token is seen nowhere else', async (status, _, to, named) => {
    const env = { FOLIO_TOKEN: HOSTILE_TOKEN, FOLIO_BASE_URL: `http://${own.host}` };
    const query = ['--param', `status=${status}`, '--param', `to=${to()}`];
    const { code, stdout, stderr } = await runHere(['customers', '--retries', '2', ...query], { env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 5, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(
      `folio: ${own.host} redirects to ${named()} (${status}), and folio takes the token nowhere else`,
    );
    expect(stderr).not.toContain(HOSTILE_TOKEN);
    expect(other.requests).toEqual([]);
    // Asked once: neither followed nor tried again.
    const asked = own.requests.splice(0).map(({ url, headers }) => [url.pathname, headers.authorization]);
    expect(asked).toEqual([['/v1/customers', HOSTILE_TOKEN]]);
    cases++;
  });
});
