import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDestination } from '../../../src/output/files/destination.ts';
import { destinationContext } from '../destination-context.ts';
import { replaceFileFunctions } from '../../support/replaced-file-functions.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
    expect(readdirSync(folder)).toEqual(['out.csv']);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(written);
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
    expect(readdirSync(folder)).toEqual(['out.csv']);
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('old');
  });
});
