import { describe, expect, it } from 'vitest';
import { addCommand } from '../../src/cli/command.ts';
import { flagGroup, yes } from '../../src/cli/flag-group.ts';
import { outputFlags, receiptFlags } from '../../src/cli/flags.ts';
import { emptyProgram } from '../../src/cli/program.ts';
import type { Export } from '../../src/run/export-part.ts';
import { exportRecords } from '../../src/run/pipeline.ts';
import { fakeContext } from '../support/fake-context.ts';

const context = fakeContext();

interface Known {
  readonly one?: boolean;
  readonly other?: boolean;
}

describe('a group of flags', () => {
  it('has a flag for each option of its reader, and none besides: else it does not compile', () => {
    const [one, other, third] = [yes('--one', ''), yes('--other', ''), yes('--third', '')];
    flagGroup<Known>(undefined, { one, other });
    // @ts-expect-error An option without a flag.
    flagGroup<Known>(undefined, { one });
    // @ts-expect-error A flag that the reader does not know.
    flagGroup<Known>(undefined, { one, other, third });
    // @ts-expect-error A flag of another type.
    flagGroup<{ readonly one?: string }>(undefined, { one });
  });

  it('hands over what was given, and nothing for what was not', async () => {
    const known = flagGroup<Known>(undefined, { one: yes('--one', ''), other: yes('--other', '') });
    const program = emptyProgram(context, () => {});
    let values: unknown;
    addCommand(program, 'try', {
      description: '',
      flags: { known },
      run: async (given) => void (values = given.known),
    });
    await program.parseAsync(['try', '--other'], { from: 'user' });
    expect(values).toEqual({ other: true });
  });
});

describe('a command', () => {
  it('that never looks at a group of its flags fails whenever it is run', async () => {
    const program = emptyProgram(context, () => {});
    addCommand(program, 'try', {
      description: '',
      flags: { output: outputFlags, receipt: receiptFlags },
      run: async ({ output }) => void output,
    });
    await expect(program.parseAsync(['try'], { from: 'user' })).rejects.toThrow(
      'folio try takes flags and never looks at them: receipt',
    );
  });

  it('that hands an export a group which no export reads does not compile', () => {
    const asked = {} as Omit<Export, 'source'> & Pick<Export, 'source'> & { readonly mine: Known };
    // @ts-expect-error Nothing reads `mine`.
    const run = (): Promise<void> => exportRecords(context, { ...asked });
    expect(run).toBeTypeOf('function');
  });
});
