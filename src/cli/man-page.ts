import type { Command, Option } from 'commander';
import { listedRecords } from '../resources/listings.ts';
import { version } from '../version.ts';
import { commandPath, declareCommand, shownUnder } from './command.ts';
import { renderTopic } from './help.ts';
import { topics } from './help-topics.ts';

/** The build calls this, to put the page into the package. */
export const manCommand = declareCommand({
  description: 'The manual page.',
  arguments: [['<date>', 'the day of the page, such as 2026-11-22']],
  run: ({ stdout, program }, _, [date]) => stdout.write(manPage(program, date)),
});

const MAX_LINE_BYTES = 80;
/** Display cells of the lines of help: readers set in what is below a heading by seven. */
const HELP_WIDTH = 72;

/**
 * The manual page in the macros of man(7): the help of each command, with the whole of what each flag does, and the topics, as
 * they are printed. `date` is like 2026-11-22.
 */
export function manPage(program: Command, date: string): string {
  const optionDescription = ({ description }: Option): string => description;
  const helper = Object.assign(program.createHelp(), { helpWidth: HELP_WIDTH, optionDescription });
  const commands = shownUnder(program).flatMap(withChildren);
  const lines = [
    `.TH FOLIO 1 ${date} "folio ${version}" "User Commands"`,
    '.SH NAME',
    `folio \\- ${listedRecords()}, listed and exported`,
    '.SH SYNOPSIS',
    '.B folio',
    '[\\fIflags\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    ...printed(helper.formatHelp(program, helper)),
    '.SH COMMANDS',
    ...commands.flatMap((command) => [
      `.SS ${text(commandPath(command))}`,
      ...printed(helper.formatHelp(command, helper)),
    ]),
    ...topics.flatMap((topic) => [
      `.SH ${topic.name === 'exit-codes' ? 'EXIT STATUS' : topic.name.toUpperCase()}`,
      ...printed(renderTopic(topic, helper)),
    ]),
  ];
  return lines.map((line) => `${shortLines(line)}\n`).join('');
}

function withChildren(command: Command): Command[] {
  const children = shownUnder(command).filter((child) => child.name() !== 'help');
  return [command, ...children.flatMap(withChildren)];
}

function printed(shown: string): readonly string[] {
  return ['.EX', ...shown.trimEnd().split('\n').map(text), '.EE'];
}

/** The same line for roff, written in lines that are short enough for every reader: a backslash at the end joins them. */
function shortLines(line: string): string {
  const lines = [''];
  for (const word of line.split(/(?<=[ |])(?![ .'])/)) {
    if (Buffer.byteLength(lines.at(-1)! + word) >= MAX_LINE_BYTES && lines.at(-1) !== '') lines.push('');
    lines[lines.length - 1] += word;
  }
  return lines.join('\\\n');
}

const GLYPHS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '’': '\\(cq',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '…': '...',
  '·': '\\(pc',
};

/** The text as roff prints it unchanged: with its special characters escaped, and no request at the start of a line. */
function text(plain: string): string {
  const escaped = plain.replace(/[\\\-\u2019'`^~\u2026\u00b7]/g, (character) => GLYPHS[character]!);
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}
