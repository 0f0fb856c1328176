import { describe, expect, it } from 'vitest';
import { addCommand } from '../../src/cli/command.ts';
import { programFor } from '../../src/cli/program.ts';
import { valued, bareFlag } from '../../src/run/flag.ts';
import { fakeContext } from '../support/fake-context.ts';

describe('a command', () => {
  it('gets the values of the flags that were given, and is told of by each that it reads', async () => {
    const read: string[] = [];
    const context = { ...fakeContext(), onFlagRead: (flag: string) => void read.push(flag) };
    const program = await programFor(context, []);
    const values: unknown[] = [];
    addCommand(program, context, 'try', {
      description: '',
      flags: {
        one: bareFlag('--one', ''),
        size: valued('--page-size <n>', '', () => Number),
        third: bareFlag('--third', ''),
      },
      run: async (flags) => void values.push(flags.one, flags.size, { ...flags }),
    });
    await program.parseAsync(['try', '--page-size', '3', '--third'], { from: 'user' });
    expect(values).toEqual([undefined, 3, {}]);
    expect(read).toEqual(['--page-size']);
  });
});
