import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** Files that begin, beside lint: the longest, and those that mostly wait, for a service that hangs or a program that starts. */
const FIRST = [
  ...['cli/questions/books/', 'faults/network', 'safety/spreadsheet', 'output/xlsx/xlsx'],
  ...['safety/hangs', 'output/parquet/parquet', 'chaos/chaos', 'paging/drift', 'safety/token-echo'],
  ...['report/page', 'database/document-columns', 'recipes', 'safety/fuzz', 'safety/bombs'],
];

/** The order of vitest, in which the largest files come early, behind those of FIRST. */
class FirstFiles extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const place = ({ moduleId }) =>
      FIRST.findIndex((name) => moduleId.includes(`/test/${name}`)) + 1 || FIRST.length + 1;
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

/** Where the system has room for it, a folder in memory: on a disk, tests wait for their thousands of files and databases. */
function temporaryFolders() {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 31 ? memory : tmpdir();
}

const TIMEOUT = 120_000 * Math.max(1, 5 * Number(process.env.FOLIO_RUNS ?? 0));

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './.config/skipped-tests.js'],
    pool: 'forks',
    // A process runs one file after the other: loading the source takes longer than most files do.
    isolate: false,
    // What the sources become is kept in node_modules, each file by its content.
    experimental: { fsModuleCache: true },
    // Two more than there are processors, since tests also wait: for the disk, a program that starts, a service that hangs.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: FirstFiles },
    setupFiles: ['test/support/around-each-file.ts'],
    // For what hangs: no test may fail because the machine is slow, or because it tries more.
    testTimeout: TIMEOUT,
    hookTimeout: TIMEOUT,
    env: {
      FOLIO_TOKEN: undefined,
      FOLIO_BASE_URL: undefined,
      FOLIO_PROFILE: undefined,
      TMPDIR: process.env.TMPDIR ?? temporaryFolders(),
      // Wherever they run, tests see the same days and numbers.
      TZ: 'UTC',
      LC_ALL: '',
      LC_NUMERIC: '',
      LANG: '',
    },
  },
});
