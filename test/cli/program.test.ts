import { describe, expect, it } from 'vitest';
import { addCommand, declareCommand } from '../../src/cli/command.ts';
import { programFor, wholeProgram } from '../../src/cli/program.ts';
import { withValues } from '../../src/run/flag.ts';
import { fakeContext } from '../support/fake-context.ts';

const whole = await wholeProgram(fakeContext());
const all = whole.commands.map((command) => command.name());

/** The commands that are declared as a whole for a command line: with their descriptions. */
async function declaredFor(...argv: readonly string[]): Promise<string[]> {
  const program = await programFor(fakeContext(), argv);
  // The help is the same, whatever is declared.
  expect(program.helpInformation()).toBe(whole.helpInformation());
  return program.commands.filter((each) => each.description() !== '').map((each) => each.name());
}

describe('the program', () => {
  it('declares the command of the line as a whole, or that on which help is asked for, and no others', async () => {
    for (const name of ['issued', 'customers', 'login', '__complete']) {
      expect(await declaredFor('--sandbox', '--profile', 'help', name, '--limit', '5')).toEqual([name]);
      expect(await declaredFor('--help', name)).toEqual([name]);
      expect(await declaredFor('help', name)).toEqual(all.filter((each) => [name, 'help'].includes(each)));
    }
    for (const argv of [[], ['--help'], ['--profile', 'issued'], ['isued', 'received']])
      expect(await declaredFor(...argv)).toEqual([]);
    expect(await declaredFor('__man', '2026-11-22')).toEqual(all);
  });
});

describe('a command', () => {
  it('gets the values of the flags that were given, and is told of by each that it reads', async () => {
    const read: string[] = [];
    const context = { ...fakeContext(), onFlagRead: (flag: string) => void read.push(flag) };
    const program = await programFor(context, []);
    const values: unknown[] = [];
    const declaration = declareCommand({
      description: '',
      flags: {
        one: { syntax: '--one', about: '' },
        size: { syntax: '--page-size <n>', about: '', range: [1] },
        third: { syntax: '--third', about: '' },
      },
      run: async (_, flags) => void values.push(flags.one, flags.size, { ...flags }),
    });
    addCommand(program, { ...context, program, programFor }, { name: 'try', declaration });
    await program.parseAsync(['try', '--page-size', '3', '--third'], { from: 'user' });
    expect(values).toEqual([undefined, 3, { size: 3, third: true }]);
    // The copy reads all.
    expect(read).toEqual(['--page-size', '--page-size', '--third']);
  });

  it('keeps all values where some are replaced, also in a copy', () => {
    const values = withValues({ size: 3, sort: 'date' }, { sort: undefined, all: true });
    expect({ ...withValues(values, { all: false }) }).toEqual({ size: 3, sort: undefined, all: false });
  });
});
