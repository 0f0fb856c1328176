import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** Files that begin, beside lint: those that mostly wait, for a service that hangs or a program that starts, and the longest. */
const first = [
  'faults/network',
  'safety/spreadsheet',
  'output/xlsx/libreoffice',
  'report/page',
  'safety/hangs',
  'output/parquet/parquet',
  'chaos/chaos',
  'recipes',
  'paging/drift',
  'cli/questions/books/databases',
  'cli/questions/books/exports',
  'cli/questions/books/service',
];

/** The order of vitest, in which the largest files come early, but for those. */
class FirstThose extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const place = ({ moduleId }) =>
      first.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`)) + 1 || first.length + 1;
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './.config/skipped-tests.js'],
    pool: 'forks',
    // A process runs one file after the other: loading the source takes longer than most files do.
    isolate: false,
    // One more than there are processors, since tests also wait: for the disk, a program that starts, a service that hangs.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: FirstThose },
    setupFiles: ['test/support/around-each-file.ts'],
    // For what hangs: no test may fail because the machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: {
      FOLIO_TOKEN: undefined,
      FOLIO_BASE_URL: undefined,
      FOLIO_PROFILE: undefined,
      // Wherever they run, tests see the same days and numbers.
      TZ: 'UTC',
      LC_ALL: '',
      LC_NUMERIC: '',
      LANG: '',
    },
  },
});
