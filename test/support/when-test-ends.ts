import { afterAll, onTestFinished, TestRunner } from 'vitest';

type Release = () => void | Promise<void>;

const later: Release[] = [];
afterAll(async () => {
  for (const release of later.toReversed()) await release();
});

/**
 * Has something released with the test that runs: a folder, a server. Outside of tests, in hooks, and in tests that run side
 * by side, of which the runner does not know which one asks, it is released after the last test of the file.
 */
export function whenTestEnds(release: Release): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined || test.concurrent === true) later.push(release);
  else onTestFinished(release);
}
