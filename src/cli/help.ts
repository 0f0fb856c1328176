import type { Command, CommanderError } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { nearestHint, nearestNames } from '../query/nearest-names.ts';
import { addCommand, commandPath, shownUnder, termOf } from './command.ts';
import type { Topic } from './help-topics.ts';

/** `help`: of a command, or on a topic. */
export function addHelp(program: Command, context: Context): void {
  addCommand(program, context, 'help', {
    description: 'Help on a command, such as `folio help funds get`, or on a topic; alone it lists both.',
    arguments: [['[words...]', 'a command or a topic']],
    run: (_, [words]) => runHelp(context, program, words),
  });
  // The build calls this, to put the page into the package.
  addCommand(program, context, '__man', {
    description: 'The manual page.',
    hidden: true,
    arguments: [['<date>', 'the day of the page, such as 2026-11-22']],
    run: async (_, [date]) => {
      const { manPage } = await import('./man-page.ts');
      await context.stdout.write(manPage(program, date));
    },
  });
}

/** Prints the help of the command that the words name, or a topic; without words the program's, and what topics there are. */
async function runHelp(context: Context, program: Command, words: readonly string[]): Promise<void> {
  const { renderTopic, topics } = await import('./help-topics.ts');
  const width = Math.min(context.stdout.columns ?? 100, 100);
  const { meantWord } = await import('./words.ts');
  const [first = ''] = words;
  const isCommand = shownUnder(program).some((each) => each.name() === first);
  const named =
    topics.find(({ name }) => name === first) ?? (isCommand ? undefined : meantWord(first)?.topic);
  const topic = words.length === 1 ? named : undefined;
  if (topic !== undefined) return context.stdout.write(renderTopic(topic, width));
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      const names = [...shownUnder(command), ...(command === program ? topics : [])].map(nameOf);
      throw new UsageError(`there is no help on ${JSON.stringify(word)}`, { hint: nearestHint(word, names) });
    }
    command = next;
  }
  if (command !== program) return command.outputHelp();
  await context.stdout.write(command.helpInformation());
  const list = topics.map(({ name, about }) => [`folio help ${name}`, about] as const);
  await context.stdout.write(`\n${renderTopic({ name: '', about: '', blocks: ['Topics:', list] }, width)}`);
}

function nameOf(one: Command | Topic): string {
  return typeof one.name === 'string' ? one.name : one.name();
}

/**
 * Has a command, and all commands under it, answer an unknown command or flag with those that were likely meant. The parser
 * does so only in part: it takes a misspelt command of `customers`, which lists by itself, for an argument, and it does not
 * know the flags of every command. Call this when all commands are declared.
 */
export function addSuggestions(command: Command): void {
  command.exitOverride((error) => {
    throw complaintOf(command, error) ?? error;
  });
  command.commands.forEach(addSuggestions);
}

function complaintOf(command: Command, { code, message }: CommanderError): UsageError | undefined {
  if (code === 'commander.unknownOption') {
    // Behind an equals sign is a value. It may be a secret, given to a flag that does not exist.
    const flag = /'([^'=]*)/.exec(message)?.[1] ?? '';
    return new UnknownFlag(flag, command);
  }
  if (code === 'commander.missingArgument') {
    const hint = `Write it like ${termOf(commandPath(command), command)}.`;
    return new UsageError(message.replace(/^error: /, ''), { hint });
  }
  if (code === 'commander.excessArguments' && ['statement', 'aging'].includes(command.name()))
    return asksByName(command.name(), command.args.join(' '));
  const names = shownUnder(command).map((each) => each.name());
  const isUnknown = code === 'commander.unknownCommand' || code === 'commander.excessArguments';
  if (!isUnknown || names.length === 0) return undefined;
  const [word = ''] = command.args;
  const whose = command.parent === null ? '' : ` of ${commandPath(command)}`;
  return new UnknownCommand(word, whose, names);
}

/** A counterparty was named as people name it: where its fiscal ID stands. */
function asksByName(command: string, word: string): UsageError {
  const quoted = `'counterpartyName~${word.replaceAll("'", `'\\''`)}'`;
  const find = `folio aging --where ${quoted} --columns counterparty,fiscalId`;
  return new UsageError(`${command} takes a fiscal ID by --customer-fiscal-id, not the name ${word}`, {
    hint: `Find it with \`${find}\` (add --payable for suppliers), then \`folio ${command} --customer-fiscal-id <id>\`.`,
  });
}

/** There is no such command. */
export class UnknownCommand extends UsageError {
  readonly #word: string;

  constructor(word: string, whose: string, names: readonly string[]) {
    super(`unknown command '${word}'${whose}`, { hint: nearestHint(word, names) });
    this.#word = word;
  }

  /** The same error with the help on the word, where there is any. */
  async explained(): Promise<UsageError> {
    const { meantWord } = await import('./words.ts');
    if (meantWord(this.#word) === undefined) return this;
    return new UsageError(this.message, {
      hint: `It is no command; folio help ${this.#word} says how to ask for it.`,
    });
  }
}

/** Flags by another word that people have for them, and that no misspelling leads to. */
const OTHER_WORDS: Readonly<Record<string, string>> = { report: 'receipt' };

/** A command has no such flag. */
export class UnknownFlag extends UsageError {
  readonly #flag: string;
  readonly #command: Command;

  constructor(flag: string, command: Command) {
    super(`unknown option '${flag}'`);
    this.#flag = flag;
    this.#command = command;
  }

  /**
   * The same error with what was likely meant: what folio has for that word, a flag of the command that is written nearly so, or
   * the commands that have this flag.
   */
  async explained(wholeProgram: () => Promise<Command>): Promise<UsageError> {
    const [flag, command] = [this.#flag, this.#command];
    const { meantWord } = await import('./words.ts');
    const value = command.args[command.args.indexOf(flag) + 1];
    const meant = meantWord(flag)?.flagsOf(command, value) ?? [];
    if (meant.length > 0) return this.#with(`Write ${meant.join(' or ')}. See folio help ${flag.slice(2)}.`);
    const near = nearestFlags(flag, command).join(' or ');
    if (near !== '') return this.#with(`Did you mean ${near}?`);
    const have = commandsWith(flag, await wholeProgram()).map(commandPath);
    if (have.length === 0) return this.#with(`See ${commandPath(command)} --help for what there is.`);
    return this.#with(`It is a flag of ${have.join(', ')}. See ${have[0]} --help for it.`);
  }

  #with(hint: string): UsageError {
    return new UsageError(this.message, { hint });
  }
}

/** The commands that have the flag, without those under them. */
function commandsWith(flag: string, command: Command): Command[] {
  if (command.options.some(({ long }) => long === flag)) return [command];
  return shownUnder(command).flatMap((child) => commandsWith(flag, child));
}

/** Compares names without their dashes, which all of them have. */
function nearestFlags(flag: string, command: Command): string[] {
  const names = command.options.flatMap(({ long }) => (long === '--token' ? [] : (long?.slice(2) ?? [])));
  const word = flag.replace(/^-+/, '');
  const other = names.filter((name) => name === OTHER_WORDS[word]);
  return [...other, ...nearestNames(word, names)].map((name) => `--${name}`);
}
