import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionTree } from '../../../src/cli/completion/tree.ts';
import { shells } from '../../../src/cli/commands/completion.ts';
import { wholeProgram } from '../../../src/cli/program.ts';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { needing, runProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function folio(argv: readonly string[], env: Record<string, string> = {}) {
  const context = fakeContext({ argv, env });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** A folder for the PATH with a `folio` that knows two profiles and nothing else. */
function pathWithFolio(): string {
  const folder = temporaryFolder();
  const program = join(folder, 'folio');
  writeFileSync(program, '#!/bin/sh\n[ "$*" = __profiles ] && printf "north\\nsouth\\n"\n');
  chmodSync(program, 0o755);
  return `${folder}:${process.env['PATH']}`;
}

/** Words of a command line, the last one unfinished, and what is offered for it. */
const LINES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['iss'], ['issued']],
  [['issued', '--sort-o'], ['--sort-order']],
  [
    ['issued', '--format', 'js'],
    ['json', 'jsonl'],
  ],
  [
    ['--profile', ''],
    ['north', 'south'],
  ],
  [['--profile', 'north', 'funds', 'doc'], ['documents']],
  // A value that is the name of a command leads nowhere.
  [['--profile', 'funds', 'iss'], ['issued']],
  [['auth', 'use', 's'], ['south']],
  [['help', 'exit'], ['exit-codes']],
  [['completion', 'b'], ['bash']],
  [['config', 'set', 'retryD'], ['retryDelay']],
  [['issued', '--limit', ''], []],
  [['issued', '--columns', 'customer.n'], ['customer.name']],
  [['issued', '--sum', 'net,totalA'], ['net,totalAmount']],
  [
    ['received', 'list', '--sort', 'date,-du'],
    ['date,-due', 'date,-dueBy', 'date,-dueByDate', 'date,-dueDate'],
  ],
  [['funds', 'documents', '--group-by', 'categ'], ['category']],
  [['aging', '--sort', 'to'], []],
];

const NOTHING_KNOWN = { ofArguments: new Map(), ofColumns: new Map() };

describe('folio completion', () => {
  it.each(shells)('prints a script for %s, with every command and every flag', async (shell) => {
    const { code, stdout, stderr } = await folio(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { path, flags } of completionTree(await wholeProgram(fakeContext()), NOTHING_KNOWN)) {
      if (path !== '') expect(stdout).toContain(`'${path}'`);
      const spelled = (name: string): string =>
        shell !== 'fish' ? name : name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
      for (const name of flags.flatMap(({ names }) => names)) expect(stdout).toContain(spelled(name));
    }
    // Only the sandbox has it, for words.
    expect(stdout).not.toContain('--token-file --token ');
    expect(stdout).not.toContain('__man');
  });

  it('refuses a shell that it does not know', async () => {
    const { code, stderr } = await folio(['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });

  it('has no flag that takes a value in one command and none in another', async () => {
    const flags = completionTree(await wholeProgram(fakeContext()), NOTHING_KNOWN).flatMap(
      (node) => node.flags,
    );
    const valued = new Set(flags.flatMap(({ names, value }) => (value ? names : [])));
    const plain = flags.flatMap(({ names, value }) => (value ? [] : names));
    expect(plain.filter((name) => valued.has(name))).toEqual([]);
  });

  it('completes in bash', needing('bash'), async () => {
    const { stdout: script } = await folio(['completion', 'bash']);
    const trials = [...LINES, [['issued', '--format', '=', 'cs'], ['csv']] as const].map(([words]) => {
      const line = ['folio', ...words].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _folio; echo "\${COMPREPLY[*]}"`;
    });
    const env = { PATH: pathWithFolio() };
    const input = `${script}\nset -u\n${trials.join('\n')}\n`;
    const offered = runProgram('bash', ['--norc', '--noprofile'], { input, env });
    const lists = offered.split('\n').map((line) => line.split(' ').filter(Boolean).sort());
    expect(lists.slice(0, -1)).toEqual([...LINES.map(([, words]) => words), ['csv']]);
  });

  it('completes in fish', needing('fish'), async () => {
    const { stdout: script } = await folio(['completion', 'fish']);
    const trials = LINES.map(([words]) => `complete -C 'folio ${words.join(' ')}'; echo ---`);
    const env = { PATH: pathWithFolio(), HOME: temporaryFolder() };
    const file = join(temporaryFolder(), 'trials.fish');
    writeFileSync(file, `${script}\n${trials.join('\n')}\n`);
    const offered = runProgram('fish', ['--no-config', file], { env });
    const lists = offered.split('---\n').map((part) =>
      part
        .split('\n')
        .map((line) => line.split('\t')[0]!)
        .filter(Boolean)
        .sort(),
    );
    expect(lists.slice(0, -1)).toEqual(LINES.map(([, words]) => words));
  });

  it('is read by zsh', needing('zsh'), async () => {
    const { stdout: script } = await folio(['completion', 'zsh']);
    const input = `compdef() { print "$@"; }\n${script}\n`;
    expect(runProgram('zsh', ['-f'], { input })).toBe('_folio folio\n');
  });
});

describe('folio __profiles', () => {
  function storeOf(content: string): Record<string, string> {
    const folder = join(temporaryFolder(), 'store');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), content, { mode: 0o600 });
    return { FOLIO_CONFIG_DIR: folder };
  }

  it('prints the names of the profiles, but none that a shell would run', async () => {
    const profiles = { north: {}, 'so.uth-2': {}, '$(touch x)': {}, '`x`': {}, 'a b': {} };
    const outcome = await folio(['__profiles'], storeOf(JSON.stringify({ profiles })));
    expect(outcome).toEqual({ code: 0, stdout: 'north\nso.uth-2\n', stderr: '' });
  });

  it.each([
    ['broken JSON', '{'],
    ['another form', '[]'],
    ['nothing', ''],
  ])('is silent where the store is %s', async (_, content) => {
    expect(await folio(['__profiles'], storeOf(content))).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
