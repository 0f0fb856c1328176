import { describe, expect, it } from 'vitest';
import { requireConnection } from '../../src/profiles/connection.ts';
import { resolveConnection, type Connection, type ConnectionFlags } from '../../src/profiles/connection.ts';
import type { Environment } from '../../src/context.ts';
import { errorLike } from '../support/error-like.ts';
import { FakeInput } from '../support/fake-streams.ts';
import { jsonWebToken } from '../support/json-web-token.ts';
import { memoryStore } from '../support/memory-store.ts';

const acme = { baseUrl: 'https://acme.example/v1', token: 'acme-token' };
const beta = { baseUrl: 'https://beta.example/v1', token: 'beta-token' };
const printing = { baseUrl: 'https://acme.example/v1', tokenCommand: [process.execPath, '-p', '"printed"'] };
const store = { currentProfile: 'acme', profiles: { acme, beta, printing, empty: {} } };

interface Case {
  readonly flags?: ConnectionFlags;
  readonly env?: Environment;
  readonly store?: object;
  readonly stdin?: string;
}

function resolve(given: Case): Promise<Connection> {
  const stdin = new FakeInput({ text: given.stdin });
  const { signal } = new AbortController();
  return resolveConnection(
    { env: given.env ?? {}, stdin, signal },
    { flags: given.flags ?? {}, store: memoryStore(given.store ?? store) },
  );
}

async function summary(given: Case): Promise<string> {
  const { profile, baseUrl, token, tokenSource } = await resolve(given);
  return [profile, baseUrl?.host, token?.reveal(), tokenSource].map((part) => part ?? '-').join(' ');
}

describe('resolveConnection', () => {
  it.each<[string, Case, string]>([
    ['the current profile', {}, 'acme acme.example acme-token profile'],
    ['FOLIO_PROFILE before it', { env: { FOLIO_PROFILE: 'beta' } }, 'beta beta.example beta-token profile'],
    [
      '--profile before both',
      { flags: { profile: 'printing' }, env: { FOLIO_PROFILE: 'beta' } },
      'printing acme.example printed token command',
    ],
    [
      'FOLIO_TOKEN before the profile’s',
      { env: { FOLIO_TOKEN: 'env-token' } },
      'acme acme.example env-token FOLIO_TOKEN',
    ],
    [
      '--token-file before FOLIO_TOKEN',
      { flags: { tokenFile: '-' }, env: { FOLIO_TOKEN: 'env-token' }, stdin: 'piped' },
      'acme acme.example piped token file',
    ],
    [
      'FOLIO_TOKEN wherever FOLIO_BASE_URL says',
      { env: { FOLIO_TOKEN: 'env-token', FOLIO_BASE_URL: 'https://other.example' } },
      'acme other.example env-token FOLIO_TOKEN',
    ],
    [
      '--base-url before FOLIO_BASE_URL',
      {
        flags: { baseUrl: 'https://flag.example' },
        env: { FOLIO_TOKEN: 't', FOLIO_BASE_URL: 'https://env.example' },
      },
      'acme flag.example t FOLIO_TOKEN',
    ],
    [
      'empty variables as unset',
      { env: { FOLIO_TOKEN: '', FOLIO_BASE_URL: '', FOLIO_PROFILE: '' } },
      'acme acme.example acme-token profile',
    ],
    [
      'the profile’s own address, spelled otherwise',
      { flags: { baseUrl: 'https://ACME.example/' } },
      'acme acme.example acme-token profile',
    ],
    ['nothing where there is nothing', { store: {} }, '- - - -'],
    ['a profile without anything', { flags: { profile: 'empty' } }, 'empty - - -'],
    [
      'all from the environment without a store',
      { store: {}, env: { FOLIO_TOKEN: 't', FOLIO_BASE_URL: 'http://127.0.0.1:8080' } },
      '- 127.0.0.1:8080 t FOLIO_TOKEN',
    ],
  ])('takes %s', async (_what, given, expected) => {
    expect(await summary(given)).toBe(expected);
  });

  it.each<[string, Case]>([
    ['another host', { flags: { baseUrl: 'https://evil.example/v1' } }],
    ['a subdomain', { flags: { baseUrl: 'https://acme.example.evil.com/v1' } }],
    ['another port', { env: { FOLIO_BASE_URL: 'https://acme.example:8443/v1' } }],
    ['another path', { env: { FOLIO_BASE_URL: 'https://acme.example/other/v1' } }],
    ['another scheme', { flags: { profile: 'local', baseUrl: 'https://localhost/v1' } }],
    ['a token command’s', { flags: { profile: 'failing', baseUrl: 'https://evil.example/v1' } }],
    ['a profile without an address', { flags: { profile: 'bare', baseUrl: 'https://evil.example/v1' } }],
  ])('sends the token of a profile nowhere else: %s', async (_where, given) => {
    const local = { baseUrl: 'http://localhost/v1', token: 't' };
    const failing = { baseUrl: acme.baseUrl, tokenCommand: ['folio-must-not-run-this'] };
    const profiles = { acme, local, failing, bare: { token: 't' } };
    await expect(resolve({ ...given, store: { currentProfile: 'acme', profiles } })).rejects.toMatchObject({
      name: 'AuthError',
      message: expect.stringMatching(/^the token of profile \w+ .*, it is not sent to https:/) as string,
      hint: expect.stringContaining('folio auth login --profile <name> --base-url https://') as string,
    });
  });

  it.each<[string, Case, string, string]>([
    ['no such --profile', { flags: { profile: 'gamma' } }, 'UsageError', 'there is no profile "gamma"'],
    [
      'no such FOLIO_PROFILE',
      { env: { FOLIO_PROFILE: 'gamma' } },
      'UsageError',
      'there is no profile "gamma"',
    ],
    [
      'the name of no profile',
      { flags: { profile: 'a,b' } },
      'UsageError',
      '--profile "a,b": this cannot be the name of a profile',
    ],
    [
      'a current profile that is gone',
      { store: { currentProfile: 'gone' } },
      'AuthError',
      'the current profile "gone" does not exist',
    ],
    [
      'a malformed FOLIO_TOKEN',
      { env: { FOLIO_TOKEN: 'a b' } },
      'AuthError',
      'the token (FOLIO_TOKEN) has a space at character 2 of 3',
    ],
  ])('refuses %s', async (_what, given, name, message) => {
    await expect(resolve(given)).rejects.toThrow(errorLike(name, message));
  });

  it('refuses a bad address, given or stored, saying where it stands', async () => {
    await expect(resolve({ flags: { baseUrl: 'http://acme.example' } })).rejects.toMatchObject({
      name: 'UsageError',
    });
    const broken = { currentProfile: 'acme', profiles: { acme: { baseUrl: 'ftp://x', token: 't' } } };
    await expect(resolve({ store: broken })).rejects.toThrow(
      /config\.json cannot be used: profiles\.acme\.baseUrl: /,
    );
  });

  it.each(['FOLIO_TOKEN', 'FOLIO_BASE_URL'])(
    'refuses %s beside a profile named by its flag',
    async (name) => {
      const env = { [name]: 'https://x.example' };
      await expect(resolve({ flags: { profile: 'beta' }, env })).rejects.toThrow(
        errorLike(
          'UsageError',
          `--profile beta and ${name} do not go together: a profile brings its own token and address`,
        ),
      );
    },
  );

  it('notes that a Bearer was taken off', async () => {
    const { notes } = await resolve({ env: { FOLIO_TOKEN: 'Bearer abc' } });
    expect(notes).toEqual([expect.stringContaining('was taken off')]);
    expect((await resolve({ env: { FOLIO_TOKEN: 'abc' } })).notes).toEqual([]);
  });
});

describe('requireConnection', () => {
  const now = Date.UTC(2026, 10, 20);
  const day = 86_400;

  it.each<[string, Case, string, string, string]>([
    [
      'neither',
      { store: {} },
      'AuthError',
      'there is no token',
      'folio auth login --base-url https://<host>/v1',
    ],
    [
      'no token',
      { store: {}, env: { FOLIO_BASE_URL: 'https://x.example' } },
      'AuthError',
      'there is no token',
      'folio auth login --base-url https://x.example/v1',
    ],
    [
      'no profile chosen of those that there are',
      { store: { profiles: { acme: { baseUrl: acme.baseUrl }, lake: { baseUrl: acme.baseUrl } } } },
      'AuthError',
      'there is no token, and no profile is the current one',
      'Choose one with `folio auth use acme` or --profile (there is: acme, lake), or set FOLIO_TOKEN.',
    ],
    [
      'no token in the profile',
      { store: { profiles: { acme: { baseUrl: acme.baseUrl } } }, flags: { profile: 'acme' } },
      'AuthError',
      'profile acme has no token',
      'folio auth login --profile acme`',
    ],
    [
      'no address',
      { store: {}, env: { FOLIO_TOKEN: 't' } },
      'UsageError',
      'there is no base address, so folio does not know where the service is',
      '--base-url https://<host>/v1',
    ],
    [
      'a token that has ended',
      { env: { FOLIO_TOKEN: jsonWebToken({ exp: now / 1000 - day }) } },
      'AuthError',
      'the token ended on 2026-11-19 at 00:00 UTC (1 day ago)',
      'Set FOLIO_TOKEN to a new one.',
    ],
    [
      'a token of a profile that has ended',
      {
        store: {
          profiles: { acme: { baseUrl: acme.baseUrl, token: jsonWebToken({ exp: now / 1000 - day }) } },
        },
        flags: { profile: 'acme' },
      },
      'AuthError',
      'the token ended on 2026-11-19 at 00:00 UTC (1 day ago)',
      'Log in with a new one: `folio auth login --profile acme`.',
    ],
  ])(
    'refuses a connection with %s and names the command that mends it',
    async (_what, given, name, message, hint) => {
      const connection = await resolve(given);
      const require = (): unknown => requireConnection(connection, now);
      expect(require).toThrow(errorLike(name, message));
      expect(require).toThrow(
        expect.objectContaining({ hint: expect.stringContaining(hint) as string }) as Error,
      );
    },
  );

  it('lets the rest through, with a note where the token ends soon', async () => {
    expect(requireConnection(await resolve({}), now)).toMatchObject({ profile: 'acme', notes: [] });
    const ending = await resolve({ env: { FOLIO_TOKEN: jsonWebToken({ exp: now / 1000 + 3 * day }) } });
    expect(requireConnection(ending, now).notes).toEqual([
      expect.stringMatching(/^the token ends on 2026-11-23/),
    ]);
  });
});
