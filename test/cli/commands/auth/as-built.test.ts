import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { always, status, type FaultScript } from '../../../support/faults.ts';
import { startFaultServer } from '../../../support/run-against.ts';
import { needingTerminal, runInTerminal } from '../../../support/in-terminal.ts';
import { jsonWebToken } from '../../../support/json-web-token.ts';
import { runHere } from '../../../support/run-here.ts';
import { fileOf, temporaryFolder } from '../../../support/temporary-folder.ts';
import { expectRefused } from '../../../support/expect-exit.ts';

const tokenOf = (organizationId: string, more: object = {}): string =>
  jsonWebToken({ organizationId, ...more });

interface Stored {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: string;
  readonly read: () => { currentProfile?: string; profiles: Record<string, Record<string, unknown>> };
}

/** A store with profiles at an address, the first of them the current one. */
function storeOf(baseUrl: string, tokens: Readonly<Record<string, string | undefined>>): Stored {
  const folder = join(temporaryFolder(), 'config');
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, 'config.json');
  const profiles = Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, { baseUrl, token }]),
  );
  const text = JSON.stringify({ currentProfile: Object.keys(tokens)[0], profiles });
  writeFileSync(file, text, { mode: 0o600 });
  const read = (): ReturnType<Stored['read']> => JSON.parse(readFileSync(file, 'utf8')) as never;
  return { env: { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined }, file, read };
}

/** Calls `use` with a store of profiles at a service that has one invoice, and with what it was asked. */
async function withProfiles(
  tokens: Readonly<Record<string, string | undefined>>,
  use: (
    stored: Stored & { readonly requests: readonly unknown[]; readonly baseUrl: string },
  ) => Promise<void>,
  script?: FaultScript,
): Promise<void> {
  const { baseUrl, requests } = await startFaultServer({ issued: ['{"id":1}'] }, script);
  await use({ ...storeOf(baseUrl, tokens), baseUrl, requests });
}

describe.concurrent('a profile named by its flag', () => {
  it.each([
    ['FOLIO_TOKEN', tokenOf('org_2')],
    ['FOLIO_BASE_URL', 'http://127.0.0.1:9'],
  ])('does not go with %s, nor do several: nothing is asked under its name', async (name, value) => {
    const tokens = { south: tokenOf('org_1'), north: tokenOf('org_3') };
    await withProfiles(tokens, async ({ env, requests }) => {
      for (const args of [['issued'], ['auth', 'status', '--check'], ['doctor'], ['get', '/customers']]) {
        const run = await runHere([...args, '--profile', 'south'], { env: { ...env, [name]: value } });
        expect(run.code).toBe(2);
        const said = `--profile south and ${name} do not go together`;
        expect(run.stdout.toString() + run.stderr).toContain(said);
      }
      await expectRefused(
        runHere(['issued', '--all-profiles'], { env: { ...env, [name]: value } }),
        `${name} gives one `,
      );
      expect(requests).toEqual([]);
    });
  });
});

describe.concurrent('a token that is refused', () => {
  it('has a hint that names the profile, or where else the token is from', async () => {
    const refusing = always(status(403));
    await withProfiles(
      { south: 'opaque-token-1' },
      async ({ env, baseUrl }) => {
        const login = 'Log in with a new one: `folio auth login --profile south`.\n';
        for (const args of [['issued'], ['issued', '--profile', 'south'], ['auth', 'status', '--check']]) {
          const { code, stderr } = await runHere(args, { env });
          expect(code).toBe(3);
          if (args[0] === 'issued') expect(stderr).toContain(login);
        }
        const other = { FOLIO_TOKEN: 'opaque-token-2', FOLIO_BASE_URL: baseUrl };
        const { stderr } = await runHere(['issued'], { env: other });
        expect(stderr).toContain('Set FOLIO_TOKEN to a new one.\n');
        const doctor = await runHere(['doctor'], { env });
        expect(doctor.stdout.toString()).toContain('`folio auth login --profile south`');
      },
      refusing,
    );
  });
});

describe.concurrent('auth login with the token of another organization', () => {
  const login = (file: string, ...more: string[]): string[] => [
    ...['auth', 'login', '--profile', 'south', '--no-verify', '--token-file', file],
    ...more,
  ];

  it('is refused off a terminal, unless --replace is given', async () => {
    const [before, after] = [tokenOf('org_1'), tokenOf('org_2')];
    const { env, file, read } = storeOf('https://api.example.com/v1', { south: before });
    const text = readFileSync(file, 'utf8');
    await expectRefused(
      runHere(login(fileOf(after)), { env }),
      'folio: profile south is of organization org_1, and this token is of organization org_2; nothing was stored\n' +
        '  Store it under another name with `--profile <name>`, or add --replace.\n',
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await runHere(login(fileOf(after), '--replace'), { env })).code).toBe(0);
    expect(read().profiles['south']).toMatchObject({ token: after, organization: 'org_2' });
  });

  it('is not a question where the organization is the same, or one of the tokens does not tell it', async () => {
    for (const [before, after] of [
      [tokenOf('org_1', { iat: 1 }), tokenOf('org_1', { iat: 2 })],
      ['opaque-token-1', tokenOf('org_2')],
      [tokenOf('org_1'), 'opaque-token-2'],
    ] as const) {
      const { env, read } = storeOf('https://api.example.com/v1', { south: before });
      expect((await runHere(login(fileOf(after)), { env })).code).toBe(0);
      expect(read().profiles['south']).toMatchObject({ token: after });
    }
  });

  it.each([
    ['yes', 0, 'org_2'],
    ['no', 2, undefined],
  ])('is asked about on a terminal: %s', needingTerminal, async (answer, code, organization) => {
    const { env, read } = storeOf('https://api.example.com/v1', { south: tokenOf('org_1') });
    const run = await runInTerminal(login(fileOf(tokenOf('org_2'))), {
      env,
      typed: [['Replace it?', `${answer}\r`]],
    });
    expect(run.code).toBe(code);
    expect(stripVTControlCharacters(run.screen)).toContain(`Replace it? (yes or no) ${answer}`);
    expect(read().profiles['south']!['organization']).toBe(organization);
  });
});

describe.concurrent('all profiles', () => {
  const all = ['issued', '--all-profiles', '--format', 'jsonl'];

  it('are those that are logged in: auth logout forgets one', async () => {
    await withProfiles({ south: tokenOf('org_1'), north: tokenOf('org_2') }, async ({ env, read }) => {
      expect((await runHere(['auth', 'logout', 'north'], { env })).code).toBe(0);
      expect(Object.keys(read().profiles)).toEqual(['south']);
      const { code, stdout } = await runHere(all, { env });
      expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('"south"')]);
    });
  });

  it('lack one that lost its token otherwise: that is exit code 6', async () => {
    await withProfiles({ south: tokenOf('org_1'), north: undefined }, async ({ env }) => {
      const { code, stderr } = await runHere(all, { env });
      expect([code, stderr]).toEqual([6, expect.stringContaining('profile north has no token')]);
    });
  });
});

describe.concurrent('a token that ends within 14 days', () => {
  const end = Math.floor(Date.now() / 1000) + 3 * 86_400;
  const tokens = { south: tokenOf('org_1', { exp: end }) };

  it('is told by receipts and doctor', async () => {
    await withProfiles(tokens, async ({ env }) => {
      const receiptFile = join(temporaryFolder(), 'receipt.json');
      expect((await runHere(['issued', '--receipt', receiptFile], { env })).stderr).toBe('');
      const tokenEndsSoon = new Date(end * 1000).toISOString();
      const receipt = JSON.parse(readFileSync(receiptFile, 'utf8')) as unknown;
      expect(receipt).toMatchObject({ profile: 'south', tokenEndsSoon });
      expect((await runHere(['doctor'], { env })).stdout.toString()).toMatch(/^warning +token .*in 2 days/m);
    });
  });

  it('is told by every run on a terminal', needingTerminal, async () => {
    await withProfiles(tokens, async ({ env }) => {
      const { screen } = await runInTerminal(['issued'], { env });
      expect(screen).toContain('the token ends on ');
    });
  });
});
