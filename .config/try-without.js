/*
 * `node .config/try-without.js [files of tests]`: whether the tests, or those in these files, pass on machines that lack what some
 * of them start. First all run with a PATH of Node, the shell and coreutils alone. Then each program is taken out in turn, with
 * everything else there: in the files that ask for it, those tests run that ask for something else (the others have just passed
 * with nothing). Who starts a program without asking `test/support/programs.ts` for it fails here.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const known = JSON.parse(readFileSync(join(root, 'test/support/programs.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'folio-without-'));

try {
  process.exitCode = tryAll() ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true });
}

function tryAll() {
  const bare = run('all', plainPath(), process.argv.slice(2));
  say('with Node, the shell and coreutils alone', bare);
  const asking = bare.tests.filter(({ needs }) => needs.length > 0);
  let isWhole = bare.isWhole;
  for (const program of Object.keys(known)) {
    const files = new Set(asking.filter(({ needs }) => needs.includes(program)).map(({ file }) => file));
    const others = asking.filter(({ file, needs }) => files.has(file) && !needs.includes(program));
    if (others.length === 0) continue;
    const names = others.map(({ name }) => escaped(name));
    const without = [program, ...(known[program].otherNames ?? [])];
    const result = run(program, pathWithout(without), [...files, '-t', `^(?:${names.join('|')})$`]);
    say(`without ${program}`, result);
    isWhole &&= result.isWhole;
  }
  return isWhole;
}

/** Runs tests with this PATH; the program is hidden where it is found elsewhere, too. */
function run(program, path, args = []) {
  const file = join(scratch, `${program}.json`);
  const begin = performance.now();
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '-c', '.config/vitest.config.js'];
  const { status } = spawnSync(
    process.execPath,
    [...vitest, '--reporter=json', `--outputFile.json=${file}`, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: path, HOME: process.env.HOME, FOLIO_TEST_WITHOUT: program },
    },
  );
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const tests = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ fullName: name, status, meta, failureMessages }) => ({
      ...{ file, name, status, needs: meta.needs ?? [], said: failureMessages.join('\n') },
    })),
  );
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const failures = [
    ...broken.map(({ name, message }) => `${name}\n${message}`),
    ...tests.filter((test) => test.status === 'failed').map(({ name, said }) => `${name}\n${said}`),
  ];
  const seconds = Math.round((performance.now() - begin) / 1000);
  return { tests, failures, isWhole: status === 0, seconds };
}

function say(what, { tests, failures, isWhole, seconds }) {
  const passed = tests.filter(({ status }) => status === 'passed').length;
  process.stdout.write(
    `${isWhole ? 'passed' : 'FAILED'} ${what}: ${passed} passed, ${failures.length} failed, in ${seconds} s\n`,
  );
  for (const failure of failures)
    process.stdout.write(`  ${failure.slice(0, 2000).replaceAll('\n', '\n    ')}\n`);
}

/** A folder with links to what is there on every machine. */
function plainPath() {
  const files = execFileSync('dpkg', ['-L', 'coreutils'], { encoding: 'utf8' }).split('\n');
  return linksTo([...files.filter((file) => /\/s?bin\/[^/]+$/.test(file)), '/bin/sh', process.execPath]);
}

/** A folder with links to every program of the PATH but these. */
function pathWithout(names) {
  const programs = process.env.PATH.split(':').flatMap((folder) => programsIn(folder));
  return linksTo([process.execPath, ...programs].filter((program) => !names.includes(basename(program))));
}

function programsIn(folder) {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter(isProgram);
  } catch {
    return [];
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function linksTo(programs) {
  const folder = mkdtempSync(join(scratch, 'path-'));
  const named = new Map(programs.toReversed().map((program) => [basename(program), program]));
  for (const [name, program] of named) symlinkSync(program, join(folder, name));
  return folder;
}

function escaped(text) {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
