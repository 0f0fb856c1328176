/** Runs tests with vitest, in any environment, and reads their results. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The arguments with which Node runs vitest, and has it write its results to the file, too. */
export function vitestInto(file, ...args) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  return [vitest, '-c', '.config/vitest.config.js', ...args, ...reportersInto(file)];
}

export function reportersInto(file) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
}

/** Runs a program to its end. Resolves with whether it succeeded. */
export async function succeeds(program, args, options = {}) {
  const [code] = await once(spawn(program, args, { cwd: root, stdio: 'inherit', ...options }), 'close');
  return code === 0;
}

/**
 * The tests whose results are in the file, each with its name, what it `needs` and which of that is `missing`; a file that
 * could not be loaded counts as a test that failed. None where the run wrote no results.
 */
export function testsIn(file) {
  const { testResults } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  return testResults.flatMap(({ name: path, status, message, assertionResults }) => {
    if (status === 'failed' && assertionResults.length === 0)
      return [{ file: path, name: path, status, needs: [], missing: [], message }];
    return assertionResults.map((test) => ({
      ...{ file: path, name: test.fullName, status: test.status },
      ...{ needs: [], missing: [], ...test.meta, message: test.failureMessages.join('\n') },
    }));
  });
}
