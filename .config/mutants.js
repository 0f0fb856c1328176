/*
 * `node .config/mutants.js [folder …] [--survivors <file>] [--again <file>] [--seed <text>]`: mutation testing. Of each folder of
 * `src`, 200 mutants are tried, one after the other, with those files of the same folder of `test`, and of folders that hold what
 * the program does with it (`ALSO`), that reach them. Several folders are tried side by side, each in a process of its own, as many
 * as there are processors. Prints how many of them the tests found, and writes the others to a file; with --again, tries only those
 * of such a file. A program that a test starts is the built one, without mutants; a run in the process of its test is one of the
 * source (FOLIO_RUN_SOURCE).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { createVitest } from 'vitest/node';

const FOLDERS = ['paging', 'json', 'invoices', 'query', 'database', 'api', 'resources', 'output/csv'];
/** Where else the behaviour of a folder is tested, through the program: folders, and files. */
const ALSO = {
  paging: ['resources', 'run/completeness'],
  invoices: [
    'cli/questions',
    'cli/commands/aging',
    'cli/commands/report',
    'cli/commands/statement',
    'database/document-columns',
    'query/reconcile/reconcile',
    'query/where/where',
    'report',
    'run/pages',
    'run/several',
  ],
  query: [
    'cli/questions',
    'cli/commands/aging',
    'cli/commands/statement',
    'cli/commands/verify',
    'run/pages',
    'run/several',
  ],
  json: [
    'faults/bodies',
    'safety/prototype-keys',
    'cli/questions',
    'query/sort',
    'paging/unique-records',
    'run/sync',
  ],
  resources: [
    'cli/bad-input',
    'cli/commands/doctor',
    'faults/bodies',
    'faults/refusals',
    'output/parquet/folder',
    'run/completeness',
  ],
  api: [
    'faults/clock',
    'faults/bodies',
    'faults/refusals',
    'safety/addresses',
    'safety/redirects',
    'safety/tls',
    'safety/token',
    'cli/commands/download',
    'resources/fiscal-ids',
    'run/progress',
  ],
  database: ['faults/sync', 'cli/commands/sync', 'run/sync'],
  'output/csv': ['safety/spreadsheet'],
};
const TRIED = 200;
/** Trials in one process. */
const TOGETHER = 50;

process.env.FOLIO_RUN_SOURCE = '1';
// Properties are run for each mutant that they reach.
process.env.FOLIO_RUNS ??= '0.02';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'mutants-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    survivors: { type: 'string' },
    again: { type: 'string' },
    seed: { type: 'string', default: 'folio' },
  },
});

/** The lines of `--again`. */
const wanted = options.again && readFileSync(options.again, 'utf8').split('\n').map(withoutLine);

const folders = positionals.length > 0 ? positionals : FOLDERS;
const list = folders.length > 1 ? await tryEach(folders) : await tryFolder(folders[0]);
if (options.survivors !== undefined) writeFileSync(options.survivors, list.toSorted().join(''));
// A mutant that was found is a test that failed, which vitest notes.
process.exitCode = 0;

/** Has a process try each folder. Returns the lines of the mutants that survived. */
async function tryEach(folders) {
  const waiting = [...folders.entries()];
  const lines = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, folder] = next;
      const file = join(scratch, `${index}.survivors`);
      const args = [folder, '--survivors', file, '--seed', options.seed];
      if (options.again !== undefined) args.push('--again', options.again);
      const child = spawn(process.execPath, [import.meta.filename, ...args], { stdio: 'inherit' });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`${folder} could not be tried`);
      lines.push(...readFileSync(file, 'utf8').split(/(?<=\n)/));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return lines;
}

/** Tries a folder and prints how many mutants were found. Returns a line for each that survived. */
async function tryFolder(folder) {
  const { code, mutants } = await instrument(folder);
  const tests = [folder, ...(ALSO[folder] ?? [])].flatMap((name) => {
    const all = namesIn('test').filter((path) => path.endsWith('.test.ts'));
    return all.filter(
      (path) => path.startsWith(join(root, `test/${name}/`)) || path.endsWith(`/${name}.test.ts`),
    );
  });
  const unchanged = tests.map((file) => ({ name: file, files: [{ file, millis: 1e9 }] }));
  const surveyed = [...(await run(unchanged, code)).values()];
  for (const { name, errors } of surveyed) {
    if (errors.length > 0) throw new AggregateError(errors, `${name} fails without a mutant: ${errors[0]}`);
  }
  const quickest = surveyed.toSorted((one, other) => one.millis - other.millis);

  const trials = choose(mutants)
    .filter(isWanted)
    .map((mutant) => {
      const reaching = quickest.filter(({ reached }) => reached[mutant.id] > 0);
      return {
        ...mutant,
        name: mutant.id,
        mutant: mutant.id,
        files: reaching.map(({ name, millis }) => ({ file: name, millis })),
        mostHits: 100 * Math.max(...reaching.map(({ reached }) => reached[mutant.id])),
      };
    });
  const outcomes = await run(
    trials.filter(({ files }) => files.length > 0),
    code,
  );
  const survived = trials.filter(({ id }) => (outcomes.get(id)?.errors ?? []).length === 0);
  const isUnreached = ({ files }) => files.length === 0;
  const score = ((100 * (trials.length - survived.length)) / trials.length).toFixed(1);
  process.stdout.write(
    `${folder}: ${score} % found of ${trials.length} mutants (there are ${mutants.length}); ` +
      `${survived.length} survived, ${survived.filter(isUnreached).length} of them reached by no test\n`,
  );
  return survived.map((mutant) => `${shown(mutant)}${isUnreached(mutant) ? ' (reached by no test)' : ''}\n`);
}

function shown({ file, line, change }) {
  return `${file}:${line}: ${change}`;
}

function isWanted(mutant) {
  return wanted?.includes(withoutLine(shown(mutant))) ?? true;
}

/** Lines move when a file changes. */
function withoutLine(mutant) {
  return mutant.replace(/:\d+: /, ': ').replace(/ \(reached by no test\)$/, '');
}

/** Every mutant of a folder, and the code of its files with all of them in it, each behind a condition. */
async function instrument(folder) {
  const paths = namesIn(`src/${folder}`).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
  const quiet = { debug() {}, info() {}, isDebugEnabled: () => false };
  const { files, mutants } = await new Instrumenter(quiet).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, ignorers: [], excludedMutations: [], noHeader: true },
  );
  const disabled = mutants.find(({ status }) => status !== undefined);
  if (disabled !== undefined) throw new Error(`A comment of ${disabled.fileName} switches mutants off`);
  return {
    code: new Map(files.map(({ name, content }) => [name, content])),
    mutants: mutants.map(({ id, fileName, location: { start, end }, replacement }) => {
      const lines = sources
        .get(fileName)
        .split('\n')
        .slice(start.line, end.line + 1);
      lines.push(lines.pop().slice(0, end.column));
      lines.unshift(lines.shift().slice(start.column));
      const change = `${lines.join(' ')} → ${replacement}`.replaceAll(/\s+/g, ' ');
      return { id, file: relative(root, fileName), line: start.line + 1, change };
    }),
  };
}

/** The mutants with the smallest hashes: most of them are chosen again when other lines of the folder change. */
function choose(mutants) {
  const counts = new Map();
  const hashed = mutants.map((mutant) => {
    const name = `${basename(mutant.file)} ${mutant.change}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const hash = createHash('sha256').update(`${options.seed} ${name} ${counts.get(name)}`);
    return { mutant, hash: hash.digest('hex') };
  });
  return hashed
    .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
    .slice(0, TRIED)
    .map(({ mutant }) => mutant);
}

/** What came of each trial, by its name. One that ended the process failed; those behind it begin again in another. */
async function run(trials, code) {
  const outcomes = new Map();
  for (let rest = trials; rest.length > 0; rest = rest.filter(({ name }) => !outcomes.has(name))) {
    const together = rest.slice(0, TOGETHER);
    const log = join(scratch, 'log');
    writeFileSync(log, '');
    const { errors, errorsOf } = await runInVitest(together, log, code);
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean).map(JSON.parse);
    if (lines.length === 0) throw new AggregateError(errors, 'The tests did not begin');
    for (const line of lines)
      if (line.hasEnded) outcomes.set(line.name, { ...line, errors: errorsOf.get(line.name) });
    const { name } = lines.at(-1);
    if (!outcomes.has(name)) outcomes.set(name, { name, errors: ['the process was ended'] });
  }
  return outcomes;
}

/** Runs the trials in one process, each as a file of tests. Returns the errors of each, by its name, and of all of them. */
async function runInVitest(trials, log, code) {
  const driver = join(import.meta.dirname, 'mutant-trial.js');
  const names = new Map(
    trials.map((trial, index) => {
      const path = join(scratch, `${index}.trial.js`);
      const [from, argument] = [driver, { ...trial, log }].map((value) => JSON.stringify(value));
      writeFileSync(path, `import { tryTests } from ${from};\nawait tryTests(${argument});\n`);
      return [path, trial.name];
    }),
  );
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      dir: scratch,
      include: ['*.trial.js'],
      watch: false,
      pool: 'forks',
      maxWorkers: 1,
      isolate: false,
      // What waits without end is ended by the trial.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      // Runs beside this one have files of their own.
      cache: false,
      reporters: [{}],
    },
    { plugins: [{ name: 'mutants', enforce: 'pre', load: (path) => code.get(path) }] },
  );
  const { unhandledErrors, testModules } = await vitest.start();
  await vitest.close();
  for (const path of names.keys()) rmSync(path);
  const errorsOf = new Map(testModules.map((file) => [names.get(file.moduleId), messagesIn(file)]));
  return { errors: unhandledErrors, errorsOf };
}

/** The messages of all errors of a file: of its tests, its hooks and its suites. */
function messagesIn(file) {
  const failed = [...file.children.allTests('failed')].flatMap((test) => test.result().errors);
  const suites = [...file.children.allSuites()].flatMap((suite) => suite.errors());
  return [...file.errors(), ...suites, ...failed].map(({ message }) => message);
}

function namesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.map((name) => join(root, folder, name));
}
