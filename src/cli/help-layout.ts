import type { Command, Help, Option } from 'commander';
import { displayWidth, wrapText } from '../output/terminal/terminal-text.ts';
import { shownUnder } from './command.ts';

/** The flags that most people need on most days. */
const DAILY = new Set(
  (
    'customer-fiscal-id issuer-fiscal-id payable open overdue period since until where columns sort limit all count ' +
    'sum group-by output format excel from as-of lang title organization note against match'
  )
    .split(' ')
    .map((name) => `--${name}`),
);

/** A command with so few flags shows them alike. */
const FEW = 12;

type Term = readonly [term: string, meaning: string];

/**
 * The help of a command: what it does, the flags of every day in a line each, the others under "More", and the examples last,
 * where a terminal stops.
 */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const [about = '', examples] = helper.commandDescription(command).split('\n\nExamples:\n');
  const flags = helper.visibleOptions(command).filter(({ long }) => long !== '--help');
  const daily = flags.length > FEW ? flags.filter(({ long }) => DAILY.has(long!)) : flags;
  const rest = flags.filter((flag) => !daily.includes(flag));
  const list = (title: string, terms: readonly Term[]): string =>
    terms.length === 0 ? '' : `\n${title}\n${listOf(terms, width)}`;
  const args = command.registeredArguments.map((one): Term => [one.name(), one.description]);
  const commands = shownUnder(command).map((one): Term => [
    helper.subcommandTerm(one),
    helper.subcommandDescription(one),
  ]);
  return [
    `Usage: ${helper.commandUsage(command)}\n\n${wrapText(about, width)}`,
    list('Arguments:', args),
    list('Commands:', commands),
    list(
      'Flags:',
      daily.map(({ flags: term, description }): Term => [
        term,
        rest.length > 0
          ? shortened(description, width - Math.max(WIDEST_TERM, displayWidth(term) + 4))
          : description,
      ]),
    ),
    list(
      'More:',
      rest.map(({ flags: term, description }: Option): Term => [term, description]),
    ),
    `\n${wrapText(command.parent === null ? ABOUT_TOPICS : 'Flags for every command: folio --help', width)}`,
    examples === undefined ? '' : `\nExamples:\n${examples}\n`,
  ].join('');
}

/** The line of the program's help about its topics. Their texts are loaded when one is asked for. */
export const ABOUT_TOPICS = 'More: folio help exit-codes, environment, formats, questions, databases, agents';

/** The one screen of `folio` alone: at 80 columns, its commands and where to read on in 24 lines, with the prompt. */
export function firstScreen(program: Command, width: number): string {
  const commands = shownUnder(program).map((one): Term => [one.name(), one.summary()]);
  const [about = ''] = program.description().split('\n\n');
  const next = 'Try: folio --sandbox issued · More: folio <command> --help, folio help';
  return `Usage: folio <command> [flags]\n${wrapText(about, width)}\n${listOf(commands, width)}${wrapText(next, width)}`;
}

/** Display cells of a term that shares its line with its meaning, and of the blanks around it. */
const WIDEST_TERM = 24;

function listOf(terms: readonly Term[], width: number): string {
  const column = Math.min(WIDEST_TERM, Math.max(...terms.map(([term]) => displayWidth(term))) + 4);
  const lines = terms.flatMap(([term, meaning]) => {
    const head = `  ${term}  `;
    if (displayWidth(head) > column && displayWidth(head + meaning) <= width) return [head + meaning];
    const texts = wrapText(meaning, Math.max(16, width - column))
      .trimEnd()
      .split('\n');
    const below = texts.map((text) => ' '.repeat(column) + text);
    if (displayWidth(head) > column) return [head.trimEnd(), ...below];
    return [head.padEnd(column) + texts[0]!, ...below.slice(1)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** As much of a text as fits, up to a place where it may end; all of it where there is none. */
function shortened(text: string, room: number): string {
  if (displayWidth(text) <= room) return text;
  const starts = [...text.matchAll(/[:;,] | \(/g)].map(({ index }) => text.slice(0, index));
  const isWhole = (start: string): boolean => start.split('(').length === start.split(')').length;
  return starts.findLast((start) => displayWidth(start) <= room && isWhole(start)) ?? text;
}
