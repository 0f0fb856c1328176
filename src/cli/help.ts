import type { Command, Help, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { displayWidth, wrapText } from '../output/terminal/terminal-text.ts';
import { fieldOf } from '../invoices/fields.ts';
import {
  commandPath,
  declareCommand,
  examplesOf,
  resourceOf,
  shownUnder,
  type FlagOption,
} from './command.ts';
import type { Term, TermList, Topic } from './help-topics.ts';

export const helpCommand = declareCommand({
  description: 'Help on a command, such as `folio help funds get`, or on a topic; alone it lists both.',
  arguments: [['[words...]', 'a command or a topic']],
  run: async ({ stdout, program }, _, [words]) => {
    const width = Math.min(stdout.columns ?? 80, 100);
    const { topics } = await import('./help-topics.ts');
    const { hintAmong, meantWord, wordTopics } = await import('./words.ts');
    const others = wordTopics().map(({ name }) => name);
    const isCommand = shownUnder(program).some((each) => each.name() === words[0]);
    const topic =
      topics.find(({ name }) => name === words.join(' ')) ??
      (isCommand ? undefined : meantWord(...words)?.topic);
    if (topic !== undefined) return stdout.write(renderTopic(topic, width));
    let command = program;
    for (const word of words) {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined) {
        const pages = command === program ? [...topics.map(({ name }) => name), ...others] : [];
        const names = [...shownUnder(command).map((each) => each.name()), ...pages];
        const hint = hintAmong(word, names, commandPath(command));
        throw new UsageError(`there is no help on ${JSON.stringify(word)}`, { hint });
      }
      command = next;
    }
    if (command !== program) return command.outputHelp();
    const list = topics.map(({ name, about }) => [`folio help ${name}`, about] as const);
    const blocks = ['Topics:', list, `Words, as in folio help owe: ${others.join(', ')}.`];
    await stdout.write(`${program.helpInformation()}\n${renderTopic({ blocks }, width)}`);
  },
});

/** The flags that most people need on most days. */
const DAILY = (
  '--customer-fiscal-id --issuer-fiscal-id --payable --open --overdue --period --since --until --where --columns --sort --limit ' +
  '--all --count --sum --group-by --output --format --excel --from --as-of --lang --title --organization --note --against --match'
).split(' ');

/** A command with so few flags shows them alike. */
const FEW = 12;

/** The line of the program's help about its topics. Their texts are loaded for `folio help <topic>`. */
export const ABOUT_TOPICS = 'More: folio help exit-codes, environment, formats, questions, databases, agents';

/** What a command does, its daily flags in a line each, the others under "More", and the examples at the end. */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const section = (title: string, terms: TermList, isBelow?: boolean): string =>
    terms.length === 0 ? '' : `\n${title}:\n${listOf(terms, width, isBelow)}`;
  const words = command.registeredArguments.map((one): Term => [one.name(), one.description]);
  const commands = shownUnder(command).map((one): Term => [
    helper.subcommandTerm(one),
    helper.subcommandDescription(one),
  ]);
  const flags = helper.visibleOptions(command).filter(({ long }) => long !== '--help');
  const isShort = flags.length > FEW;
  const isDaily = (flag: Option): boolean =>
    !isShort || (DAILY.includes(flag.long!) && fieldsNeeded(command, flag).length === 0);
  const daily = flags.filter(isDaily);
  const more = flags.filter((flag) => !daily.includes(flag));
  const line = ({ flags: syntax, description }: Option): Term => {
    const room = width - Math.max(COLUMN, displayWidth(syntax) + 4);
    return [syntax, isShort ? shortened(description, room) : description];
  };
  const others = command.parent === null ? ABOUT_TOPICS : 'Flags for every command: folio --help';
  return [
    `Usage: ${helper.commandUsage(command)}\n\n${wrapText(command.description(), width)}`,
    section('Arguments', words),
    section('Commands', commands),
    section('Flags', daily.map(line)),
    section(
      'More',
      more.map((flag) => {
        const { flags: syntax, description } = flag;
        const needed = fieldsNeeded(command, flag).map((field) => `--field ${field}=<column>`);
        return [syntax, needed.length === 0 ? description : `${description}; here with ${needed.join(' ')}`];
      }),
    ),
    `\n${wrapText(others, width)}`,
    section('Examples', examplesOf(command), true),
  ].join('');
}

/** What a flag reads of the records for which no column of the listing is known: --field has to name one. */
function fieldsNeeded(command: Command, flag: Option): readonly string[] {
  const known = resourceOf(command)?.columns.map(([, , role]) => role);
  const { roles = [] } = (flag as Partial<FlagOption>).how ?? {};
  return known === undefined ? [] : roles.filter((role) => !known.includes(role)).map(fieldOf);
}

/** The one screen of `folio` alone: at 80 columns, its commands and where to read on in 24 lines, with the prompt. */
export function firstScreen(program: Command, width: number): string {
  const commands = listOf(
    shownUnder(program).map((one) => [one.name(), one.summary()]),
    width,
  );
  const next = 'Try: folio --sandbox issued · More: folio <command> --help, folio help';
  return `Usage: folio <command> [flags]\n${wrapText(program.description(), width)}\n${commands}${wrapText(next, width)}`;
}

/** The blocks of a topic as text of at most `width` cells a line. */
export function renderTopic({ blocks }: Pick<Topic, 'blocks'>, width: number): string {
  let text = '';
  blocks.forEach((block, at) => {
    // A list stands right under the line that announces it.
    const isAnnounced = typeof block !== 'string' && String(blocks[at - 1] ?? '').endsWith(':');
    text += at === 0 || isAnnounced ? '' : '\n';
    if (typeof block === 'string') text += wrapText(block, width);
    else if ('lines' in block) text += `${block.lines.replaceAll(/^/gm, '  ')}\n`;
    else text += listOf(block, width, true);
  });
  return text;
}

/** The display cell at which the meanings of flags begin, at most. */
const COLUMN = 24;
/** Terms of at most so many display cells stand beside their meanings in any case. */
const WIDEST = 30;
/** The indentation of meanings below their terms. */
const BELOW = 6;

/** Terms beside their meanings. A flag too wide for that has its own line; of other terms, `isBelow`, all or none have one. */
function listOf(terms: TermList, width: number, isBelow = false): string {
  const widest = Math.max(...terms.map(([term]) => displayWidth(term)));
  const isBeside = widest <= WIDEST || terms.every(([, about]) => widest + 4 + displayWidth(about) <= width);
  const column = isBelow ? (isBeside ? widest + 4 : BELOW) : Math.min(COLUMN, widest + 4);
  const lines = terms.flatMap(([term, meaning]) => {
    const head = `  ${term}  `;
    if (!isBelow && displayWidth(head) > column && displayWidth(head + meaning) <= width)
      return [head + meaning];
    const texts = wrapped(meaning, Math.max(16, width - column));
    if (displayWidth(head) <= column)
      return texts.map((text, at) => (at === 0 ? head : '').padEnd(column) + text);
    const isCommandLine = /(?:^|[ (])folio /.test(term);
    const own = isCommandLine ? pasteable(term, width) : wrapped(term, width - 2);
    return [...own.map((line) => `  ${line}`), ...texts.map((text) => ' '.repeat(column) + text)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function wrapped(text: string, width: number): string[] {
  return wrapText(text, width).trimEnd().split('\n');
}

/** Breaks a command line at blanks into lines of at most `width` cells: all but the last end in a backslash. */
function pasteable(commandLine: string, width: number): string[] {
  const lines = [''];
  for (const word of commandLine.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (displayWidth(line) + displayWidth(word) + 5 <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} \\`));
}

/** As much of a text as fits, up to a place where it may end; all of it where there is none. */
function shortened(text: string, room: number): string {
  if (displayWidth(text) <= room) return text;
  const starts = [...text.matchAll(/[:;,] | \(/g)].map(({ index }) => text.slice(0, index));
  const isWhole = (start: string): boolean => start.split('(').length === start.split(')').length;
  return starts.findLast((start) => displayWidth(start) <= room && isWhole(start)) ?? text;
}
