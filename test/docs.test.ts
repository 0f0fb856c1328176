import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { manPage } from '../src/cli/man-page.ts';
import { meantWord } from '../src/cli/words.ts';
import { runCommandLine, wholeProgram } from '../src/cli/program.ts';
import { openUndiciTransport } from '../src/api/undici-transport.ts';
import { startSandbox } from '../src/sandbox/server.ts';
import { topics, type TermList } from '../src/cli/help-topics.ts';
import { formats } from '../src/output/formats.ts';
import { fakeContext } from './support/fake-context.ts';

const PATH = resolve(import.meta.dirname, '../README.md');
const README = readFileSync(PATH, 'utf8');

const program = await wholeProgram(fakeContext());
const commands = new Map(commandsOf(program, 'folio'));

describe('the README', () => {
  // `npm run vitest -- run test/docs.test.ts -u` draws it anew.
  it('has a picture of a terminal, as the embedded service has it', async () => {
    const part = /<!-- made: picture -->\n[^]*?<!-- end -->/;
    const picture = `<!-- made: picture -->\n\n\`\`\`text\n${await pictured()}\`\`\`\n\n<!-- end -->`;
    expect(README).toMatch(part);
    await expect(README.replace(part, () => picture)).toMatchFileSnapshot(PATH);
  });

  it('takes a few minutes to read', () => {
    expect(README.split(/\s+/).length).toBeLessThanOrEqual(1_300);
  });

  it('shows first the two commands that run and test folio', () => {
    const [, first, second] = README.split(/```sh\n([^`]+)```/).filter((_, at) => at !== 2);
    expect([first, second]).toEqual([
      'npm ci && npx --no folio -- --sandbox issued\n',
      'npm ci && npm test\n',
    ]);
  });

  it('shows only command lines that the program takes', () => {
    const lines = [...README.matchAll(/(?:^|`|0 3 \* \* \* {2})folio ([^<#|>;&`\n][^#|>;&`\n]*)/gm)].map(
      ([, line]) => line!,
    );
    expect(lines.length).toBeGreaterThan(25);
    expect(lines.filter((line) => !isKnown(line.trim()))).toEqual([]);
  });
});

/** All commands that people see, by their whole names. */
function commandsOf(command: Command, path: string): [path: string, command: Command][] {
  const children = command.createHelp().visibleCommands(command);
  const declared = children.filter((child) => command.commands.includes(child));
  return [[path, command], ...declared.flatMap((child) => commandsOf(child, `${path} ${child.name()}`))];
}

describe('the manual', () => {
  it('has all commands, flags, formats, topics, variables and exit codes', () => {
    const page = manPage(program, '2026-11-22').replaceAll('\\-', '-').replaceAll('\\\n', '');
    const variables = topics.find(({ name }) => name === 'environment')!.blocks[1] as TermList;
    const names = [
      ...[...commands.keys()].slice(1).map((path) => `.SS ${path}`),
      ...[...commands.values()].flatMap((command) => flagsOf(command).map(({ flags }) => `\n  ${flags}`)),
      ...[...formats, ...variables.map(([name]) => name), ...exitCodes.map(([code]) => `${code}`)].map(
        (name) => `\n  ${name}`,
      ),
      ...topics.flatMap(({ name }) => (name === 'exit-codes' ? [] : [`.SH ${name.toUpperCase()}`])),
    ];
    expect(names.length).toBeGreaterThan(250);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });
});

/** What a terminal of 80 columns shows of two commands, on a day of which the embedded service has books. */
async function pictured(): Promise<string> {
  const now = Date.UTC(2026, 9, 31, 15);
  const sandbox = await startSandbox({ today: Math.floor(now / 86_400_000), now: () => now });
  const env = {
    FOLIO_BASE_URL: sandbox.baseUrl,
    FOLIO_TOKEN: sandbox.tokens[0],
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  let text = '';
  for (const line of ['issued --open --limit 3', 'aging --limit 3 --where currency=CLP']) {
    const argv = [...line.split(' '), '--no-progress'];
    const screen = { terminal: true, columns: 80, clock: { now }, env, openTransport: openUndiciTransport };
    const context = fakeContext({ ...screen, argv });
    await runCommandLine(context);
    text += `$ folio ${line}\n${context.stdout.text}${context.stderr.text}\n`;
  }
  await sandbox.close();
  return text.trimEnd().concat('\n');
}

function flagsOf(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

/** Whether all flags of a command line are flags of its command. */
function isKnown(line: string): boolean {
  const words = line.replaceAll(/(['"]).*?\1/g, '').split(/\s+/);
  if (words[0] === 'help')
    return (
      words.length === 1 || topics.some(({ name }) => name === words[1]) || meantWord(words[1]!) !== undefined
    );
  let command = program;
  for (const word of words) {
    command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const options = [...command.options, ...program.options];
  const known = [...options.flatMap(({ long, short }) => [long, short]), '--help'];
  const given = words.filter((word) => /^-{1,2}[a-z]/.test(word)).map((word) => word.split('=')[0]);
  return (command !== program || given.length > 0) && given.every((flag) => known.includes(flag));
}
