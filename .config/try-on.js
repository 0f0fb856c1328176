/*
 * `node .config/try-on.js <version> <folder>`: whether the built program does on that version of Node what it does on this
 * one, and whether the tests of what leaves pass on it. The version comes from the registry into the folder; one that cannot be
 * had is a failure. The results of the tests go to `node-<version>.json` there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

const LINES = [
  '--version',
  '--help',
  'issued --help',
  'help formats',
  '--sandbox --awkward issued --limit 300 --format csv',
  '--sandbox --awkward issued --limit 30 --format csv --excel --delimiter ;',
  '--sandbox --awkward issued --limit 30 --delimiter tab',
  '--sandbox --awkward issued --limit 30 --format json',
  '--sandbox --awkward issued --limit 30 --format table',
  '--sandbox --awkward received --limit 30 --format jsonl',
  '--sandbox --awkward customers --format csv',
  '--sandbox --awkward funds --format jsonl',
  '--sandbox --awkward aging',
  'issued --no-such-flag',
  'nothing',
];

const TESTS = ['test/output', 'test/cli/loaded-files.test.ts'];
const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '-c',
  '.config/vitest.config.js',
  '--reporter=default',
  '--reporter=json',
];

const bin = new URL('../bin/folio.js', import.meta.url).pathname;
const [version, scratch] = process.argv.slice(2);
const folder = `${scratch}/node-${version}`;

process.exitCode = tryOn() ? 0 : 1;

function tryOn() {
  const node = install();
  if (node === undefined) {
    say('  could not be had from the registry, so the built program was NOT tried on it');
    return false;
  }
  // Twice: where Node keeps what it compiled, the second run has it from there.
  const differing = LINES.filter((line) => {
    const here = run(process.execPath, line);
    return [1, 2].some(() => run(node, line) !== here);
  });
  for (const line of differing)
    say(`  folio ${line}: does not do what it does on Node ${process.versions.node}`);
  if (differing.length > 0) return false;
  say(`  ${LINES.length} command lines do what they do on Node ${process.versions.node}`);
  return (
    spawnSync(node, [...VITEST, `--outputFile.json=${folder}.json`, ...TESTS], { stdio: 'inherit' })
      .status === 0
  );
}

/** The path of that Node. The registry gets three tries. */
function install() {
  mkdirSync(`${folder}/.cache`, { recursive: true });
  const name = `node-${process.platform}-${process.arch}`;
  const args = [
    'install',
    '--silent',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    folder,
    `${name}@${version}`,
  ];
  for (let tries = 1; tries <= 3; tries++) {
    if (spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) continue;
    const node = `${folder}/node_modules/${name}/bin/node`;
    const found = execFileSync(node, ['--version'], { encoding: 'utf8' });
    if (found.startsWith(`v${version}.`)) return node;
  }
  return undefined;
}

/** What a command line says and how it ends, but for the port of the embedded service and when its links end. */
function run(node, line) {
  const { status, stdout, stderr } = spawnSync(node, [bin, ...line.split(' ')], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { PATH: process.env.PATH, HOME: folder, FOLIO_CONFIG_DIR: `${folder}/config` },
  });
  const own = /127\.0\.0\.1:\d+|expires=\d+&signature=[\w-]+/g;
  return JSON.stringify({ status, stdout, stderr }).replaceAll(own, '');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
