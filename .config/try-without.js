/*
 * `node .config/try-without.js [files of tests]`: whether the tests that may start programs, or those in these files, pass on machines
 * that lack some. First all run with a PATH of Node, the shell and coreutils alone. Then each program is taken out alone: of the
 * files that need it, the tests run that need something else (the others have just passed with nothing). Programs that no file
 * needs together are taken out at once. Lint sees that `test/support/programs.ts` alone starts programs: the tests that may are
 * those that import it, directly or not.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { root, succeeds, testsIn, vitestInto } from './run-tests.js';

const known = JSON.parse(readFileSync(join(root, 'test/support/programs.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'folio-without-'));

try {
  await tryAll(process.argv.slice(2));
} finally {
  rmSync(scratch, { recursive: true });
}

async function tryAll(files) {
  const chosen = files.length > 0 ? ['run', ...files] : ['related', '--run', 'test/support/programs.ts'];
  const tests = await tryOne('all', plainPath(), chosen);
  const needing = tests.filter(({ needs }) => needs.length > 0);
  for (const group of groupsOf(Object.keys(known).map((program) => withoutOne(program, needing)))) {
    const programs = group.map(({ program }) => program);
    const gone = programs.flatMap((program) => [program, ...(known[program].otherNames ?? [])]);
    const names = group.flatMap((one) => one.names.map((name) => escaped(name)));
    const chosen = ['run', ...group.flatMap((one) => [...one.files]), '-t', `^(?:${names.join('|')})$`];
    await tryOne(programs.join(' '), pathWithout(gone), chosen);
  }
}

/** The files that need the program, and their tests that need something else. */
function withoutOne(program, needing) {
  const files = new Set(needing.filter(({ needs }) => needs.includes(program)).map(({ file }) => file));
  const others = needing.filter(({ file, needs }) => files.has(file) && !needs.includes(program));
  return { program, files, names: others.map(({ name }) => name) };
}

/** Those that have something to run, in groups of which each file is of one. */
function groupsOf(all) {
  const groups = [];
  for (const one of all.filter(({ names }) => names.length > 0)) {
    const group = groups.find((others) =>
      others.every(({ files }) => ![...files].some((file) => one.files.has(file))),
    );
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

/** Runs tests with this PATH; the programs, with a blank between two, are hidden where they are found elsewhere, too. */
async function tryOne(programs, path, args) {
  const file = join(scratch, `${programs}.json`);
  const began = performance.now();
  const passed = await succeeds(process.execPath, vitestInto(file, ...args), {
    stdio: ['ignore', 'ignore', 'inherit'],
    // Random runs do not depend on programs: a few will do.
    env: { PATH: path, HOME: process.env.HOME, FOLIO_TEST_WITHOUT: programs, FOLIO_RUNS: '0.02' },
  });
  if (!passed) process.exitCode = 1;
  const tests = testsIn(file);
  const counts = ['passed', 'failed'].map(
    (is) => `${tests.filter(({ status }) => status === is).length} ${is}`,
  );
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`${passed ? 'passed' : 'FAILED'} without ${programs}: ${counts.join(', ')}, in ${seconds} s`);
  for (const { status, name, message } of tests)
    if (status === 'failed') say(`  ${name}\n    ${message.slice(0, 2000).replaceAll('\n', '\n    ')}`);
  return tests;
}

/** A folder with links to what is there on every machine. */
function plainPath() {
  const files = execFileSync('dpkg', ['-L', 'coreutils'], { encoding: 'utf8' }).split('\n');
  return linksTo([...files.filter((file) => /\/s?bin\/[^/]+$/.test(file)), '/bin/sh', process.execPath]);
}

/** A folder with links to every program of the PATH but these. */
function pathWithout(names) {
  const folders = process.env.PATH.split(delimiter).filter((folder) => existsSync(folder));
  const programs = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const others = programs.filter((program) => !names.includes(basename(program)) && isProgram(program));
  return linksTo([process.execPath, ...others]);
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

function say(line) {
  process.stdout.write(`${line}\n`);
}
