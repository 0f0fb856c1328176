import type { Command, Help, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { displayWidth, wrapText } from '../output/terminal/terminal-text.ts';
import { commandPath, declareCommand, examplesOf, shownUnder, type CommandContext } from './command.ts';
import type { TermList, Topic } from './help-topics.ts';
import { hintAmong } from './suggestions.ts';

export const helpCommand = declareCommand({
  description: 'Help on a command, such as `folio help funds get`, or on a topic; alone it lists both.',
  arguments: [['[words...]', 'a command or a topic']],
  run: runHelp,
  besides: {
    // The build calls this, to put the page into the package.
    __man: declareCommand({
      description: 'The manual page.',
      hidden: true,
      arguments: [['<date>', 'the day of the page, such as 2026-11-22']],
      run: async ({ stdout, program }, _, [date]) => {
        const { manPage } = await import('./man-page.ts');
        await stdout.write(manPage(program, date));
      },
    }),
  },
});

/** Prints the help of the command that the words name, or a topic; without words the program's, and what topics there are. */
async function runHelp(
  { stdout, program }: CommandContext,
  _: object,
  [words]: readonly [readonly string[]],
): Promise<void> {
  const { topics } = await import('./help-topics.ts');
  const { meantWord, wordTopics } = await import('./words.ts');
  const width = Math.min(stdout.columns ?? 80, 100);
  const [first = ''] = words;
  const isCommand = shownUnder(program).some((each) => each.name() === first);
  const topic =
    topics.find(({ name }) => name === words.join(' ')) ??
    (isCommand ? undefined : meantWord(...words)?.topic);
  if (topic !== undefined) return stdout.write(renderTopic(topic, width));
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      const others = command === program ? [...topics, ...wordTopics()] : [];
      const names = [...shownUnder(command).map((each) => each.name()), ...others.map(({ name }) => name)];
      const hint = hintAmong(word, names, commandPath(command));
      throw new UsageError(`there is no help on ${JSON.stringify(word)}`, { hint });
    }
    command = next;
  }
  if (command !== program) return command.outputHelp();
  const list = topics.map(({ name, about }) => [`folio help ${name}`, about] as const);
  const people = `Words, as in folio help owe: ${wordTopics()
    .map(({ name }) => name)
    .join(', ')}.`;
  const rest = renderTopic({ name: '', about: '', blocks: ['Topics:', list, people] }, width);
  await stdout.write(`${command.helpInformation()}\n${rest}`);
}

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

/** The line of the program's help about its topics. Their texts are loaded for `folio help <topic>`. */
export const ABOUT_TOPICS = 'More: folio help exit-codes, environment, formats, questions, databases, agents';

/** What a command does, its daily flags in a line each, the others under "More", and the examples last, where a terminal stops. */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const flags = helper.visibleOptions(command).filter(({ long }) => long !== '--help');
  const daily = flags.length > FEW ? flags.filter(({ long }) => DAILY.has(long!)) : flags;
  const more = flags.filter((flag) => !daily.includes(flag));
  const list = (title: string, terms: TermList, isBelow?: boolean): string =>
    terms.length === 0 ? '' : `\n${title}:\n${listOf(terms, width, isBelow)}`;
  const commands = shownUnder(command);
  const room = ({ flags: syntax }: Option): number => width - Math.max(COLUMN, displayWidth(syntax) + 4);
  return [
    `Usage: ${helper.commandUsage(command)}\n\n${wrapText(command.description(), width)}`,
    list(
      'Arguments',
      command.registeredArguments.map((one) => [one.name(), one.description]),
    ),
    list(
      'Commands',
      commands.map((one) => [helper.subcommandTerm(one), helper.subcommandDescription(one)]),
    ),
    list(
      'Flags',
      daily.map((flag) => [
        flag.flags,
        more.length > 0 ? shortened(flag.description, room(flag)) : flag.description,
      ]),
    ),
    list(
      'More',
      more.map((flag) => [flag.flags, flag.description]),
    ),
    `\n${wrapText(command.parent === null ? ABOUT_TOPICS : 'Flags for every command: folio --help', width)}`,
    list('Examples', examplesOf(command), true),
  ].join('');
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

/** The topic as text of at most `width` cells a line. */
export function renderTopic({ blocks }: Topic, width: number): string {
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
    const below = texts.map((text) => ' '.repeat(column) + text);
    if (displayWidth(head) <= column) return [head.padEnd(column) + texts[0]!, ...below.slice(1)];
    return [
      ...(isCommandLine(term) ? pasteable(term, width) : wrapped(term, width - 2)).map((line) => `  ${line}`),
      ...below,
    ];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function wrapped(text: string, width: number): string[] {
  return wrapText(text, width).trimEnd().split('\n');
}

function isCommandLine(term: string): boolean {
  return /(?:^|[ (])folio /.test(term);
}

/** A command line in lines of at most `width` cells with their indentation, where a blank is: all but the last end in a backslash. */
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
