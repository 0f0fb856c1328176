import { describe, expect, it } from 'vitest';
import { requireConnection, resolveConnection, type Connection } from '../../src/profiles/connection.ts';
import { errorLike } from '../support/error-like.ts';
import { FakeInput } from '../support/fake-streams.ts';
import { jsonWebToken } from '../support/json-web-token.ts';
import { memoryStore } from '../support/memory-store.ts';

const now = Date.UTC(2026, 10, 20);
const day = 86_400;
const ended = jsonWebToken({ exp: now / 1000 - day });
const theirs = jsonWebToken({ organizationId: 'theirs' });
const endingNow = jsonWebToken({ exp: now / 1000 });

const baseUrl = 'https://acme.example/v1';
const acme = { baseUrl, token: 'acme-token' };
const beta = { baseUrl: 'https://beta.example/v1', token: 'beta-token' };
const printing = { baseUrl, tokenCommand: [process.execPath, '-p', '"printed"'] };

/** What may be stored, by a word of a case. */
const STORES: Readonly<Record<string, object>> = {
  usual: { currentProfile: 'acme', profiles: { acme, beta, printing, empty: {} } },
  none: {},
  gone: { currentProfile: 'gone' },
  guarded: {
    currentProfile: 'acme',
    profiles: {
      acme,
      local: { baseUrl: 'http://localhost/v1', token: 't' },
      failing: { baseUrl, tokenCommand: ['folio-must-not-run-this'] },
      bare: { token: 't' },
    },
  },
  two: { profiles: { acme: { baseUrl }, lake: { baseUrl } } },
  tokenless: { profiles: { acme: { baseUrl } } },
  ended: { profiles: { acme: { baseUrl, token: ended } } },
  ours: { profiles: { ours: { baseUrl, token: jsonWebToken({ organizationId: 'ours' }) } } },
  broken: { currentProfile: 'acme', profiles: { acme: { baseUrl: 'ftp://x', token: 't' } } },
};

/** A connection by a line such as `--profile beta FOLIO_TOKEN=t`; `store=` names what is stored, `stdin=` what is piped. */
function resolve(line: string): Promise<Connection> {
  const flag = (name: string): string | undefined => new RegExp(`--${name} (\\S+)`).exec(line)?.[1];
  const words = line.replaceAll(/--\S+ \S+/g, '').match(/\w+=(?:"[^"]*"|\S*)/g) ?? [];
  const {
    store = 'usual',
    stdin,
    ...env
  } = Object.fromEntries(words.map((word) => /^(\w+)="?([^"]*)/.exec(word)!.slice(1))) as Readonly<
    Record<string, string>
  >;
  const flags = { profile: flag('profile'), baseUrl: flag('base-url'), tokenFile: flag('token-file') };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const { signal } = new AbortController();
  return resolveConnection(
    { env, stdin: new FakeInput({ text: stdin }), signal },
    { flags: Object.fromEntries(given), store: memoryStore(STORES[store]) },
  );
}

async function summary(line: string): Promise<string> {
  const { profile, baseUrl, token, tokenSource } = await resolve(line);
  return [profile, baseUrl?.host, token?.reveal(), tokenSource].map((part) => part ?? '-').join(' ');
}

describe('resolveConnection', () => {
  const OTHER =
    '--profile ours and --token-file do not go together: they are of two organizations, ours and theirs';
  const ELSEWHERE = 'FOLIO_BASE_URL=https://other.example';
  it.each([
    ['', 'acme acme.example acme-token profile'],
    ['FOLIO_PROFILE=beta', 'beta beta.example beta-token profile'],
    ['--profile printing FOLIO_PROFILE=beta', 'printing acme.example printed token command'],
    ['FOLIO_TOKEN=env-token', 'acme acme.example env-token FOLIO_TOKEN'],
    ['--token-file - FOLIO_TOKEN=env-token stdin=piped', 'acme acme.example piped token file'],
    [`FOLIO_TOKEN=env-token ${ELSEWHERE}`, 'acme other.example env-token FOLIO_TOKEN'],
    [`--base-url https://flag.example FOLIO_TOKEN=t ${ELSEWHERE}`, 'acme flag.example t FOLIO_TOKEN'],
    ['FOLIO_TOKEN= FOLIO_BASE_URL= FOLIO_PROFILE=', 'acme acme.example acme-token profile'],
    ['--base-url https://ACME.example/', 'acme acme.example acme-token profile'],
    ['store=none', '- - - -'],
    ['--profile empty', 'empty - - -'],
    ['store=none FOLIO_TOKEN=t FOLIO_BASE_URL=http://127.0.0.1:8080', '- 127.0.0.1:8080 t FOLIO_TOKEN'],
  ])('of %j is %s', async (line, expected) => {
    expect(await summary(line)).toBe(expected);
  });

  it.each([
    '--base-url https://evil.example/v1',
    '--base-url https://acme.example.evil.com/v1',
    'FOLIO_BASE_URL=https://acme.example:8443/v1',
    'FOLIO_BASE_URL=https://acme.example/other/v1',
    '--profile local --base-url https://localhost/v1',
    '--profile failing --base-url https://evil.example/v1',
    '--profile bare --base-url https://evil.example/v1',
  ])('sends the token of a profile nowhere else: %s', async (line) => {
    await expect(resolve(`${line} store=guarded`)).rejects.toMatchObject({
      name: 'AuthError',
      message: expect.stringMatching(/^the token of profile \w+ .*, it is not sent to https:/) as string,
      hint: expect.stringContaining('folio auth login --profile <name> --base-url https://') as string,
    });
  });

  it.each([
    ['--profile gamma', 'UsageError', 'there is no profile "gamma"'],
    ['FOLIO_PROFILE=gamma', 'UsageError', 'there is no profile "gamma", which FOLIO_PROFILE names'],
    ['--profile a,b', 'UsageError', '--profile "a,b": this cannot be the name of a profile'],
    ['store=gone', 'AuthError', 'the current profile "gone" does not exist'],
    [`--profile ours store=ours --token-file - stdin=${theirs}`, 'UsageError', OTHER],
    ['FOLIO_TOKEN="a b"', 'AuthError', 'the token (FOLIO_TOKEN) has a space at character 2 of 3'],
  ])('refuses %s', async (line, name, message) => {
    await expect(resolve(line)).rejects.toThrow(errorLike(name, message));
  });

  it('refuses a bad address, given or stored, saying where it stands', async () => {
    await expect(resolve('--base-url http://acme.example')).rejects.toMatchObject({ name: 'UsageError' });
    await expect(resolve('store=broken')).rejects.toThrow(
      /config\.json cannot be used: profiles\.acme\.baseUrl: /,
    );
  });
});

describe('requireConnection', () => {
  const ENDED = 'the token ended on 2026-11-19 at 00:00 UTC (1 day ago)';
  it.each([
    ['store=none', 'AuthError: there is no token', 'folio auth login --base-url https://<host>/v1'],
    ['store=none FOLIO_BASE_URL=https://x.example', 'AuthError: there is no token', ' https://x.example/v1'],
    ['store=two', 'AuthError: there is no token', 'choose a profile with `folio auth use`'],
    ['--profile acme store=tokenless', 'AuthError: profile acme has no token', 'login --profile acme`'],
    ['store=none FOLIO_TOKEN=t', 'UsageError: there is no base address', '--base-url https://<host>/v1'],
    [`FOLIO_TOKEN=${ended}`, `AuthError: ${ENDED}`, 'Set FOLIO_TOKEN to a new one.'],
    [`FOLIO_TOKEN=${endingNow}`, 'the token ended on 2026-11-20 at 00:00 UTC (in less than a day)', ''],
    ['--profile acme store=ended', `AuthError: ${ENDED}`, '`folio auth login --profile acme`.'],
  ])('refuses the connection of %s and names the command that mends it', async (line, message, hint) => {
    const connection = await resolve(line);
    const refused = await (async () => requireConnection(connection, now))().catch((error: unknown) => error);
    expect(String(refused)).toContain(message);
    expect(refused).toMatchObject({ hint: expect.stringContaining(hint) });
  });

  it.each([
    [1, 'on 2026-11-20 at 00:00 UTC (in less than a day)'],
    [day, 'on 2026-11-21 at 00:00 UTC (in 1 day)'],
    [10.5 * day, 'on 2026-11-30 at 12:00 UTC (in 10 days)'],
    [14 * day, 'on 2026-12-04 at 00:00 UTC (in 14 days)'],
    [14 * day + 1, undefined],
  ])('lets the rest through, with a note in its last 14 days: %i s before its end', async (seconds, says) => {
    const ending = await resolve(`FOLIO_TOKEN=${jsonWebToken({ exp: now / 1000 + seconds })}`);
    const note = `the token ends ${says}; ask the operator of the service for a new one`;
    expect(requireConnection(ending, now).warning).toBe(says === undefined ? undefined : note);
  });
});
