import { onTestFinished, TestRunner } from 'vitest';

type Release = () => void | Promise<void>;

const later: Release[] = [];

/**
 * Has something released with the test that runs: a folder, a server. Outside of tests, in hooks, and in tests that run side
 * by side, of which the runner does not know which one asks, it is released after the last test of the file.
 */
export function whenTestEnds(release: Release): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined || test.concurrent === true) later.push(release);
  else onTestFinished(release);
}

/** Releases what waits for the last test of the file, the last first. */
export async function releaseAll(): Promise<void> {
  while (later.length > 0) await later.pop()!();
}
