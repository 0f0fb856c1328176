import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { powershellScript } from '../../../src/cli/completion/powershell.ts';
import type { CompletionNode } from '../../../src/cli/completion/tree.ts';
import { needing, runProgram } from '../../support/programs.ts';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function printed(): Promise<string> {
  return (await runHere(['completion', 'powershell'])).stdout.toString();
}

/** The script with nothing between quotes, as PowerShell finds the ends of literals. */
function withoutTexts(script: string): string {
  return script.replaceAll(/'(?:[^'‘’‚‛]|['‘’‚‛]{2})*'/g, '’');
}

function treeOf(text: string, words: readonly string[] = ['word']): CompletionNode[] {
  const flag = { names: ['--flag'], about: text, value: { kind: 'words', words } as const };
  return [{ path: ` ${text}`, commands: [{ name: text, about: text }], flags: [flag], argument: undefined }];
}

describe('the completion for PowerShell', () => {
  it('offers the values of flags, and leaves files to PowerShell', async () => {
    const script = await printed();
    expect(script).toContain(`if (@('--sort-order') -ccontains $flag) { $offered = @('asc', 'asc',`);
    expect(script).toMatch(/if \(@\([^)]*'--output'[^)]*\) -ccontains \$flag\) \{ return \}/);
    expect(script).toContain(`if (@('--profile') -ccontains $flag) { $offered = @(folio __profiles `);
  });

  it('is ASCII, whatever the code page that PowerShell reads it in', async () => {
    // oxlint-disable-next-line no-control-regex -- the line feed is one of the characters that may be there
    expect(await printed()).toMatch(/^[\n -~]+$/);
    const script = powershellScript(treeOf('Ñandú … ’s – “x”'));
    expect(script).toContain(`'Nandu ... ''s ? ?x?'`);
  });

  it.each([
    "it's",
    'the ’ ‘ ‚ ‛ quotes',
    "';calc;'",
    '’;calc;’',
    '$(calc)',
    '`',
    '"',
    '@(1)',
    'a\nb',
    '\u0000',
  ])('runs no text: %j', (text) => {
    expect(withoutTexts(powershellScript(treeOf(text)))).toBe(
      withoutTexts(powershellScript(treeOf('plain'))),
    );
  });

  it('offers no word that PowerShell would expand', () => {
    const script = powershellScript(treeOf('text', ['$(calc)', 'word', '@ids', 'a b']));
    expect(script).toContain(`if (@('--flag') -ccontains $flag) { $offered = @('word', 'word') }`);
  });

  it('completes', needing('pwsh'), async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'folio');
    writeFileSync(program, '#!/bin/sh\n[ "$*" = __profiles ] && printf "north\\nsouth\\n"\n');
    chmodSync(program, 0o755);
    const lines: readonly (readonly [line: string, offered: readonly string[]])[] = [
      ['folio iss', ['issued']],
      ['folio issued --sort-o', ['--sort-order']],
      ['folio issued --format js', ['json', 'jsonl']],
      ['folio issued --format=js', ['--format=json', '--format=jsonl']],
      ['folio --profile ', ['north', 'south']],
      ['folio --profile north funds doc', ['documents']],
      ['folio --profile funds iss', ['issued']],
      ['folio auth use s', ['south']],
      ['folio completion p', ['powershell']],
    ];
    const trials = lines.map(
      ([line]) => `(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText -join ' '`,
    );
    const script = join(folder, 'trials.ps1');
    writeFileSync(script, `${await printed()}\n${trials.join('\n')}\n`);
    const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder };
    const offered = runProgram('pwsh', ['-NoProfile', '-NonInteractive', '-File', script], { env });
    const lists = offered.trimEnd().split('\n');
    expect(lists.map((list) => list.split(' ').toSorted())).toEqual(lines.map(([, words]) => words));
  });
});
