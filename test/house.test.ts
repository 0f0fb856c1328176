import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  circlesIn,
  exportedTwice,
  importsOf,
  reachesProcess,
  startsPrograms,
  type Sources,
} from './support/source-code.ts';
import { needingThat, runProgram } from './support/programs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/**
 * Imports run one way: what each room may import, besides itself and what all may. A file of src itself is a room of its own.
 * `main.ts` alone touches the process, and hands what it has of it to `process-context.ts`, which makes the context.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['process-context.ts'],
  'process-context.ts': ['cli', 'api', 'profiles', 'output'],
  cli: [
    ...['run', 'resources', 'report', 'query', 'output', 'profiles', 'database', 'invoices', 'api', 'json'],
    'sandbox',
  ],
  run: [
    ...[
      'resources',
      'report',
      'query',
      'output',
      'profiles',
      'database',
      'invoices',
      'paging',
      'api',
      'json',
    ],
    'sandbox',
  ],
  report: ['query', 'output', 'invoices', 'json'],
  resources: ['invoices', 'paging', 'api', 'json'],
  query: ['output', 'invoices', 'json'],
  output: ['invoices', 'paging', 'api', 'json'],
  profiles: ['output', 'api', 'json'],
  database: ['output', 'invoices', 'api', 'json'],
  invoices: ['json'],
  paging: ['json'],
  api: ['json'],
  json: [],
  sandbox: [],
  // Declarations of what a run is given; the rooms have the types.
  'context.ts': ['api', 'output', 'profiles'],
  'errors.ts': [],
  'findings.ts': [],
  'version.ts': [],
};

/** What every room may import. The sandbox may not import the context: it is a service of its own. */
const SHARED = ['errors.ts', 'findings.ts', 'context.ts', 'version.ts', '../package.json'];

/** What stands in the root of the project. */
const ROOT_ENTRIES = [
  '.ci',
  '.config',
  '.editorconfig',
  '.github',
  '.gitignore',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'bin',
  'package-lock.json',
  'package.json',
  'src',
  'test',
  'tsconfig.json',
];

/** Options of a test about what is tracked: whoever has the files alone has nothing to ask. */
const needingClone = needingThat('a clone of the repository', () => existsSync(join(ROOT, '.git')), 'git');

const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const sources: Sources = new Map(paths.map((path) => [path, readFileSync(join(SRC, path), 'utf8')]));

const roomOf = (path: string): string => path.split('/')[0]!;

describe('the house', () => {
  it('has only rooms that are known', () => {
    expect([...new Set(paths.map(roomOf))].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
  });

  it('has a root that one overlooks', needingClone, () => {
    const tracked = runProgram('git', ['ls-files'], { cwd: ROOT }).trim().split('\n');
    expect([...new Set(tracked.map(roomOf))].toSorted()).toEqual(ROOT_ENTRIES);
  });

  it('imports one way', () => {
    const wrong = paths.flatMap((path) =>
      importsOf(sources, path)
        .filter((other) => roomOf(other) !== roomOf(path) && !SHARED.includes(other))
        .filter((other) => !MAY_IMPORT[roomOf(path)]!.includes(roomOf(other)))
        .map((other) => `${path} imports ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is as CONTRIBUTING tells it', () => {
    const text = readFileSync(resolve(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
    const told = [...text.matchAll(/^- `(\w+)`: (?:(?!\n- )[^])*?\bImports ([^.]*)\./gm)].map(
      ([, room, others]) => [room, [...others!.matchAll(/`(\w+)`/g)].map(([, other]) => other)],
    );
    const others = Object.entries(MAY_IMPORT).filter(([room]) => !/\.|cli|run/.test(room));
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(others));
  });

  it('has a sandbox that shares no code with what it is there to check', () => {
    const wrong = paths
      .filter((path) => roomOf(path) === 'sandbox')
      .flatMap((path) => importsOf(sources, path).map((other) => `${path} imports ${other}`))
      .filter((line) => !/ imports (sandbox\/|errors\.ts$|context\.ts$)/.test(line));
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports, late ones and types counted', () => {
    expect(circlesIn(sources)).toEqual([]);
  });

  it('has no file that only tests load', () => {
    const loaded = new Set(['main.ts']);
    for (const path of loaded) for (const other of importsOf(sources, path)) loaded.add(other);
    const others = paths.filter((path) => !loaded.has(path) && !path.endsWith('.d.ts'));
    expect(others).toEqual([]);
  });

  it('names the process in main alone', () => {
    expect(paths.filter((path) => reachesProcess(sources.get(path)!))).toEqual(['main.ts']);
  });

  it('exports no name twice', () => {
    expect(exportedTwice(sources)).toEqual([]);
  });

  it('exports by name, each thing from its own file', () => {
    const others = paths.filter((path) =>
      /^export\s+(?:default\b|(?:type\s+)?(?:\*|\{[^}]*\}\s*from))/m.test(sources.get(path)!),
    );
    expect(others).toEqual([]);
  });

  it('has no file and no folder that is called after nothing in particular', () => {
    const vague = paths.filter((path) => /(^|\/)(utils?|helpers?|common|types|misc)(\/|\.ts$)/.test(path));
    expect(vague).toEqual([]);
  });

  it('starts programs, in tests, by way of the one file that finds them', () => {
    const tests = join(ROOT, 'test');
    const starting = readdirSync(tests, { recursive: true, encoding: 'utf8' })
      // A benchmark is no test: it measures what there is.
      .filter((path) => path.endsWith('.ts') && !path.startsWith('bench/'))
      .filter((path) => startsPrograms(readFileSync(join(tests, path), 'utf8')));
    expect(starting).toEqual(['support/programs.ts']);
  });

  it('keeps the service’s own spelling in resources and the sandbox', () => {
    const spelled = paths.filter((path) => /['`"](options_\w+|\w+FiscalIds)['`"]/.test(sources.get(path)!));
    expect(spelled.filter((path) => !/^(resources|sandbox)\//.test(path))).toEqual([]);
  });
});

describe('the rules of the house', () => {
  it.each([
    'const x = process.env;',
    'const { env } = process;',
    'run(process);',
    'const x = `${process.pid}`;',
    'const x = process?.env;',
    'export const start = (self: NodeJS.Process) => self;',
    "const x = self.env['TOKEN'];",
    'const x = globalThis.process;',
    "const x = globalThis['process'];",
    'const { process: p } = globalThis!;\nglobalThis.p;',
    'const { process: p } = globalThis;',
    "const x = Reflect.get(globalThis, 'process');",
    'const x = global.process.env;',
    "import { env } from 'node:process';",
    "import { env } from 'process';",
    "const x = await import('node:process');",
  ])('see the process in %j', (code) => {
    expect(reachesProcess(code)).toBe(true);
  });

  it.each([
    '// process.env is for main',
    '/* process.env\n * process.exit */',
    "const x = 'the process is over';",
    'const x = `the process ${own.pid} ended`;',
    'const x = own.process.pid;',
    'interface X { readonly process: string }',
    'const x = processes.pid;',
    "const x = 'navigator' in globalThis;",
    'const x = /process[\'"]/.test(y);',
  ])('do not see it in %j', (code) => {
    expect(reachesProcess(code)).toBe(false);
  });

  it.each([
    "import { spawn } from 'node:child_process';",
    "import {\n  execFile,\n  type ChildProcess,\n} from 'child_process';",
    "import * as programs from 'node:child_process';",
    "const { spawn } = await import('node:child_process');",
    "const { spawn } = require('child_process');",
    "vi.importActual('node:child_process');",
    "process.getBuiltinModule('node:child_process');",
  ])('see that programs are started in %j', (code) => {
    expect(startsPrograms(code)).toBe(true);
  });

  it.each([
    "import type { ChildProcess } from 'node:child_process';",
    "// import { spawn } from 'node:child_process';",
    "expect(parts).not.toContain('child_process');",
    "import { spawn } from './child_process.ts';",
  ])('do not see it in %j', (code) => {
    expect(startsPrograms(code)).toBe(false);
  });

  it('see circles through late imports, types and several files', () => {
    const circles = circlesIn(
      new Map([
        ['a.ts', "import { b } from './b.ts';"],
        ['b.ts', "const run = () => import('./x/c.ts');"],
        ['x/c.ts', "import type { A } from '../a.ts';"],
        ['x/d.ts', "import '../a.ts'; // import './d.ts'"],
        ['x/e.ts', "export { e } from './e.ts';"],
      ]),
    );
    expect(circles).toEqual(['a.ts > b.ts > x/c.ts > a.ts', 'x/e.ts > x/e.ts']);
  });

  it('see names that are exported twice, whatever they name', () => {
    const twice = exportedTwice(
      new Map([
        [
          'a.ts',
          'export interface One {}\nexport async function* two() {}\nconst three = 3;\nexport { three };',
        ],
        [
          'b.ts',
          'export class One {}\nexport const two = 2;\nexport { other as three };\n// export const four',
        ],
        ['c.ts', 'export const four = `\nexport const one = 1`;'],
      ]),
    );
    expect(twice).toEqual(['One: a.ts, b.ts', 'two: a.ts, b.ts', 'three: a.ts, b.ts']);
  });
});
