import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
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
