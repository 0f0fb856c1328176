import { describe, expect, it } from 'vitest';
import { programFor, wholeProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';

const whole = await wholeProgram(fakeContext());
const all = whole.commands.map((command) => command.name());
const PAIRS = [
  ['auth', 'login'],
  ['completion', '__complete'],
  ['help', '__man'],
];

/** The commands that are declared as a whole for a command line: with their descriptions. */
async function declaredFor(...argv: readonly string[]): Promise<string[]> {
  const program = await programFor(fakeContext(), argv);
  // The help is the same, whatever is declared.
  expect(program.helpInformation()).toBe(whole.helpInformation());
  return program.commands.filter((each) => each.description() !== '').map((each) => each.name());
}

describe('the program', () => {
  it.each(all.filter((name) => name !== '__man'))(
    'declares %s, and no others, where it or help on it is asked for',
    async (name) => {
      const beside = PAIRS.find((pair) => pair.includes(name)) ?? [name];
      const inOrder = (names: readonly string[]): string[] => all.filter((each) => names.includes(each));
      expect(await declaredFor(name)).toEqual(beside);
      expect(await declaredFor('--sandbox', '--profile', 'help', name, '--limit', '5')).toEqual(beside);
      expect(await declaredFor('--help', name)).toEqual(beside);
      expect(await declaredFor('help', name)).toEqual(inOrder([...beside, 'help', '__man']));
    },
  );

  it.each([[[]], [['--help']], [['--profile', 'issued']], [['isued', 'received']]])(
    'declares none for %j, and shows all',
    async (argv) => {
      expect(await declaredFor(...argv)).toEqual([]);
    },
  );

  it('declares all for the manual', async () => {
    expect(await declaredFor('__man', '2026-11-22')).toEqual(all);
  });
});
