import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { declareNow } from '../declare-later.ts';
import { nearestHint } from '../nearest-hint.ts';
import { renderTopic } from './render-topic.ts';
import { topics } from './topics.ts';

/** Prints the help of the command that the words name, or a topic; without words the program's, and what topics there are. */
export async function runHelp(context: Context, program: Command, words: readonly string[]): Promise<void> {
  const width = Math.min(context.stdout.columns ?? 100, 100);
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
  if (topic !== undefined) return context.stdout.write(renderTopic(topic, width));
  const command = findCommand(program, words);
  if (command !== program) return command.outputHelp();
  await context.stdout.write(command.helpInformation());
  const list = topics.map(({ name, about }) => [`folio help ${name}`, about] as const);
  await context.stdout.write(`\n${renderTopic({ name: '', about: '', blocks: ['Topics:', list] }, width)}`);
}

function findCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) throw unknown(command, word, command === program);
    declareNow(next);
    command = next;
  }
  return command;
}

function unknown(command: Command, word: string, withTopics: boolean): UsageError {
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
  if (withTopics) names.push(...topics.map(({ name }) => name));
  return new UsageError(`there is no help on ${JSON.stringify(word)}`, { hint: nearestHint(word, names) });
}
