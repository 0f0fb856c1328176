import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** What each room may import, besides itself, `errors.ts` and the types of `context.ts`. `.` is src itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '.': ['cli', 'api', 'profiles', 'output'],
  cli: [
    '.',
    'run',
    'resources',
    'paging',
    'api',
    'json',
    'output',
    'query',
    'profiles',
    'database',
    'sandbox',
  ],
  run: [
    '.',
    'cli',
    'resources',
    'paging',
    'api',
    'json',
    'output',
    'query',
    'profiles',
    'database',
    'sandbox',
  ],
  resources: ['paging', 'api', 'json'],
  query: ['json', 'output'],
  output: ['paging', 'api', 'json'],
  profiles: ['paging', 'api', 'json', 'output'],
  database: ['paging', 'api', 'json', 'output'],
  paging: ['json'],
  api: ['json'],
  json: [],
  sandbox: [],
};

/** What every room may import. */
const SHARED = ['errors.ts', 'context.ts', '../package.json'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return [...found].map(([, path]) => relative(SRC, resolve(SRC, dirname(file), path!)));
}

const roomOf = (file: string): string => (file.includes('/') ? file.split('/')[0]! : '.');

describe('the house', () => {
  it('has only rooms that are known', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it('imports one way', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => !SHARED.includes(path) && roomOf(path) !== roomOf(file))
        .filter((path) => !MAY_IMPORT[roomOf(file)]!.includes(roomOf(path)))
        .map((path) => `${file} imports ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names the process in main alone', () => {
    const named = files.filter((file) =>
      /(^|[^.\w])process\b[.[;,)]|globalThis(\.process|\[)|\bself\.(env|argv|std\w+|exit|kill)\b|NodeJS\.Process\b|node:process/m.test(
        readFileSync(join(SRC, file), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, ''),
      ),
    );
    expect(named).toEqual(['main.ts']);
  });

  it('keeps the service’s own spelling in resources and the sandbox', () => {
    const spelled = files.filter((file) =>
      /['`"](options_\w+|\w+FiscalIds)['`"]/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(spelled.filter((file) => !/^(resources|sandbox)\//.test(file))).toEqual([]);
  });
});
