import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shells } from '../../../src/cli/commands/completion.ts';
import { wholeProgram } from '../../../src/cli/program.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { runProfiles as folio } from '../../support/scripted-run.ts';
import { needing, runProgram } from '../../support/programs.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectRefused } from '../../support/expect-exit.ts';

function storeOf(content: string): string {
  const folder = join(temporaryFolder(), 'store');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), content, { mode: 0o600 });
  return folder;
}

const PROFILES = { north: {}, 'so.uth-2': {}, '$(touch x)': {}, '`x`': {}, 'a b': {} };

/** What the line `words` may go on with: the kind of the answer, and its words that begin as the last one does. */
async function offered(words: readonly string[], content = JSON.stringify({ profiles: PROFILES })) {
  const env = { FOLIO_CONFIG_DIR: storeOf(content) };
  const { code, stdout, stderr } = await folio(['__complete', '--', ...words], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [kind, ...lines] = stdout.trimEnd().split('\n');
  const begun = words.at(-1)!.replace(/^(?:--[^=]*)?=/, '');
  const names = lines.map((line) => line.split('\t')[0]!);
  return [kind, ...names.filter((name) => name.startsWith(begun)).sort()];
}

describe('folio __complete', () => {
  it.each<[line: string, ...answer: string[]]>([
    ['iss', 'words', 'issued'],
    ['__', 'words'],
    ['issued --sort-o', 'words', '--sort-order'],
    ['issued --toke', 'words', '--token-file'],
    ['issued --format=js', 'words', 'json', 'jsonl'],
    ['issued --format = js', 'words', 'json', 'jsonl'],
    ['config set format =', 'words'],
    ['--profile ', 'words', 'north', 'so.uth-2'],
    ['--profile north funds doc', 'words', 'documents'],
    // A value that is the name of a command leads nowhere.
    ['--profile funds iss', 'words', 'issued'],
    ['auth use s', 'words', 'so.uth-2'],
    // Hidden, but it can be typed.
    ['login --token-c', 'words', '--token-command'],
    ['auth help lo', 'words', 'login', 'logout'],
    ['help exit', 'words', 'exit-codes'],
    ['help o', 'words', 'overdue', 'owe'],
    ['help customers ', 'words', 'get', 'list', 'portal-link'],
    ['help nowhere ', 'words'],
    ['completion b', 'words', 'bash'],
    ['config set retryD', 'words', 'retryDelay'],
    ['issued --columns customer.n', 'list', 'customer.name'],
    ['issued --sum net,totalA', 'list', 'net,totalAmount'],
    ['issued --sum ope', 'list', 'open', 'openAmount'],
    ['issued --sum da', 'list'],
    ['get x --id-param ', 'words'],
    ['statement --organization ', 'words'],
    ['received list --sort date,-du', 'list', 'date,-due', 'date,-dueBy', 'date,-dueByDate', 'date,-dueDate'],
    ['funds documents --group-by categ', 'list', 'category'],
    ['aging --sort to', 'words'],
    ['issued -o ', 'file'],
    ['verify ', 'file'],
    ['issued download ', 'directory'],
    ['sync ', 'file'],
    ['sync books.db fund', 'words', 'fund-documents', 'funds'],
    ['sync books.db issued rec', 'words', 'received'],
    ['mcp --from ', 'file'],
  ])('offers for %j what may stand there', async (line, ...answer) => {
    expect(await offered(line.split(' '))).toEqual(answer);
  });

  it('offers the flags of each command, and of every one', async () => {
    const program = await wholeProgram(fakeContext());
    const [, ...flags] = await offered(['funds', 'documents', '-']);
    const documents = program.commands.find((one) => one.name() === 'funds')!.commands.at(-1)!;
    for (const { long, hidden } of [...documents.options, ...program.options])
      if (!hidden) expect(flags).toContain(long);
  });

  it.each([
    ['broken JSON', '{'],
    ['another form', '[]'],
    ['nothing', ''],
  ])('knows no profiles where the store is %s', async (_, content) => {
    expect(await offered(['--profile', ''], content)).toEqual(['words']);
  });
});

/** The environment with the built program as `folio` in its PATH, and profiles. */
function withFolio(): Record<string, string> {
  const folder = temporaryFolder();
  const program = join(folder, 'folio');
  const built = resolve(import.meta.dirname, '../../../bin/folio.js');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${built}' "$@"\n`);
  chmodSync(program, 0o755);
  const store = storeOf(JSON.stringify({ profiles: PROFILES }));
  return { PATH: `${folder}:${process.env['PATH']}`, FOLIO_CONFIG_DIR: store, HOME: temporaryFolder() };
}

/** Lines, the last word of each unfinished, and what a shell makes of them. */
const LINES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['iss'], ['issued']],
  [['issued', '--sort-o'], ['--sort-order']],
  [
    ['--profile', ''],
    ['north', 'so.uth-2'],
  ],
  [['issued', '--sum', 'net,totalA'], ['net,totalAmount']],
  [['issued', '--limit', ''], []],
];

describe('folio completion', () => {
  it.each(shells)('prints a script for %s', async (shell) => {
    const { code, stdout, stderr } = await folio(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('folio __complete -- ');
  });

  it('refuses a shell that it does not know', async () => {
    await expectRefused(folio(['completion', 'tcsh']), 'bash, zsh, fish');
  });

  it('completes in bash', needing('bash'), async () => {
    const { stdout: script } = await folio(['completion', 'bash']);
    const file = fileOf('', 'a b.csv');
    const more = [
      [['issued', '--format', '=', 'cs'], ['csv']],
      [['verify', file.slice(0, -4)], file.split(' ')],
    ] as const;
    const trials = [...LINES, ...more].map(([words]) => {
      const line = ['folio', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _folio; echo "\${COMPREPLY[*]}"`;
    });
    const env = withFolio();
    const input = `${script}\nset -u\n${trials.join('\n')}\n`;
    const offered = runProgram('bash', ['--norc', '--noprofile'], { input, env });
    const lists = offered.split('\n').map((line) => line.split(' ').filter(Boolean).sort());
    expect(lists.slice(0, -1)).toEqual([...LINES, ...more].map(([, words]) => words));
  });

  it('completes in fish', needing('fish'), async () => {
    const { stdout: script } = await folio(['completion', 'fish']);
    const lines = [...LINES, [['issued', '--format=cs'], ['--format=csv']] as const];
    const trials = lines.map(([words]) => `complete -C 'folio ${words.join(' ')}'; echo ---`);
    const env = withFolio();
    const file = fileOf(`${script}\n${trials.join('\n')}\n`, 'trials.fish');
    const offered = runProgram('fish', ['--no-config', file], { env });
    const lists = offered.split('---\n').map((part) =>
      part
        .split('\n')
        .map((line) => line.split('\t')[0]!)
        .filter(Boolean)
        .sort(),
    );
    expect(lists.slice(0, -1)).toEqual(lines.map(([, words]) => words));
  });

  it('is read by zsh', needing('zsh'), async () => {
    const { stdout: script } = await folio(['completion', 'zsh']);
    const input = `compdef() { print "$@"; }\n${script}\n`;
    expect(runProgram('zsh', ['-f'], { input })).toBe('_folio folio\n');
  });
});
