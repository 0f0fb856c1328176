import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const root = new URL('..', import.meta.url).pathname;

/** Files that replace a module for all that load it later: each has a process of its own. */
const alone = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((name) => name.endsWith('.test.ts') && readFileSync(join(root, name), 'utf8').includes('vi.mock('));

/** Files that begin, beside lint: those that mostly wait, for a service that hangs or a program that starts, and the longest. */
const first = [
  'faults/network',
  'safety/spreadsheet',
  'output/xlsx/libreoffice',
  'report/page',
  'safety/hangs',
  'output/parquet/parquet',
  'chaos/chaos',
  'paging/drift',
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

const shared = {
  pool: 'forks',
  setupFiles: ['test/support/around-each-file.ts', 'test/support/table-width.ts'],
  // For what hangs: no test may fail because the machine is slow.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  env: { FOLIO_TOKEN: undefined, FOLIO_BASE_URL: undefined, FOLIO_PROFILE: undefined },
};

export default defineConfig({
  root,
  test: {
    reporters: ['default', './.config/skipped-tests.js'],
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: FirstThose },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...shared, name: 'alone', include: alone, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
