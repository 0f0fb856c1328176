import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { topics, type TermList } from '../src/cli/help-topics.ts';
import { wholeProgram } from '../src/cli/program.ts';
import { formats } from '../src/output/formats.ts';
import { fakeContext } from './support/fake-context.ts';

const PATH = resolve(import.meta.dirname, '../README.md');
const README = readFileSync(PATH, 'utf8');

const LISTINGS = [
  'folio issued',
  'folio received',
  'folio customers',
  'folio funds',
  'folio funds documents',
];

const program = await wholeProgram(fakeContext());
const commands = new Map(commandsOf(program, 'folio'));

describe('the README', () => {
  // `npm run vitest -- test/docs.test.ts -u` writes those parts anew.
  it('has in the parts that are made from the program what the program says', async () => {
    const made: Record<string, string> = {
      'exit codes': listOf(exitCodes.map(([code, meaning]) => [`**${code}**`, meaning])),
      reference: reference(),
    };
    const parts = /<!-- made: (.+) -->\n[^]*?<!-- end -->/g;
    const whole = README.replaceAll(
      parts,
      (_, name: string) => `<!-- made: ${name} -->\n\n${made[name]}\n\n<!-- end -->`,
    );
    expect([...README.matchAll(parts)].map(([, name]) => name)).toEqual(Object.keys(made));
    await expect(whole).toMatchFileSnapshot(PATH);
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
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.filter((line) => !isKnown(line.trim()))).toEqual([]);
  });
});

/** All commands that people see, by their whole names. */
function commandsOf(command: Command, path: string): [path: string, command: Command][] {
  const children = command.createHelp().visibleCommands(command);
  const declared = children.filter((child) => command.commands.includes(child));
  return [[path, command], ...declared.flatMap((child) => commandsOf(child, `${path} ${child.name()}`))];
}

/** Commands with the flags that no listing has, flags of listings, formats, topics of the help, environment. */
function reference(): string {
  const shared = new Map<string, Set<string>>();
  for (const path of LISTINGS) {
    for (const option of flagsOf(commands.get(path)!)) {
      const heading = (option.helpGroupHeading ?? 'Options:').replace(/:$/, '');
      shared.set(heading, (shared.get(heading) ?? new Set()).add(nameOf(option)));
    }
  }
  shared.set('Every command', new Set([...flagsOf(program).map(nameOf), '-h, --help']));
  const known = new Set([...shared.values()].flatMap((names) => [...names]));
  const terms: [string, Iterable<string>][] = [
    ...shared,
    ['Formats', formats],
    ['Topics of `folio help`', topics.map(({ name }) => name)],
    [
      'Environment',
      (topics.find(({ name }) => name === 'environment')!.blocks[1] as TermList).flatMap(([names]) =>
        names.split(', '),
      ),
    ],
  ];
  return [
    '### Commands, with flags of their own',
    commandLines(known).join('\n'),
    '### Flags of listings and more',
    listOf(terms.map(([heading, names]) => [heading, codes(names)])),
  ].join('\n\n');
}

/** A line a command, with the commands under it and the flags that are not known yet; a last one for those with neither. */
function commandLines(known: ReadonlySet<string>): string[] {
  const plain: string[] = [];
  const lines: string[] = [];
  for (const [path] of [...commands].filter(([each]) => each.split(' ').length === 2)) {
    const own = [...commands].filter(([each]) => each === path || each.startsWith(`${path} `));
    const texts = own.map(([, command]) => {
      const flags = flagsOf(command)
        .map(nameOf)
        .filter((name) => !known.has(name));
      const name = codes([command.name()]);
      return flags.length === 0 ? name : `${name} (${codes(flags)})`;
    });
    if (texts.length === 1 && !texts[0]!.endsWith(')')) plain.push(texts[0]!);
    else lines.push(`- ${texts[0]}${texts.length === 1 ? '' : `: ${texts.slice(1).join(', ')}`}`);
  }
  return [...lines, `- ${plain.join(', ')}`];
}

function flagsOf(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

/** The flag without what it takes: `-o, --output`. */
function nameOf({ flags }: Option): string {
  return flags.replace(/ [<[].*/, '');
}

function listOf(terms: readonly (readonly [term: string, meaning: string])[]): string {
  return terms.map(([term, meaning]) => `- ${term}: ${meaning}`).join('\n');
}

function codes(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(', ');
}

/** Whether all flags of a command line are flags of its command. */
function isKnown(line: string): boolean {
  const words = line.replaceAll(/(['"]).*?\1/g, '').split(/\s+/);
  if (words[0] === 'help') return words.length === 1 || topics.some(({ name }) => name === words[1]);
  let command = program;
  for (const word of words) {
    command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const options = [...command.options, ...program.options];
  const known = [...options.flatMap(({ long, short }) => [long, short]), '--help'];
  const given = words.filter((word) => /^-{1,2}[a-z]/.test(word)).map((word) => word.split('=')[0]);
  return (command !== program || given.length > 0) && given.every((flag) => known.includes(flag));
}
