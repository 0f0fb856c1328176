import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { beforeAll } from 'vitest';
import { whenTestEnds } from './when-test-ends.ts';

type FileFunctions = typeof files;

/** Has all that imports `node:fs/promises` call these functions, made of its own, during the tests of a file. */
export function replaceFileFunctions(
  replacing: (own: Readonly<FileFunctions>) => Partial<FileFunctions>,
): void {
  beforeAll(() => {
    const own = { ...files };
    Object.assign(files, replacing(own));
    syncBuiltinESMExports();
    whenTestEnds(() => {
      Object.assign(files, own);
      syncBuiltinESMExports();
    });
  });
}
