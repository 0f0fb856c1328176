import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { topics } from '../src/cli/help-topics.ts';
import { buildProgram } from '../src/cli/program.ts';
import { formats } from '../src/output/formats.ts';
import { fakeContext } from './support/fake-context.ts';

const README = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8');

const program = buildProgram(fakeContext());

/** All commands that people see, by their whole names. */
function commandsOf(command: Command, path: string): [path: string, command: Command][] {
  const children = command.createHelp().visibleCommands(command);
  const declared = children.filter((child) => command.commands.includes(child));
  return [[path, command], ...declared.flatMap((child) => commandsOf(child, `${path} ${child.name()}`))];
}

const commands = new Map(commandsOf(program, 'folio'));

/** All flags. `--token` exists to be refused, but for that of the sandbox. */
const flags = new Set(
  [...commands.values()].flatMap((command) =>
    command.options.flatMap(({ long, short }) => [long, short].filter((name) => name !== undefined)),
  ),
);
for (const name of ['-h', '--help']) flags.add(name);

/** The rows of the README's tables by the heading of their first column, cells as they are written. */
function rowsUnder(heading: string): string[][] {
  const parts = README.split(/\n(?!\|)/).map((part) => part.trimStart());
  const tables = parts.filter((part) => new RegExp(`^\\| ${heading} +\\|`).test(part));
  return tables.flatMap((table) =>
    table
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2)
      .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .map((cells) => cells.slice(1, -1)),
  );
}

function spansOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
}

describe('the README', () => {
  it('names every command', () => {
    const named = (path: string): boolean =>
      new RegExp(`\`${path}[\` ]`).test(README) || isShort(path, README);
    expect([...commands.keys()].slice(1).filter((path) => !named(path))).toEqual([]);
  });

  it('names every flag', () => {
    expect([...flags].filter((flag) => !new RegExp(`\`${flag}[\` =]`).test(README))).toEqual([]);
  });

  it('names every exit code, format and topic of the help', () => {
    const codes = rowsUnder('code').flatMap(([codes = '']) => codes.split(', ').map(Number));
    expect(codes).toEqual(exitCodes.map(([code]) => code));
    expect(formats.filter((format) => !README.includes(`\`${format}\``))).toEqual([]);
    expect(topics.filter(({ name }) => !README.includes(`folio help ${name}`))).toEqual([]);
  });

  it('has in its table of commands only what there is', () => {
    const rows = rowsUnder('command');
    expect(rows.length).toBeGreaterThan(10);
    const unknown = rows.flatMap(([names = '', about = '']) => {
      let group = 'folio';
      const gone = spansOf(names).filter((span) => {
        const words = span.split(' ').filter((word) => !/^[<[]/.test(word));
        const path = words[0] === 'folio' ? words.join(' ') : `${group} ${words.join(' ')}`;
        if (words[0] === 'folio') group = words.slice(0, -1).join(' ');
        return !commands.has(path);
      });
      return [...gone, ...unknownFlags(about)];
    });
    expect(unknown).toEqual([]);
  });

  it('has in its tables of flags only what there is', () => {
    const rows = rowsUnder('flag');
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.flatMap((cells) => unknownFlags(cells.join(' ')))).toEqual([]);
  });

  it('shows only command lines that the program takes', () => {
    const lines = [...README.matchAll(/^(?:npx --no )?folio ([^#|>;&\n]+)/gm)].map(([, line]) =>
      line!.trim(),
    );
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !isKnown(line))).toEqual([]);
  });
});

/** Whether a row says `folio config get`, `set`: the second of them is `folio config set`. */
function isShort(path: string, text: string): boolean {
  const words = path.split(' ');
  const group = words.slice(0, -1).join(' ');
  return new RegExp(`\`${group} \\w[^\`]*\`(?:, \`\\w+\`)*, \`${words.at(-1)}\``).test(text);
}

function unknownFlags(text: string): string[] {
  return spansOf(text)
    .map((span) => span.split(/[ =]/)[0]!)
    .filter((name) => /^--?[a-z]/.test(name) && !flags.has(name));
}

/** Whether all flags of a command line are flags of its command. */
function isKnown(line: string): boolean {
  const words = line.split(/\s+/);
  let command = program;
  for (const word of words) {
    command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const known = command.options.flatMap(({ long, short }) => [long, short]);
  const given = words.filter((word) => /^-{1,2}[a-z]/.test(word)).map((word) => word.split('=')[0]);
  return command !== program && given.every((flag) => known.includes(flag));
}
