/*
 * What `.ci/run` does once all is installed. Parts that do not need one another run side by side; the output of all but the tests
 * comes when they are done. Ends with what was skipped and why that is allowed, what failed, how long each part took, and one
 * line of counts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { reportersInto, root, testsIn, vitestInto } from './run-tests.js';

/** What tests may be skipped for want of, and why. */
const ALLOWED = new Map([['the right to mount a disk', 'most containers forbid it']]);

const scratch = mkdtempSync(join(tmpdir(), 'folio-ci-'));
const parts = [];
try {
  await Promise.all([
    // All of each random run, of which `npm test` by itself tries a twentieth.
    part('npm test', 'npm', ['test', '--', ...reportersInto(join(scratch, 'tests.json'))], {
      env: { ...process.env, FOLIO_RUNS: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
    part('packages, without Node', 'bash', ['.config/try-package.sh']),
  ]);
  await Promise.all([
    belowClosedFolder(),
    part('Node 22, 24 and 26', process.execPath, ['.config/try-on.js', scratch, '22', '24', '26']),
    part('without programs', process.execPath, ['.config/try-without.js']),
  ]);
  process.exitCode = summary() ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true });
}

/** Runs a part and notes how it ended. */
async function part(name, program, args, options = {}) {
  const began = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = Math.round((performance.now() - began) / 1000);
  parts.push({ name, passed: code === 0, seconds });
  if (output.length > 0) process.stdout.write(`\n${name}\n${Buffer.concat(output).toString()}`);
}

/**
 * A checkout may lie in a folder that only its owner may enter: other users that tests run folio as cannot read it. Its path may
 * have a space.
 */
function belowClosedFolder() {
  const checkout = join(scratch, 'a checkout');
  const isCopied = (path) => !['node_modules', '.git', '.package'].includes(relative(root, path));
  cpSync(root, checkout, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const args = vitestInto(join(scratch, 'closed.json'), 'run', 'test/recipes.test.ts');
  return part('below a closed folder', process.execPath, args, { cwd: checkout });
}

/** Returns whether all is as it has to be. */
function summary() {
  const files = readdirSync(scratch).filter((name) => name.endsWith('.json'));
  const tests = files.flatMap((name) => testsIn(join(scratch, name)));
  const failures = tests.filter(({ status }) => status === 'failed');
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const skipped = tests.filter(({ status }) => status !== 'failed' && status !== 'passed');
  const refused = skipped.filter(
    ({ missing }) => missing.length === 0 || missing.some((what) => !ALLOWED.has(what)),
  );
  const failed = failures.length + parts.filter((one) => !one.passed).length;

  say(`\nSkipped tests: ${skipped.length}`);
  for (const { name, missing } of skipped) say(`  ${name}: ${missing.join(', ') || 'no reason is given'}`);
  say('May be skipped for want of:');
  for (const [what, why] of ALLOWED) say(`  ${what}: ${why}`);
  for (const { name } of refused) say(`SKIPPED, which is not allowed: ${name}`);
  // Last, where it is seen although the output before is cut.
  for (const { name, message } of failures) say(`FAILED: ${name}\n${firstLinesOf(message)}`);
  for (const { name, passed: hasPassed, seconds } of parts)
    say(`${hasPassed ? 'passed' : 'FAILED'} ${name}, in ${seconds} s`);
  say(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  return failed + refused.length === 0 && passed > 0;
}

/** The first lines of an error, indented. */
function firstLinesOf(message = '') {
  return message.split('\n', 30).join('\n').slice(0, 3000).replace(/^/gm, '  ');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
