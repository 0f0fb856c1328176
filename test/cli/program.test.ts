import { describe, expect, it } from 'vitest';
import { declareCommands, emptyProgram, wholeProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';

const whole = await wholeProgram(fakeContext());
const all = whole.commands.map((command) => command.name());
/** Speak of others, or are declared beside one that does. */
const OF_ALL = ['completion', '__profiles', 'help', '__man'];

/** The commands that are declared as a whole for a command line: with their descriptions. */
async function declaredFor(...argv: readonly string[]): Promise<string[]> {
  const program = emptyProgram(fakeContext(), () => {});
  await declareCommands(program, fakeContext(), argv);
  // The help is the same, whatever is declared.
  expect(program.helpInformation()).toBe(whole.helpInformation());
  return program.commands.filter((each) => each.description() !== '').map((each) => each.name());
}

describe('the program', () => {
  it.each(all.filter((name) => !OF_ALL.includes(name)))(
    'declares %s, and no others, where it is asked for',
    async (name) => {
      const beside = ['auth', 'login'].includes(name) ? ['auth', 'login'] : [name];
      expect(await declaredFor(name)).toEqual(beside);
      expect(await declaredFor('--sandbox', '--profile', 'help', name, '--limit', '5')).toEqual(beside);
      expect(await declaredFor('--help', name)).toEqual(beside);
    },
  );

  it.each([[[]], [['--help']], [['--profile', 'issued']], [['isued', 'received']]])(
    'declares none for %j, and shows all',
    async (argv) => {
      expect(await declaredFor(...argv)).toEqual([]);
    },
  );

  it.each(OF_ALL)('declares all commands for %s, which speaks of them', async (name) => {
    expect(await declaredFor(name)).toEqual(all);
  });
});
