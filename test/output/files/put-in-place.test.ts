import { describe, expect, it } from 'vitest';
import { Interrupted, OutputError } from '../../../src/errors.ts';
import { putInPlace } from '../../../src/output/files/put-in-place.ts';
import { FakeClock } from '../../support/fake-clock.ts';

interface Tried {
  readonly code: string;
  /** How often the rename fails before it succeeds. */
  readonly failures: number;
  readonly platform: string;
  readonly signal?: AbortSignal;
}

/** How the renaming ended, and the waits between its tries. */
async function tryToPut({ code, failures, platform, signal = new AbortController().signal }: Tried) {
  const clock = new FakeClock();
  const renamed: string[] = [];
  const rename = async (from: string, to: string): Promise<void> => {
    renamed.push(`${from} to ${to}`);
    if (renamed.length <= failures) throw Object.assign(new Error(`${code}: refused`), { code });
  };
  const options = { clock, signal, shown: 'out.csv', platform, rename };
  const failure = await putInPlace('a.tmp', 'out.csv', options).catch((error: unknown) => error);
  return { failure, tries: renamed, waits: clock.sleeps };
}

describe('on Windows, a file that another program has open', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is replaced as soon as it is let go: %s', async (code) => {
    expect(await tryToPut({ code, failures: 3, platform: 'win32' })).toEqual({
      failure: undefined,
      tries: ['a.tmp to out.csv', 'a.tmp to out.csv', 'a.tmp to out.csv', 'a.tmp to out.csv'],
      waits: [25, 50, 100],
    });
  });

  it('is left alone after a while, in a sentence', async () => {
    const { failure, waits } = await tryToPut({ code: 'EPERM', failures: 99, platform: 'win32' });
    expect(waits).toEqual([25, 50, 100, 200, 400, 800]);
    expect(failure).toEqual(
      new OutputError('cannot write out.csv: another program has it open, or it may not be replaced', {
        hint: 'Close it in that program, or write to another name; what was there before is untouched.',
        cause: Object.assign(new Error('EPERM: refused'), { code: 'EPERM' }),
      }),
    );
  });

  it('is not waited for when the run is to stop', async () => {
    const signal = AbortSignal.abort(new Interrupted('SIGINT'));
    const { failure, tries } = await tryToPut({ code: 'EBUSY', failures: 99, platform: 'win32', signal });
    expect([failure, tries.length]).toEqual([new Interrupted('SIGINT'), 1]);
  });
});

it.each([
  ['EPERM', 'linux'],
  ['EBUSY', 'darwin'],
  ['ENOSPC', 'win32'],
])('%s on %s is final', async (code, platform) => {
  const { failure, waits } = await tryToPut({ code, failures: 1, platform });
  expect(failure).toMatchObject({ code });
  expect(waits).toEqual([]);
});
