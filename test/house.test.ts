import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needingThat, runProgram } from './support/programs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/**
 * Imports run one way: what each room may import, besides itself and what all may. A file of src itself is a room of its own.
 * `main.ts` alone touches the process, as lint makes sure, and hands what it has of it to `process-context.ts`.
 */
const MAY_IMPORT = roomsOf(`
  main.ts: process-context.ts
  process-context.ts: cli api profiles output
  cli: run resources report query output profiles database invoices api json sandbox
  run: resources report query output profiles database invoices paging api json sandbox
  report: query output invoices json
  resources: invoices paging api json
  query: output invoices json
  output: invoices paging api json
  profiles: output api json
  database: output invoices api json
  invoices: json
  paging: json
  api: json
  json:
  sandbox:
  context.ts: api profiles
  errors.ts:
  findings.ts:
  version.ts:
`);

/** What every room may import. */
const SHARED = ['errors.ts', 'findings.ts', 'context.ts', 'version.ts', '../package.json'];

/** What stands in the root of the project. */
const ROOT_ENTRIES =
  '.ci .config .editorconfig .github .gitignore CHANGELOG.md LICENSE README.md bin package-lock.json package.json src test tsconfig.json';

const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const sources = new Map(paths.map((path) => [path, readFileSync(join(SRC, path), 'utf8')]));
/** The files that each file imports by a relative path: at once, late, or for a type alone. */
const imports = new Map(
  [...sources].map(([path, text]) => {
    const found = text.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.[^']+)'/g);
    return [path, [...found].map(([, other]) => join(path, '..', other!))] as const;
  }),
);
const roomOf = (path: string): string => path.split('/')[0]!;

function roomsOf(table: string): Record<string, string[]> {
  const rows = table.trim().split('\n');
  return Object.fromEntries(
    rows.map((row) => row.trim().split(/:\s*/)).map(([room, others]) => [room, others!.match(/\S+/g) ?? []]),
  );
}

/** The imports that a condition does not allow, one a line. */
function importsBut(isAllowed: (path: string, other: string) => boolean): string[] {
  return [...imports].flatMap(([path, others]) =>
    others.filter((other) => !isAllowed(path, other)).map((other) => `${path} imports ${other}`),
  );
}

describe('the house', () => {
  it('has only rooms that are known', () => {
    expect([...new Set(paths.map(roomOf))].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
  });

  const needingClone = needingThat('a clone of the repository', () => existsSync(join(ROOT, '.git')), 'git');
  it('has a root that one overlooks', needingClone, () => {
    const tracked = runProgram('git', ['ls-files'], { cwd: ROOT }).trim().split('\n');
    expect([...new Set(tracked.map(roomOf))].toSorted().join(' ')).toBe(ROOT_ENTRIES);
  });

  it('imports one way', () => {
    // Far more than a few, so that the search itself works.
    expect([...imports.values()].flat().length).toBeGreaterThan(1_000);
    const mayImport = (path: string, other: string): boolean =>
      roomOf(other) === roomOf(path) ||
      SHARED.includes(other) ||
      MAY_IMPORT[roomOf(path)]!.includes(roomOf(other));
    expect(importsBut(mayImport)).toEqual([]);
  });

  it('is as CONTRIBUTING tells it', () => {
    const text = readFileSync(resolve(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
    const told = [...text.matchAll(/^- `(\w+)`: (?:(?!\n- )[^])*?\bImports\s([^.]*)\./gm)].map(
      ([, room, others]) => [room, [...others!.matchAll(/`(\w+)`/g)].map(([, other]) => other)],
    );
    const others = Object.entries(MAY_IMPORT).filter(([room]) => !/\.|cli|run/.test(room));
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(others));
  });

  it('has the files that CONTRIBUTING names', needingClone, () => {
    const text = readFileSync(resolve(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|js|json|sh))`/g)].map(([, path]) => path!);
    const tracked = runProgram('git', ['ls-files'], { cwd: ROOT }).trim().split('\n');
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !tracked.some((one) => `/${one}`.endsWith(`/${path}`)))).toEqual([]);
  });

  it('declares what CONTRIBUTING names without a path: functions, types, members, folders', () => {
    const text = readFileSync(resolve(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
    const named = [...text.matchAll(/`(?!FOLIO_)(\w+)(?:\([^`]*\))?`/g)].map(([, name]) => name!);
    const inTests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
    const tests = inTests.filter((path) => path.endsWith('.ts')).map((path) => join('test', path));
    const code = [...sources.values(), ...tests.map((path) => readFileSync(join(ROOT, path), 'utf8'))];
    const declared = /\b(?:function\*?|class|interface|type|const) (\w+)|^ +(?:readonly |get )*(\w+)[?:(<]/gm;
    const names = [...code.join('\n').matchAll(declared)].map(([, name, member]) => name ?? member!);
    const known = new Set([
      ...names,
      ...[...paths, ...tests].flatMap((path) => path.split('/')),
      'src',
      'dist',
    ]);
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has a sandbox that shares no code with what it is there to check', () => {
    const isOwn = /^(sandbox\/|errors\.ts$|context\.ts$)/;
    expect(importsBut((path, other) => roomOf(path) !== 'sandbox' || isOwn.test(other))).toEqual([]);
  });

  it('has no circle of imports, late ones counted', () => {
    const left = new Map(imports);
    // Whoever imports only what is in no circle is in none.
    for (let size = -1; size !== left.size;) {
      size = left.size;
      for (const [path, others] of left) if (!others.some((other) => left.has(other))) left.delete(path);
    }
    expect([...left.keys()]).toEqual([]);
  });

  it('has no file that only tests load', () => {
    const loaded = new Set(['main.ts']);
    for (const path of loaded) for (const other of imports.get(path) ?? []) loaded.add(other);
    expect(paths.filter((path) => !loaded.has(path) && !path.endsWith('.d.ts'))).toEqual([]);
  });

  it('exports no name twice', () => {
    const declared =
      /^export (?:async |abstract )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
    const names = [...sources.values()].flatMap((text) =>
      [...text.matchAll(declared)].map(([, name]) => name!),
    );
    expect(names.length).toBeGreaterThan(1_000);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('has hints that are whole sentences: each begins with a capital letter and ends with a stop or a question mark', () => {
    const written = /\bhint:\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1\s*[,})]/g;
    const all = [...sources.values()].flatMap((text) =>
      [...text.matchAll(written)].map(([, , hint]) => hint!),
    );
    // What is put in is a sentence itself.
    const isSentence = (hint: string): boolean =>
      /^(?:[A-Z]|\$\{\w*[hH]int\})/.test(hint) && /(?:[.?]|\$\{[\w.]*(?:[hH]int|_HINT)\})$/.test(hint);
    expect(all.length).toBeGreaterThan(60);
    expect(all.filter((hint) => !isSentence(hint))).toEqual([]);
  });

  it.each([
    ['exports by name, each thing from its own file', /^export (?:default\b|(?:type )?[*{])/m, /^$/],
    [
      'keeps the service’s own spelling in resources and the sandbox',
      /['`"](options_\w+|\w+FiscalIds)['`"]/,
      /^(resources|sandbox)\//,
    ],
  ])('%s', (_, written, allowedIn) => {
    const files = paths.filter((path) => written.test(sources.get(path)!) && !allowedIn.test(path));
    expect(files).toEqual([]);
  });

  it('has no file and no folder that is called after nothing in particular', () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|misc)(\/|\.ts$)/;
    expect(paths.filter((path) => vague.test(path))).toEqual([]);
  });
});
