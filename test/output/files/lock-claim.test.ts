import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { OutputError } from '../../../src/errors.ts';
import type { FileTarget } from '../../../src/output/files/target.ts';
import { lockTarget } from '../../../src/output/files/lock.ts';
import { destinationContext } from '../destination-context.ts';
import { replaceFileFunctions } from '../../support/replaced-file-functions.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fileSystem = { linkError: '', openError: '' };

function fail(code: string): Promise<never> {
  return Promise.reject(Object.assign(new Error(code), { code }));
}

replaceFileFunctions((own) => ({
  link: () => fail(fileSystem.linkError),
  open: (...given) =>
    fileSystem.openError !== '' && String(given[0]).endsWith('.folio-lock')
      ? fail(fileSystem.openError)
      : own.open(...given),
}));

beforeEach(() => void Object.assign(fileSystem, { linkError: '', openError: '' }));

function targetIn(folder: string): FileTarget {
  return { kind: 'file', shown: 'out.csv', folder, name: 'out.csv', existing: undefined };
}

it.each(['EPERM', 'ENOTSUP', 'ENOSYS'])('locks on a file system without hard links (%s)', async (code) => {
  fileSystem.linkError = code;
  const folder = temporaryFolder();
  const lock = await lockTarget(targetIn(folder), destinationContext());
  expect(readdirSync(folder)).toEqual(['.out.csv.folio-lock']);
  expect(JSON.parse(readFileSync(join(folder, '.out.csv.folio-lock'), 'utf8'))).toMatchObject({
    host: 'desk',
  });
  await expect(lockTarget(targetIn(folder), destinationContext())).rejects.toThrow(
    /this run is writing out.csv already/,
  );
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

it('says where no lock can be had at all', async () => {
  Object.assign(fileSystem, { linkError: 'EPERM', openError: 'ENOLCK' });
  const folder = temporaryFolder();
  const error: unknown = await lockTarget(targetIn(folder), destinationContext()).catch(
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(OutputError);
  expect((error as OutputError).message).toBe(
    `cannot lock out.csv: no lock file can be made in ${folder}: ENOLCK`,
  );
  expect(readdirSync(folder)).toEqual([]);
});
