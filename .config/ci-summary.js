/*
 * `node .config/ci-summary.js <folder with results of vitest> <versions of Node that failed> <packages> <without programs>`, the
 * last two `passed` or `failed`: which tests were skipped and why that is allowed, which failed and with what, and one line of
 * counts. Fails where any of it failed, or where a test was skipped that may not be.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** What tests may be skipped for want of, and why. */
const ALLOWED = new Map([['the right to mount a disk', 'most containers forbid it']]);

const [folder, failedOn = '', packages, without] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const results = files.flatMap((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')).testResults);
const tests = results.flatMap(({ assertionResults }) => assertionResults);
const broken = results.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
);
const failures = tests.filter(({ status }) => status === 'failed');
const skipped = tests.filter(({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status));
const passed = tests.filter(({ status }) => status === 'passed').length;
const failedVersions = failedOn.split(' ').filter(Boolean).length;
const others = [packages, without].filter((outcome) => outcome !== 'passed').length;
const failed = failures.length + broken.length + failedVersions + others;
const refused = skipped.filter(
  ({ meta: { missing = [] } }) => missing.length === 0 || missing.some((what) => !ALLOWED.has(what)),
);

say(`\nSkipped tests: ${skipped.length}`);
for (const { fullName, meta } of skipped)
  say(`  ${fullName}: ${meta.missing?.join(', ') ?? 'no reason is given'}`);
say('May be skipped for want of:');
for (const [what, why] of ALLOWED) say(`  ${what}: ${why}`);
for (const { fullName } of refused) say(`SKIPPED, which is not allowed: ${fullName}`);
if (failedOn !== '') say(`Versions of Node that failed or could not be had: ${failedOn}`);
say(`Executable and Debian package, without Node: ${packages ?? 'not tried'}`);
say(`Tests on machines that lack what some of them start: ${without ?? 'not tried'}`);
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
