/*
 * Runs around each file of tests. Most files share a process with others (`.config/vitest.config.js`), so a file that leaves
 * the process otherwise than it found it fails.
 */
import { createRequire, Module } from 'node:module';
import { configureGlobal } from 'fast-check';
import { afterAll, expect, vi } from 'vitest';
import { displayWidth } from '../../src/output/terminal/terminal-text.ts';
import { RANDOM_SEED } from './random-runs.ts';
import { releaseAll } from './when-test-ends.ts';

configureGlobal({ seed: RANDOM_SEED });

// By itself, vitest compares byte after byte, which takes seconds for a megabyte.
expect.addEqualityTesters([
  (one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
]);

// In what is built, cli-table3 measures as folio does (.config/bundle.js). So it does where tests load the source.
const require = createRequire(import.meta.url);
const path = createRequire(require.resolve('cli-table3')).resolve('string-width');
const width = new Module(path);
width.exports = displayWidth;
width.loaded = true;
require.cache[path] = width;

const before = stateOfProcess();

afterAll(async () => {
  await releaseAll();
  expect(stateOfProcess()).toEqual(before);
});

/** What a test may change of the process, and has to put back. */
function stateOfProcess(): unknown {
  const mask = process.umask(0);
  process.umask(mask);
  return {
    mask,
    folder: process.cwd(),
    environment: { ...process.env },
    listeners: namesOfEvents().map((name) => `${name}: ${process.listenerCount(name)}`),
    clock: vi.isFakeTimers() ? 'of a test' : 'real',
    exitCode: process.exitCode,
  };
}

/** But for signals and the exit, for which libraries wait from their first use on. */
function namesOfEvents(): string[] {
  const names = process.eventNames().map(String);
  return names.filter((name) => !name.startsWith('SIG') && name !== 'exit').toSorted();
}
