/*
 * `node .config/try-windows.js`: runs folio.exe under Wine, where Wine is installed. The Wine that Debian 12 has runs no Node 24
 * ("Fatal process out of memory: SegmentedTable::InitializeTable"), so folio.exe is made, in the same way and of the same
 * bundle, of the newest Node that runs there.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './bundle.js';
import { makePrograms, nodesOf } from './standalone.js';

const NODES = nodesOf('22.23.3', {
  linux: 'fde6a4bf8d0562f7751d1a2d6cb9b417c4cfe107bbcb0aa3e9a24e125e348f48',
  windows: '9c9245166b4a8e182e0b797da9c20136117ff24368eaff1fec8343a123c8db0e',
});

/** Wine 8 knows no time for keeping connections alive, and then fails to make one. */
const FOR_WINE = `require('node:net').Socket.prototype.setKeepAlive = function () { return this; };`;

const wine = ['/usr/lib/wine/wine64', '/usr/bin/wine64', '/usr/bin/wine'].find((path) => existsSync(path));
const work = mkdtempSync(join(tmpdir(), 'folio-wine-'));
const env = {
  PATH: process.env.PATH,
  HOME: work,
  WINEPREFIX: join(work, 'prefix'),
  WINEDEBUG: '-all',
  NODE_OPTIONS: `--require=Z:${join(work, 'for-wine.cjs')}`,
};

try {
  if (wine === undefined) process.stdout.write('folio.exe was not run: there is no Wine here\n');
  else process.exitCode = (await tryProgram()) ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function tryProgram() {
  const program = join(work, 'folio.exe');
  writeFileSync(join(work, 'for-wine.cjs'), FOR_WINE);
  await makePrograms({ work, nodes: NODES, programs: { windows: program } });
  // Wine says that it is Windows 7 unless it is asked to be newer, and Node runs from 10 on.
  execFileSync(wine, ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'], {
    env,
    stdio: 'ignore',
  });
  const checks = await runWine([
    join(work, NODES.windows.path),
    join(root, '.config/windows-checks.js'),
    program,
  ]);
  process.stdout.write(checks.printed);
  const stopped = await stopRun(program);
  if (stopped !== '') process.stdout.write(`Ctrl-C: ${stopped}\n`);
  return checks.code === 0 && stopped === '';
}

/** Presses Ctrl-C while the service does not answer; returns what then is not as it should be. */
async function stopRun(program) {
  const file = join(work, 'out.csv');
  writeFileSync(file, 'old');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const args = [program, 'issued', '--base-url', `http://127.0.0.1:${port}/v1`, '-o', `Z:${file}`];
  const { code, printed } = await runWine(args, { FOLIO_TOKEN: 'a-token' }, (child) =>
    server.once('request', () => child.kill('SIGINT')),
  );
  server.closeAllConnections();
  server.close();
  const left = readdirSync(work).filter((name) => name.includes('out.csv'));
  const isAsItWas = readFileSync(file, 'utf8') === 'old' && left.length === 1;
  return code === 130 && isAsItWas ? '' : `exit code ${code}, ${left.join(', ')}: ${printed}`;
}

/** Runs it to its end. It writes to a file, since Wine gives the pipes of Linux to no program. */
async function runWine(args, further = {}, meanwhile = () => {}) {
  const output = join(work, 'output.txt');
  const descriptor = openSync(output, 'w');
  const child = spawn(wine, args, { env: { ...env, ...further }, stdio: ['ignore', descriptor, descriptor] });
  meanwhile(child);
  const [code] = await once(child, 'exit');
  return { code, printed: readFileSync(output, 'utf8') };
}
