import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { runCommandLine, wholeProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';
import { countFigure, TRIES_ALL } from '../support/random-runs.ts';
import { loopbackServer } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ECHOES, repeat } from './echoes.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** The command lines of every command that there is; FOLDER is where paths lead. */
function commandsOf(parent: Command, path: readonly string[] = []): string[] {
  return parent.commands.flatMap((command) => {
    const own = [...path, command.name()];
    const required = command.registeredArguments.filter((argument) => argument.required);
    const values = required.map((argument) => valueOf(argument.name()));
    // A statement needs to be told of whom. The sandbox, which serves until it is stopped, and the manual ask nobody.
    const flags = own[0] === 'statement' ? ['--all'] : [];
    return ['sandbox', '__man'].includes(own[0]!)
      ? []
      : [[...own, ...values, ...flags].join(' '), ...commandsOf(command, own)];
  });
}

function valueOf(argument: string): string {
  if (argument === 'path') return '/customers/x';
  return /dir|file|folder/.test(argument) ? 'FOLDER/argument' : 'x';
}

const COMMANDS = commandsOf(await wholeProgram(fakeContext()));

/** Runs besides the bare commands: with more messages, with what is written about a run. */
const MORE = [
  ...['issued --format table --customer-fiscal-id 1-9', 'issued --list-columns'],
  'issued --output FOLDER/out.jsonl --receipt FOLDER/receipt.json',
  'received --output FOLDER/out.jsonl --receipt FOLDER/receipt.json',
  `customers --param q=${HOSTILE_TOKEN} --receipt FOLDER/receipt.json`,
  'get /invoices/received?options_page=0 --paginate',
  'auth login --profile other --token-file FOLDER/token',
  ...['auth status --format json', 'auth status --all-profiles'],
  'issued --all-profiles --output-dir FOLDER/all --format jsonl',
  'issued --profile main,main --format table',
];

/** The token of the environment, typed where something else is expected. */
const MISPLACED = ['auth use', 'config set format', 'issued --limit', 'verify'].map(
  (line) => `${line} ${HOSTILE_TOKEN}`,
);
const RUNS = [...COMMANDS, ...MORE, ...MISPLACED];

/** Ways to have folio say more, or something else. */
const LOUDNESS = [[], ['-v'], ['--debug'], ['--debug', '--retries', '0']];

/** In `npm test`, each command meets every eighth echo, and each echo every eighth command; in `.ci/run` all meet. */
const EVERY = TRIES_ALL ? 1 : 8;

/** They meet each time in another loudness and, in turn, with either source; for the figures, in every loudness. */
const ALL = process.env['FOLIO_FIGURES'] !== undefined;

interface Site {
  readonly folder: string;
  readonly baseUrl: string;
  /** Where the token comes from. */
  readonly source: 'FOLIO_TOKEN' | 'profile';
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

/** All texts that a run has left behind, but for what is data. */
async function runAndCapture(args: readonly string[], site: Site, isData: boolean): Promise<string[]> {
  const { folder } = site;
  const context = fakeContext({
    argv: args,
    env: prepare(site),
    stdin: { text: HOSTILE_TOKEN },
    openTransport: openUndiciTransport,
    terminal: args.length % 2 === 0,
  });
  const code = await runCommandLine(context);
  const isBody = isData && (code === 0 || args[0] === 'get');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => name !== 'token' && name !== 'config/config.json')
    .filter((name) => !isData || name === 'receipt.json');
  return [
    `stderr: ${context.stderr.text}`,
    ...(isBody ? [] : [`stdout: ${context.stdout.text}`]),
    ...files.map((name) => `${name}: ${readFileSync(join(folder, name), 'latin1')}`),
  ];
}

let searched = 0;
let leaked = 0;

describe('a service that repeats the token', () => {
  afterAll(() => countFigure({ what: 'captures searched for the token', ran: searched, leaked }));

  it('is met by commands of every depth', () => {
    expect(COMMANDS.length).toBeGreaterThan(25);
    const some = ['issued', 'issued download FOLDER/argument', 'funds documents x', 'auth login'];
    expect(COMMANDS).toEqual(expect.arrayContaining([...some, 'get /customers/x']));
  });

  it.each(ECHOES.map((echo, index) => [echo.name, echo, index] as const))('in %s', async (_, echo, index) => {
    const server = await loopbackServer((socket, head) => repeat(echo, socket, head));
    const baseUrl = `http://${server.host}/v1`;
    const found: string[] = [];
    for (const [at, line] of RUNS.entries()) {
      if ((at + index) % EVERY !== 0) continue;
      const round = Math.floor((at + index) / EVERY);
      for (const loudness of ALL ? LOUDNESS : [LOUDNESS[round % LOUDNESS.length]!]) {
        const folder = temporaryFolder();
        const args = [...line.replaceAll('FOLDER', folder).split(' '), ...loudness];
        const source = MISPLACED.includes(line) || (round >> 2) % 2 === 0 ? 'FOLIO_TOKEN' : 'profile';
        const texts = await runAndCapture(args, { folder, baseUrl, source }, echo.isData === true);
        searched += texts.length;
        const leaks = texts.filter((text) => leakIn(text) !== undefined || text.includes('pass-word'));
        found.push(...leaks.map((text) => `${args.join(' ')}: ${text}`));
      }
    }
    await server.close();
    leaked += found.length;
    expect(found).toEqual([]);
    // Most commands ask the service for something, with the token.
    const withToken = server.heads.filter((head) => head.includes(HOSTILE_TOKEN));
    expect(withToken.length).toBeGreaterThan(TRIES_ALL ? 10 : 0);
  });
});
