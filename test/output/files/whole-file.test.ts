import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDestination } from '../../../src/output/files/open-destination.ts';
import { destinationContext } from '../destination-context.ts';
import { replaceFileFunctions } from '../../support/replaced-file-functions.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { Interrupted, OutputError } from '../../../src/errors.ts';
import { putInPlace } from '../../../src/output/files/whole-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** What was done to the files, in order, as far as a power failure could tell. */
const steps: string[] = [];

replaceFileFunctions((own) => {
  const watched = (handle: FileHandle, what: string): FileHandle => {
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      steps.push(`flush ${what}`);
      return sync();
    };
    return handle;
  };
  return {
    open: async (...given) =>
      watched(await own.open(...given), String(given[0]).endsWith('.folio-tmp') ? 'file' : 'folder'),
    rename: (...given) => {
      steps.push('rename');
      return own.rename(...given);
    },
  };
});

beforeEach(() => void steps.splice(0));

it('is on the disk before it has its name, and its name is after', async () => {
  const output = join(temporaryFolder(), 'out.csv');
  const destination = await openDestination(output, destinationContext());
  await destination.write('rows');
  expect(steps).toEqual([]);
  await destination.commit();
  expect(steps).toEqual(['flush file', 'rename', 'flush folder']);
});

it('does not replace what another run wrote that took the lock over', async () => {
  const folder = temporaryFolder();
  const output = join(folder, 'out.csv');
  const destination = await openDestination(output, destinationContext(), { hasReceipt: true });
  await destination.write('rows');
  writeFileSync(output, 'theirs');
  writeFileSync(join(folder, '.out.csv.folio-lock'), 'theirs');
  await expect(destination.commit()).rejects.toThrow(
    `cannot write ${output}: another run took it over while this one was asleep`,
  );
  expect(readFileSync(output, 'utf8')).toBe('theirs');
  expect(readdirSync(folder).toSorted()).toEqual(['.out.csv.folio-lock', 'out.csv']);
});

describe('a file that is begun anew', () => {
  const begun = async (folder: string) => {
    writeFileSync(join(folder, 'out.csv'), 'old');
    const destination = await openDestination(join(folder, 'out.csv'), destinationContext(), {
      hasReceipt: true,
    });
    await destination.write('one');
    await destination.write('sixteen');
    return destination;
  };
  const temporary = expect.stringMatching(/\.folio-tmp$/);
  const inUse = ['.out.csv.folio-lock', temporary, 'out.csv'];

  it('gives back what it had, in any parts, and counts from its new beginning', async () => {
    const folder = temporaryFolder();
    const destination = await begun(folder);
    const [before] = readdirSync(folder).filter((name) => name.endsWith('.folio-tmp'));
    const parts: string[] = [];
    for await (const part of await destination.startOver!([3, 0, 3, 2])) {
      parts.push(part.toString());
      await destination.write(`${part.toString()},`);
    }
    expect(parts).toEqual(['one', '', 'six', 'te']);
    const written = 'one,,six,te,';
    expect(destination.bytes).toBe(written.length);
    expect(destination.sha256()).toBe(createHash('sha256').update(written).digest('hex'));
    // What it had has no name any more.
    const names = readdirSync(folder);
    expect(names.toSorted()).toEqual(expect.arrayContaining(inUse));
    expect([names.length, names.includes(before!)]).toEqual([3, false]);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('old');
    steps.splice(0);
    await destination.commit();
    expect(steps).toEqual(['flush file', 'rename', 'flush folder']);
    expect([readdirSync(folder), readFileSync(join(folder, 'out.csv'), 'utf8')]).toEqual([
      ['out.csv'],
      written,
    ]);
    await expect(destination.startOver!([1])).rejects.toThrow('out.csv: it was given up');
  });

  it('is what it was before where it cannot be read again, or is discarded', async () => {
    const folder = temporaryFolder();
    const short = await begun(folder);
    const parts = (await short.startOver!([3, 8]))[Symbol.asyncIterator]();
    expect((await parts.next()).value.toString()).toBe('one');
    await expect(parts.next()).rejects.toThrow(/^cannot write .*out\.csv: something else has cut it short$/);
    expect(readdirSync(folder)).toEqual(['out.csv']);
    await expect(short.write('more')).rejects.toThrow('it was given up');
    const discarded = await begun(folder);
    await discarded.startOver!([3]);
    await discarded.discard();
    expect([readdirSync(folder), readFileSync(join(folder, 'out.csv'), 'utf8')]).toEqual([
      ['out.csv'],
      'old',
    ]);
  });
});

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
