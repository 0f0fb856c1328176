import type { Command, Option } from 'commander';
import { version } from '../version.ts';
import { commandPath, declareCommand, examplesOf, shownUnder, termOf } from './command.ts';
import { topics, type Topic } from './help-topics.ts';

/** The build calls this, to put the page into the package. */
export const manCommand = declareCommand({
  description: 'The manual page.',
  arguments: [['<date>', 'the day of the page, such as 2026-11-22']],
  run: ({ stdout, program }, _, [date]) => stdout.write(manPage(program, date)),
});

const MAX_LINE_BYTES = 80;

/** The manual page in the macros of man(7), made from the declarations and topics of the help. `date` is like 2026-11-22. */
export function manPage(program: Command, date: string): string {
  const help = program.createHelp();
  const commands = shownUnder(program).flatMap(withChildren);
  const lines = [
    `.TH FOLIO 1 ${date} "folio ${version}" "User Commands"`,
    '.SH NAME',
    'folio \\- issued and received invoices, customers and prepaid-expense funds, listed and exported',
    '.SH SYNOPSIS',
    '.B folio',
    '[\\fIflags\\fR] \\fIcommand\\fR [\\fIarguments\\fR]',
    '.SH DESCRIPTION',
    ...descriptionOf(program),
    '.SH COMMANDS',
    ...commands.flatMap(commandSection),
    '.SH FLAGS FOR EVERY COMMAND',
    ...flagList(help.visibleOptions(program)),
    ...topics.flatMap(topicSection),
  ];
  // A heading begins a paragraph by itself.
  const needed = lines.filter((line, at) => line !== '.PP' || !/^\.S[HS] /.test(lines[at - 1]!));
  return needed.map((line) => `${shortLines(line)}\n`).join('');
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

function withChildren(command: Command): Command[] {
  const children = shownUnder(command).filter((child) => child.name() !== 'help');
  return [command, ...children.flatMap(withChildren)];
}

function commandSection(command: Command): string[] {
  const flags = command.createHelp().visibleOptions(command);
  const own = flags.filter(({ long }) => long !== '--help');
  const usage = `${termOf(commandPath(command), command)}${own.length > 0 ? ' [flags]' : ''}`;
  return [`.SS ${text(usage)}`, ...descriptionOf(command), ...flagList(own)];
}

function descriptionOf(command: Command): string[] {
  const examples = examplesOf(command);
  const listed = examples.length === 0 ? [] : ['.PP', 'Examples:', ...termList(examples)];
  return ['.PP', text(command.description()), ...listed];
}

function flagList(options: readonly Option[]): string[] {
  return termList(options.map(({ flags, description }) => [flags, description]));
}

function termList(list: readonly (readonly string[])[]): string[] {
  return list.flatMap(([term = '', ...meaning]) => ['.TP', `\\fB${text(term)}\\fR`, text(meaning.join(' '))]);
}

function topicSection({ name, blocks }: Topic): string[] {
  const body = blocks.flatMap((block) => {
    if (typeof block === 'string') return ['.PP', text(block)];
    return 'lines' in block
      ? ['.RS', '.nf', ...block.lines.split('\n').map(text), '.fi', '.RE']
      : termList(block);
  });
  return [`.SH ${name === 'exit-codes' ? 'EXIT STATUS' : name.toUpperCase()}`, ...body];
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
