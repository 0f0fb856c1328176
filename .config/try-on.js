/*
 * `node .config/try-on.js <folder> <version> …`: whether the built program does on each of these versions of Node what it does on
 * this one, and whether the tests of the writers pass there. The versions come from the registry into the folder; one that cannot
 * be had is a failure. The results of the tests go to `node-<version>.json` there.
 */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, succeeds, vitestInto } from './run-tests.js';

const LINES = `
  --version
  --help
  issued --help
  help formats
  --sandbox --awkward issued --limit 300 --format csv
  --sandbox --awkward issued --limit 30 --format csv --excel --delimiter ;
  --sandbox --awkward issued --limit 30 --delimiter tab
  --sandbox --awkward issued --limit 30 --format json
  --sandbox --awkward issued --limit 30 --format table
  --sandbox --awkward received --limit 30 --format jsonl
  --sandbox --awkward customers --format csv
  --sandbox --awkward funds --format jsonl
  --sandbox --awkward aging
  issued --no-such-flag
  nothing`;

const [scratch, ...versions] = process.argv.slice(2);
const lines = LINES.trim()
  .split('\n')
  .map((line) => line.trim());
const home = join(scratch, 'home');
mkdirSync(join(home, '.cache'), { recursive: true });
const expected = await outcomes(process.execPath);
const tried = await Promise.all(versions.map(async (version) => ({ version, ...(await tryLines(version)) })));
for (const { version, node, differing } of tried) {
  const passed = node !== undefined && (await passesTests(node, version));
  if (!passed || differing.length > 0) process.exitCode = 1;
  for (const line of differing)
    say(`Node ${version}: folio ${line} does not do what it does on ${process.version}`);
  if (node === undefined) say(`Node ${version} could not be had from the registry, so it was NOT tried`);
  else
    say(`Node ${version}: ${lines.length - differing.length} of ${lines.length} command lines are the same`);
}

async function tryLines(version) {
  const node = await install(version);
  if (node === undefined) return { differing: [] };
  // Twice: where Node keeps what it compiled, the second run has it from there.
  const found = [await outcomes(node), await outcomes(node)];
  return { node, differing: lines.filter((_, at) => found.some((one) => one[at] !== expected[at])) };
}

function passesTests(node, version) {
  const tests = ['test/output', 'test/cli/loaded-files.test.ts'];
  return succeeds(node, vitestInto(join(scratch, `node-${version}.json`), 'run', ...tests));
}

/** The path of that Node. The registry gets three tries. */
async function install(version) {
  const folder = join(scratch, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const quiet = ['--silent', '--no-save', '--ignore-scripts', '--prefix', folder];
  for (let tries = 1; tries <= 3; tries++) {
    if (!(await succeeds('npm', ['install', ...quiet, `${name}@${version}`]))) continue;
    const node = join(folder, 'node_modules', name, 'bin/node');
    if ((await outcomeOf(node, ['--version'])).stdout.startsWith(`v${version}.`)) return node;
  }
  return undefined;
}

/** What each line prints and how it ends, but for the port of the embedded service and when its links end. */
async function outcomes(node) {
  const env = { PATH: process.env.PATH, HOME: home, FOLIO_CONFIG_DIR: join(home, 'config') };
  const own = /127\.0\.0\.1:\d+|expires=\d+&signature=[\w-]+/g;
  const found = [];
  for (const line of lines) {
    const outcome = await outcomeOf(node, [join(root, 'bin/folio.js'), ...line.split(' ')], env);
    found.push(JSON.stringify(outcome).replaceAll(own, ''));
  }
  return found;
}

function outcomeOf(node, args, env) {
  return new Promise((resolve) => {
    execFile(node, args, { env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
