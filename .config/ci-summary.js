/*
 * `node .config/ci-summary.js <folder with results of vitest> <versions of Node that failed> <passed or failed, the packages>`:
 * which tests were skipped and why that is allowed, which failed and with what, and one line of counts. Fails where a test, a
 * version or a package failed, or where a test was skipped that may not be.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Tests that may be skipped, and why. */
const ALLOWED = new Map([
  [
    'a disk that fills up leaves the old file and nothing beside it: exit 1 with the reason',
    'it mounts a small disk, which most containers forbid',
  ],
  [
    'folio sync into SQLite keeps what there was when the disk is full',
    'it mounts a small disk, which most containers forbid',
  ],
]);

const [folder, failedOn = '', packages] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const results = files.flatMap((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')).testResults);
const tests = results.flatMap(({ assertionResults }) => assertionResults);
const broken = results.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
);
const failures = tests.filter(({ status }) => status === 'failed');
const namesOf = (...states) =>
  tests.filter(({ status }) => states.includes(status)).map(({ fullName }) => fullName);

const skipped = namesOf('pending', 'skipped', 'todo', 'disabled');
const passed = namesOf('passed').length;
const failedVersions = failedOn.split(' ').filter(Boolean).length;
const failed = failures.length + broken.length + failedVersions + (packages === 'passed' ? 0 : 1);
const refused = skipped.filter((name) => !ALLOWED.has(name));

say(`\nSkipped tests: ${skipped.length}`);
for (const name of new Set(skipped))
  say(`  ${name}\n    ${ALLOWED.get(name) ?? 'NOT ALLOWED: .ci/run has to install what it needs'}`);
say('Tests that may be skipped:');
for (const [name, why] of ALLOWED) say(`  ${name}\n    ${why}`);
if (failedOn !== '') say(`Versions of Node that failed or could not be had: ${failedOn}`);
say(`Standalone program and Debian package, on a machine without Node: ${packages ?? 'not tried'}`);
// Last, where it is seen although the output before is cut.
for (const { name, message } of broken) say(`FAILED: ${name}\n${firstLinesOf(message)}`);
for (const { fullName, failureMessages } of failures)
  say(`FAILED: ${fullName}\n${firstLinesOf(failureMessages.join('\n'))}`);
say(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed + refused.length > 0 || passed === 0 ? 1 : 0;

/** The first lines of an error, indented. */
function firstLinesOf(message = '') {
  return message.split('\n', 30).join('\n').slice(0, 3000).replace(/^/gm, '  ');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
