// Runs the tests that look for silent losses and for leaks, and all that try random values, and prints what they themselves counted:
// how often each ran, and what was lost or let out.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'folio-figures-'));
const results = join(folder, 'results');
const random = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`)
  .filter((name) => /from 'fast-check'|random-runs/.test(readFileSync(join(root, name), 'utf8')));
const tests = ['test/faults', 'test/chaos', 'test/safety', ...random];
const seed = process.env.FOLIO_SEED ?? String(randomInt(2 ** 31));
process.stderr.write(`Random values from FOLIO_SEED=${seed}\n`);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '-c',
    join(root, '.config/vitest.config.js'),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...tests,
  ],
  { stdio: ['ignore', 2, 2], env: { ...process.env, FOLIO_FIGURES: folder, FOLIO_SEED: seed } },
);

const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
const single = testResults
  .filter(({ name }) => name.includes('/test/faults/'))
  .flatMap(({ assertionResults }) => assertionResults)
  .filter((test) => test.status === 'passed' || test.status === 'failed');
const figures = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
figures.push({
  what: 'tests of single faults',
  ran: single.length,
  lost: single.filter((test) => test.status === 'failed').length,
});
rmSync(folder, { recursive: true });

const rows = figures.map(({ what, ran, lost, leaked, outcome }) => [
  what,
  ran.toLocaleString('en-US'),
  outcome ?? (lost === undefined ? `leaked: ${leaked}` : `lost: ${lost}`),
]);
const [first, second] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at].length)));
for (const [what, ran, outcome] of rows) {
  process.stdout.write(`${ran.padStart(second)} ${what.padEnd(first)}  ${outcome}\n`);
}
process.exitCode = status ?? 1;
