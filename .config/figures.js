// Runs the tests that look for silent losses and for leaks, and all that try random values. Prints what they counted: how often
// each ran, and what was lost or let out.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, succeeds, testsIn, vitestInto } from './run-tests.js';

const folder = mkdtempSync(join(tmpdir(), 'folio-figures-'));
const results = join(folder, 'results');
const random = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`)
  .filter((name) => /from 'fast-check'|random-runs/.test(readFileSync(join(root, name), 'utf8')));
const seed = process.env.FOLIO_SEED ?? String(randomInt(2 ** 31));
process.stderr.write(`Random values from FOLIO_SEED=${seed}\n`);
const args = vitestInto(results, 'run', 'test/faults', 'test/chaos', 'test/safety', ...random);
const passed = await succeeds(process.execPath, args, {
  stdio: ['ignore', 2, 2],
  env: { ...process.env, FOLIO_FIGURES: folder, FOLIO_SEED: seed },
});

const single = testsIn(results).filter(
  ({ file, status }) => file.includes('/test/faults/') && /^(passed|failed)$/.test(status),
);
const figures = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
const lost = single.filter(({ status }) => status === 'failed').length;
figures.push({ what: 'tests of single faults', ran: single.length, lost });
rmSync(folder, { recursive: true });

const rows = figures.map(({ what, ran, lost, leaked, outcome }) => [
  ran.toLocaleString('en-US'),
  what,
  outcome ?? (lost === undefined ? `leaked: ${leaked}` : `lost: ${lost}`),
]);
const [counts, names] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at].length)));
for (const [ran, what, outcome] of rows)
  process.stdout.write(`${ran.padStart(counts)} ${what.padEnd(names)}  ${outcome}\n`);
process.exitCode = passed ? 0 : 1;
