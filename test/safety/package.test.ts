import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { needing, runProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

type Texts = Readonly<Record<string, string>>;
interface Manifest {
  readonly scripts: Texts;
  readonly dependencies?: Texts;
  readonly optionalDependencies: Texts;
  readonly devDependencies: Texts;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (name: string): string => readFileSync(resolve(ROOT, name), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { scripts, dependencies, optionalDependencies, devDependencies } = manifest;
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages).filter(([path]) => path !== '');
/** The paths of those packages of which this is so. */
const lockedThat = (isSo: (one: LockedPackage) => boolean): string[] =>
  locked.filter(([, one]) => isSo(one)).map(([path]) => path);

const REGISTRY = 'https://registry.npmjs.org/';

/** What may be published, besides one file of code a part. */
const PUBLISHED =
  'CHANGELOG.md LICENSE README.md bin/folio.js bin/package.json dist/NOTICES.txt dist/main.js dist/man/folio.1 dist/package.json package.json'.split(
    ' ',
  );

/** Code, by the name of its part. */
const CODE = /^dist\/[a-z0-9]+(?:-[a-z0-9]+)*\.js$/;

describe('the package', () => {
  it('runs nothing when it is installed; from a clone it is built', () => {
    const atInstall = /^(?:(?:pre|post)?(?:install|prepare)|prepublish)$/;
    expect(Object.keys(scripts).filter((name) => atInstall.test(name))).toEqual(['prepare']);
    const build = 'node .config/build.js';
    expect([scripts['prepare'], scripts['build']]).toEqual([build, build]);
  });

  it('names exact versions', () => {
    for (const [name, version] of Object.entries({ ...optionalDependencies, ...devDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it('locks every package to its contents, and names no other place to have it from', () => {
    expect(locked.length).toBeGreaterThan(50);
    const isLoose = ({ resolved = REGISTRY, integrity = '' }: LockedPackage): boolean =>
      !integrity.startsWith('sha512-') || !resolved.startsWith(REGISTRY);
    expect(lockedThat(isLoose)).toEqual([]);
  });

  it('depends on nothing that runs when it is installed, but to build and test', () => {
    expect(lockedThat(({ dev, hasInstallScript }) => hasInstallScript === true && dev !== true)).toEqual([]);
  });

  it('has nobody install what is bundled, and only the drivers of databases beside it', () => {
    expect(dependencies).toBeUndefined();
    expect(Object.keys(optionalDependencies)).toEqual(['libsql', 'pg', 'pg-copy-streams']);
  });

  it('holds the notices of all that is bundled', () => {
    const notices = read('dist/NOTICES.txt').split(/\n\n\n(?=\S+ \d+\.\d+\.\d+\S*\n-+\n)/);
    const names = notices.map((notice) => notice.slice(0, notice.indexOf('\n')));
    const bundled = importedPackages().filter((name) => !(name in optionalDependencies));
    expect(bundled).toContain('commander');
    for (const name of bundled) expect(names).toContain(`${name} ${devDependencies[name]}`);
    // Packages that these need are bundled with them.
    expect(names.some((name) => name.startsWith('string-width '))).toBe(true);
    for (const notice of notices) expect(notice).toMatch(/MIT|ISC|BSD|Apache|permission|CC0/i);
  });

  it('is the program alone, and has npm run nothing where it is installed', needing('npm'), () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'dist', 'src', '.config', ...PUBLISHED.filter((name) => !name.includes('/'))])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, '.config/build.js'), '');
    const args = ['pack', '--silent', '--offline'];
    const printed = runProgram('npm', args, { cwd: folder, stdio: 'pipe' });
    const archive = gunzipSync(readFileSync(join(folder, printed.trim().split('\n').at(-1)!)));
    const files = [...filesIn(archive)];
    const packed = files.find(({ path }) => path === 'package.json')!;
    expect((JSON.parse(packed.text) as Manifest).scripts).not.toHaveProperty('prepare');
    // The checkout still has it.
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(read('package.json'));
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => !CODE.test(path) || PUBLISHED.includes(path)).sort()).toEqual(PUBLISHED);
    const built = paths.filter((path) => path.startsWith('dist/'));
    expect(built.filter((path) => /sourceMappingURL|\/tmp\/|\/work\/|\/home\//.test(read(path)))).toEqual([]);
    const programs = files.filter(({ mode }) => (mode & 0o111) !== 0);
    expect(programs.map(({ path }) => path)).toEqual(['bin/folio.js']);
  });
});

/** The files of a tar archive of npm, in which all are in the folder `package`. */
function* filesIn(archive: Buffer): Generator<{ path: string; mode: number; text: string }> {
  const textAt = (from: number, to: number): string =>
    archive.toString('utf8', from, to).replace(/\0.*$/s, '');
  for (let at = 0, size = 0; archive[at] !== 0; at += 512 + Math.ceil(size / 512) * 512) {
    size = Number.parseInt(textAt(at + 124, at + 136), 8);
    const [path, mode] = [textAt(at, at + 100), Number.parseInt(textAt(at + 100, at + 108), 8)];
    yield { path: path.replace('package/', ''), mode, text: textAt(at + 512, at + 512 + size) };
  }
}

/** The packages whose code the program imports, each once. */
function importedPackages(): string[] {
  const files = readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files.filter((name) => name.endsWith('.ts')).map((name) => read(`src/${name}`));
  const imported =
    /(?:^import (?!type)[^;]*?from |^import |\bimport\()'((?!node:|[./])(?:@[^/']+\/)?[^/']+)/gm;
  const found = texts.flatMap((text) => [...text.matchAll(imported)].map(([, name]) => name!));
  return [...new Set(found)];
}
