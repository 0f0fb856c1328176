import { Help, type Command, type Option } from 'commander';
import type { OutputStream } from '../context.ts';
import { UsageError } from '../errors.ts';
import { commandPath, declareCommand, examplesOf, shownUnder, termOf, type FlagOption } from './command.ts';
import type { TermList, Topic } from './help-topics.ts';

export const helpCommand = declareCommand({
  description: 'Help on a command, such as `folio help funds get`, or on a topic; alone it lists both.',
  arguments: [['[words...]', 'a command or a topic']],
  run: async ({ stdout, program }, _, [words]) => {
    const helper = helperFor(program, stdout);
    const { topics } = await import('./help-topics.ts');
    const { hintAmong, meantWord, wordTopics } = await import('./words.ts');
    const others = wordTopics().map(({ name }) => name);
    const isCommand = shownUnder(program).some((each) => each.name() === words[0]);
    const topic =
      topics.find(({ name }) => name === words.join(' ')) ??
      (isCommand ? undefined : meantWord(...words)?.topic);
    if (topic !== undefined) return stdout.write(renderTopic(topic, helper));
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
    if (command !== program) {
      const optionDescription = ({ description }: Option): string => description;
      return command.configureHelp({ ...helpSettings, optionDescription }).outputHelp();
    }
    const list = topics.map(({ name, about }) => [name, about] as const);
    const asIn = `Words, as in folio help owe: ${others.join(', ')}.`;
    const blocks = ['Topics, as in folio help questions:', list, asIn];
    await stdout.write(`${program.helpInformation()}\n${renderTopic({ blocks }, helper)}`);
  },
});

/** The line of the program's help about its topics. Their texts are loaded for `folio help <topic>`. */
export const ABOUT_TOPICS = 'More: folio help exit-codes, environment, formats, questions, databases, agents';

/** Display cells of the longest term beside which its meaning stands. */
const COLUMN = 20;
/** The same for command lines: the meaning of each is below it. */
const BELOW = 2;

/** How the help of a command differs from the parser's own. */
export const helpSettings: Partial<Help> = {
  // On a narrower terminal, lines would break within words.
  minWidthToWrap: 16,
  commandUsage: (command) => Help.prototype.commandUsage(command).replace('[options]', '[flags]'),
  subcommandTerm: (command) => termOf(command.name(), command),
  optionDescription(option) {
    const { description } = option;
    return (option as Partial<FlagOption>).isDaily ? oneLine(description, this.helpWidth ?? 80) : description;
  },
  padWidth: (command, helper) => Math.min(COLUMN, Help.prototype.padWidth(command, helper)),
  /** A term that is too wide has a line of its own, unless it is a flag whose meaning has room behind it. */
  formatItem(term, width, meaning, helper) {
    const isFlag = term.startsWith('-');
    const room = isFlag ? helper.helpWidth! - helper.displayWidth(meaning) - 4 : width;
    const isBeside = helper.displayWidth(term) <= Math.max(width, room);
    const item = Help.prototype.formatItem.call(helper, isBeside ? term : '', width, meaning, helper);
    return isBeside ? item : `  ${term}\n${item}`;
  },
  /** The examples come last. */
  formatHelp(command, helper) {
    const isCut = command.options.some((option) => helper.optionDescription(option) !== option.description);
    const whole = isCut ? `Flags in full: ${commandPath(command).replace(' ', ' help ')} · ` : '';
    const others = command.parent === null ? ABOUT_TOPICS : `${whole}Flags for every command: folio --help`;
    const examples = examplesOf(command);
    const blocks = [others, ...(examples.length === 0 ? [] : ['Examples:', examples])];
    return `${Help.prototype.formatHelp.call(helper, command, helper)}\n${renderTopic({ blocks }, helper)}`;
  },
};

/** The helper that lays out texts for a stream. */
function helperFor(program: Command, stdout: OutputStream): Help {
  return Object.assign(program.createHelp(), { helpWidth: helpWidth(stdout) });
}

/** Display cells of the lines of help. */
export function helpWidth({ columns = 80 }: OutputStream): number {
  return Math.min(columns, 110);
}

/** The one screen of `folio` alone: at 80 columns, its commands and where to read on in 24 lines, with the prompt. */
export function firstScreen(program: Command, stdout: OutputStream): string {
  const helper = helperFor(program, stdout);
  // The last line has `folio help`.
  const others = shownUnder(program).filter((one) => one.name() !== 'help');
  const commands = others.map((one) => [one.name(), one.summary()] as const);
  const next = 'Try: folio --sandbox issued · More: folio <command> --help, folio help';
  const about = helper.boxWrap(program.description(), helper.helpWidth!);
  return `Usage: folio <command> [flags]\n${about}\n\n${listOf(commands, helper)}\n${next}\n`;
}

/** The blocks of a topic as text. A list stands right under the line that announces it. */
export function renderTopic({ blocks }: Pick<Topic, 'blocks'>, helper: Help): string {
  const texts = blocks.map((block) => {
    if (typeof block === 'string') return helper.boxWrap(block, helper.helpWidth!);
    return 'lines' in block ? block.lines.replaceAll(/^/gm, '  ') : listOf(block, helper);
  });
  return `${texts.join('\n\n').replaceAll(':\n\n  ', ':\n  ')}\n`;
}

function listOf(terms: TermList, helper: Help): string {
  const widest = Math.max(...terms.map(([term]) => term.length));
  const width = terms.some(([term]) => /(?:^|[ (])folio /.test(term)) ? BELOW : Math.min(COLUMN, widest);
  return terms.map(([term, meaning]) => helper.formatItem(term, width, meaning, helper)).join('\n');
}

/** As much of a brief description as fits beside a flag, up to a comma or colon. */
function oneLine(text: string, width: number): string {
  const room = width - COLUMN - 4;
  const short = brief(text);
  const starts = [...short.matchAll(/[:,] |$/g)].map(({ index }) => short.slice(0, index));
  return starts.findLast((start) => start.length <= room) ?? text;
}

/** The beginning of a description, up to its first stop: for a menu. */
export function brief(text: string): string {
  return text
    .split(/[;(\n]|\. |, (?:or|from) /, 1)[0]!
    .replace(/[.:]$/, '')
    .trim();
}
