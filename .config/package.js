/*
 * Makes what runs without Node, on Linux on x64, in .package/: one executable file and a Debian package of it, a zip for Windows
 * on x64, and their checksums. Two runs on one commit give the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { commitTime, root } from './bundle.js';
import { hashOf, makePrograms, NODES, QUIET } from './standalone.js';
import { makeWindowsZip } from './windows-zip.js';

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
  const linux = join(out, `folio-${version}-linux-x64`);
  const windows = join(work, 'folio.exe');
  const programs = { linux, windows };
  const notices = await makePrograms({ work, nodes: NODES, programs });
  const debian = join(out, `folio_${DEBIAN_VERSION}_amd64.deb`);
  makeDebianPackage(linux, debian, notices);
  const zip = join(out, `folio-${version}-win-x64.zip`);
  const completion = execFileSync(linux, ['completion', 'powershell']);
  await makeWindowsZip({ zip, program: windows, version, notices, completion });
  const sums = [linux, debian, zip].map(
    (path) => `${hashOf('sha256', path)}  ${path.slice(out.length + 1)}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
} finally {
  rmSync(work, { recursive: true, force: true });
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
