import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext } from '../support/fake-context.ts';
import { countFigure, TRIES_ALL } from '../support/random-runs.ts';
import { loopbackServer } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ECHOES, repeat } from './echoes.ts';
import { everyCommand } from './every-command.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** Ways to have folio say more, or something else. */
const LOUDNESS = [[], ['-v'], ['--debug'], ['--debug', '--retries', '0']];

/** In `npm test`, each command meets every fourth echo, and each echo every fourth command; in `.ci/run` all meet. */
const EVERY = TRIES_ALL ? 1 : 4;

/** They meet each time in another loudness and, in turn, with either source; for the figures, in every loudness. */
const ALL = process.env['FOLIO_FIGURES'] !== undefined;

/** Where a token can come from. */
const SOURCES = ['FOLIO_TOKEN', 'profile'] as const;

/** Runs besides the bare commands: what else is said, what is written about a run, and the token where it does not belong. */
function furtherRuns(folder: string): string[][] {
  const [file, receiptFile] = [join(folder, 'out.jsonl'), join(folder, 'receipt.json')];
  return [
    ['issued', '--format', 'table', '--customer-fiscal-id', '1-9'],
    ['issued', '--list-columns'],
    ['issued', '--output', file, '--receipt', receiptFile],
    ['received', '--output', file, '--receipt', receiptFile],
    ['customers', '--param', `q=${HOSTILE_TOKEN}`, '--receipt', receiptFile],
    ['get', '/invoices/received?options_page=0', '--paginate'],
    ['auth', 'login', '--profile', 'other', '--token-file', join(folder, 'token')],
    ['auth', 'status', '--format', 'json'],
    ['issued', '--all-profiles', '--output-dir', join(folder, 'all'), '--format', 'jsonl'],
    ['issued', '--profile', 'main,main', '--format', 'table'],
    ['auth', 'status', '--all-profiles'],
  ];
}

/** The token that folio was given by the environment, typed where something else is expected. */
const MISPLACED: readonly (readonly string[])[] = [
  ['auth', 'use', HOSTILE_TOKEN],
  ['config', 'set', 'format', HOSTILE_TOKEN],
  ['issued', '--limit', HOSTILE_TOKEN],
  ['verify', HOSTILE_TOKEN],
];

/** The place of a run in its command line. */
const FOLDER = '<folder>';

const RUNS: readonly (readonly string[])[] = [
  ...(await everyCommand(FOLDER)),
  ...furtherRuns(FOLDER),
  ...MISPLACED,
];

interface Site {
  readonly folder: string;
  readonly baseUrl: string;
  readonly source: (typeof SOURCES)[number];
}

/** A folder with a token file and, for a profile, a store: the only places that may hold the token. */
function prepare({ folder, baseUrl, source }: Site): Record<string, string> {
  const config = join(folder, 'config');
  mkdirSync(config, { mode: 0o700 });
  writeFileSync(join(folder, 'token'), HOSTILE_TOKEN, { mode: 0o600 });
  const known = { FOLIO_CONFIG_DIR: config, HTTPS_PROXY: 'http://me:pass-word@proxy.example:1' };
  if (source === 'FOLIO_TOKEN') return { ...known, FOLIO_TOKEN: HOSTILE_TOKEN, FOLIO_BASE_URL: baseUrl };
  const store = { currentProfile: 'main', profiles: { main: { baseUrl, token: HOSTILE_TOKEN } } };
  writeFileSync(join(config, 'config.json'), JSON.stringify(store), { mode: 0o600 });
  return known;
}

interface Captured {
  readonly what: string;
  readonly text: string;
}

/** Everything that a run has left behind, but for what is data. */
async function runAndCapture(args: readonly string[], site: Site, isData: boolean): Promise<Captured[]> {
  const env = prepare(site);
  const context = fakeContext({
    argv: args,
    env,
    stdin: { text: HOSTILE_TOKEN },
    openTransport: openUndiciTransport,
    terminal: args.length % 2 === 0,
  });
  const code = await runCommandLine(context);
  const said = [{ what: `stderr of ${args.join(' ')}`, text: context.stderr.text }];
  const isBody = isData && (code === 0 || args[0] === 'get');
  if (!isBody) said.push({ what: `stdout of ${args.join(' ')}`, text: context.stdout.text });
  const files = readdirSync(site.folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(site.folder, name)).isFile())
    .filter((name) => name !== 'token' && name !== 'config/config.json')
    .filter((name) => !isData || name === 'receipt.json');
  return [
    ...said,
    ...files.map((name) => ({
      what: `${name} of ${args.join(' ')}`,
      text: `${name}\n${readFileSync(join(site.folder, name), 'latin1')}`,
    })),
  ];
}

let searched = 0;
let leaked = 0;

describe('a service that repeats the token', () => {
  afterAll(() => countFigure({ what: 'captures searched for the token', ran: searched, leaked }));

  it('is met by commands of every depth', async () => {
    const commands = (await everyCommand('/f')).map((words) => words.join(' '));
    expect(commands.length).toBeGreaterThan(25);
    expect(commands).toEqual(
      expect.arrayContaining([
        'issued',
        'issued download /f/argument',
        'funds documents x',
        'auth login',
        'get /customers/x',
      ]),
    );
  });

  it.each(ECHOES.map((echo, index) => [echo.name, echo, index] as const))(
    'in %s: it is nowhere',
    async (_, echo, index) => {
      const server = await loopbackServer((socket, head) => repeat(echo, socket, head));
      const baseUrl = `http://${server.host}/v1`;
      const found: string[] = [];
      try {
        for (const [at, words] of RUNS.entries()) {
          if ((at + index) % EVERY !== 0) continue;
          const round = (at + index) >> 2;
          for (const loudness of ALL ? LOUDNESS : [LOUDNESS[round % LOUDNESS.length]!]) {
            const folder = temporaryFolder();
            const command = words.map((word) => word.replace(FOLDER, folder));
            const source = MISPLACED.includes(words)
              ? 'FOLIO_TOKEN'
              : SOURCES[(round >> 2) % SOURCES.length]!;
            const args = [...command, ...loudness];
            const captures = await runAndCapture(args, { folder, baseUrl, source }, echo.isData === true);
            searched += captures.length;
            for (const { what, text } of captures) {
              if (leakIn(text) !== undefined || text.includes('pass-word')) found.push(`${what}: ${text}`);
            }
          }
        }
      } finally {
        await server.close();
      }
      leaked += found.length;
      expect(found).toEqual([]);
      // Most commands ask the service for something, with the token.
      expect(server.heads.filter((head) => head.includes(HOSTILE_TOKEN)).length).toBeGreaterThan(
        TRIES_ALL ? 10 : 2,
      );
    },
  );
});
