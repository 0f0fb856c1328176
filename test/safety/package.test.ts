import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, runProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (name: string): string => readFileSync(resolve(ROOT, name), 'utf8');
const { scripts, dependencies, optionalDependencies, devDependencies } = JSON.parse(
  read('package.json'),
) as Manifest;
const { packages } = JSON.parse(read('package-lock.json')) as Lock;
const locked = Object.entries(packages).filter(([path]) => path !== '');

const REGISTRY = 'https://registry.npmjs.org/';

/** What may be published, besides one file of code a part. */
const PUBLISHED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'bin/folio.js',
  'bin/package.json',
  'dist/NOTICES.txt',
  'dist/main.js',
  'dist/man/folio.1',
  'dist/package.json',
  'package.json',
];

/** Code, by the name of its part. */
const CODE = /^dist\/[a-z0-9]+(?:-[a-z0-9]+)*\.js$/;

describe('the package', () => {
  it('runs nothing when it is installed; from a clone it is built', () => {
    const atInstall = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual(['prepare']);
    expect([scripts['prepare'], scripts['build']]).toEqual([
      'node .config/build.js',
      'node .config/build.js',
    ]);
  });

  it('has no script in it that npm would run, or warn of, where it is installed', needing('npm'), () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.config'));
    writeFileSync(join(folder, '.config/build.js'), '');
    writeFileSync(join(folder, 'package.json'), read('package.json'));
    const packed = runProgram('npm', ['pack', '--offline', '--silent'], { cwd: folder, stdio: 'pipe' });
    const [name] = packed.trim().split('\n').slice(-1);
    runProgram(
      'npm',
      ['install', '--global', '--prefix', folder, '--offline', '--omit=optional', `./${name}`],
      {
        cwd: folder,
        stdio: 'pipe',
      },
    );
    const installed = join(folder, 'lib/node_modules/folio-invoices/package.json');
    const { scripts: inPackage } = JSON.parse(readFileSync(installed, 'utf8')) as Manifest;
    expect(inPackage).not.toHaveProperty('prepare');
    // The checkout still has it.
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(read('package.json'));
  });

  it('names exact versions', () => {
    const named = { ...optionalDependencies, ...devDependencies };
    const versions = Object.values(named);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    for (const [name, version] of Object.entries(named)) {
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });

  it('locks every package to its contents, and names no other place to have it from', () => {
    expect(locked.length).toBeGreaterThan(50);
    const loose = locked.filter(
      ([, { resolved, integrity }]) =>
        !(integrity ?? '').startsWith('sha512-') || !(resolved ?? REGISTRY).startsWith(REGISTRY),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  it('depends on nothing that runs when it is installed, but to build and test', () => {
    const runs = locked.filter(([, { dev, hasInstallScript }]) => hasInstallScript === true && dev !== true);
    expect(runs.map(([path]) => path)).toEqual([]);
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

  it('publishes the program and nothing else', needing('npm'), () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error', '--offline'];
    const [packed] = JSON.parse(runProgram('npm', args, { cwd: ROOT })) as {
      files: { path: string; mode: number }[];
    }[];
    const paths = packed!.files.map(({ path }) => path);
    expect(paths.filter((path) => !CODE.test(path) || PUBLISHED.includes(path)).sort()).toEqual(PUBLISHED);
    const built = paths.filter((path) => path.startsWith('dist/'));
    const tells = built.filter((path) => /sourceMappingURL|\/tmp\/|\/work\/|\/home\//.test(read(path)));
    expect(tells).toEqual([]);
    expect(packed!.files.filter(({ mode }) => (mode & 0o111) !== 0).map(({ path }) => path)).toEqual([
      'bin/folio.js',
    ]);
  });
});

/** The packages whose code the program imports, each once. */
function importedPackages(): string[] {
  const files = readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files.filter((name) => name.endsWith('.ts')).map((name) => read(`src/${name}`));
  const found = texts.flatMap((text) => [
    ...text.matchAll(
      /(?:^import (?!type)[^;]*?from |^import |\bimport\()'((?!node:|[./])(?:@[^/']+\/)?[^/']+)/gm,
    ),
  ]);
  return [...new Set(found.map(([, name]) => name!))];
}
