import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countFigure } from '../support/random-runs.ts';
import { runHere } from '../support/run-here.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
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
let cases = 0;
beforeAll(async () => {
  [own, other] = [await startHost(), await startHost()];
});
afterAll(() => countFigure({ what: 'redirects', ran: cases, leaked: other.requests.length }));

const STATUSES = [300, 301, 302, 303, 304, 305, 306, 307, 308];
const UNREADABLE = 'an unreadable address';

/** Where to, and how the message names the target: OWN and OTHER are hosts, PORT and FAR their ports. */
const TARGETS: readonly (readonly [what: string, to: string, named: string])[] = [
  ['another host', 'http://localhost:FAR/v1/customers', 'localhost:FAR'],
  ['another port', 'http://OTHER/v1/customers', 'OTHER'],
  ['a subdomain', 'http://evil.localhost:PORT/', 'evil.localhost:PORT'],
  ['a suffix', 'http://OWN.evil.example/', UNREADABLE],
  ['a suffix to the name', 'https://127.0.0.1.evil.example/v1', '127.0.0.1.evil.example'],
  ['a user named like the host', 'http://OWN@OTHER/', 'OTHER'],
  ['a path on the same host', '/v1/customers?again', 'OWN'],
  ['a relative path', '../v2/customers', 'OWN'],
  ['no scheme', '//OTHER/v1/customers', 'OTHER'],
  ['backslashes', '\\\\OTHER/v1', 'OTHER'],
  ['another scheme', 'ftp://OTHER/v1', 'OTHER'],
  ['a file', 'file:///etc/passwd', UNREADABLE],
  ['no host at all', 'javascript:alert(1)', UNREADABLE],
  ['the token in the address', `http://OTHER/?t=${encodeURIComponent(HOSTILE_TOKEN)}`, 'OTHER'],
];

function withHosts(text: string): string {
  const names = { OWN: own.host, OTHER: other.host, PORT: own.port, FAR: other.port };
  return text.replaceAll(/OWN|OTHER|PORT|FAR/g, (name) => String(names[name as keyof typeof names]));
}

describe('a redirect', () => {
  it.each(
    TARGETS.flatMap(([what, ...target]) => STATUSES.map((status) => [status, what, ...target] as const)),
  )('%i to %s: the token is seen nowhere else', async (status, _, to, named) => {
    const env = { FOLIO_TOKEN: HOSTILE_TOKEN, FOLIO_BASE_URL: own.origin };
    const query = ['--param', `status=${status}`, '--param', `to=${withHosts(to)}`];
    const { code, stdout, stderr } = await runHere(['customers', '--retries', '2', ...query], { env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 5, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(
      `folio: ${own.host} redirects to ${withHosts(named)} (${status}), and folio takes the token nowhere else`,
    );
    expect(stderr).not.toContain(HOSTILE_TOKEN);
    expect(other.requests).toEqual([]);
    // Asked once: neither followed nor tried again.
    const sent = own.requests.splice(0).map(({ url, headers }) => [url.pathname, headers.authorization]);
    expect(sent).toEqual([['/v1/customers', HOSTILE_TOKEN]]);
    cases++;
  });
});
