/*
 * `node .config/try-without.js [files of tests]`: whether the tests, or those in these files, pass on machines that lack what some
 * of them start. First all run with a PATH of Node, the shell and coreutils alone. Then each program is taken out, and nothing else
 * that the files ask for which ask for it: of those files, the tests run that ask for something else (the others have just passed
 * with nothing). Programs that no file asks for together are taken out at once. Who starts a program without asking
 * `test/support/programs.ts` for it fails here.
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
  for (const group of groupsOf(Object.keys(known).map((program) => runWithout(program, asking)))) {
    const programs = group.map(({ program }) => program);
    const gone = programs.flatMap((program) => [program, ...(known[program].otherNames ?? [])]);
    const names = group.flatMap(({ names }) => names.map(escaped));
    const files = group.flatMap(({ files }) => [...files]);
    const result = run(programs.join(' '), pathWithout(gone), [...files, '-t', `^(?:${names.join('|')})$`]);
    say(`without ${programs.join(', ')}`, result);
    isWhole &&= result.isWhole;
  }
  return isWhole;
}

/** The files that ask for the program, and their tests that ask for something else. */
function runWithout(program, asking) {
  const files = new Set(asking.filter(({ needs }) => needs.includes(program)).map(({ file }) => file));
  const others = asking.filter(({ file, needs }) => files.has(file) && !needs.includes(program));
  return { program, files, names: others.map(({ name }) => name) };
}

/** Those that have something to run, in groups of which each file is of one. */
function groupsOf(runs) {
  const groups = [];
  for (const run of runs.filter(({ names }) => names.length > 0)) {
    const group = groups.find((one) =>
      one.every(({ files }) => ![...files].some((file) => run.files.has(file))),
    );
    if (group === undefined) groups.push([run]);
    else group.push(run);
  }
  return groups;
}

/** Runs tests with this PATH; the programs, with a blank between two, are hidden where they are found elsewhere, too. */
function run(programs, path, args = []) {
  const file = join(scratch, `${programs}.json`);
  const begin = performance.now();
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '-c', '.config/vitest.config.js'];
  const { status } = spawnSync(
    process.execPath,
    [...vitest, '--reporter=json', `--outputFile.json=${file}`, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: path, HOME: process.env.HOME, FOLIO_TEST_WITHOUT: programs },
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
