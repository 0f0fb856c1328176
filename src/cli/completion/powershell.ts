import { flagsByAnswer, pathsOf, valuedFlags, type CompletionNode, type Value } from './tree.ts';

/**
 * The completion for PowerShell, 5.1 and later, on every system. All of it is ASCII: older versions read a program's output, and
 * scripts, in the code page of the machine.
 */
export function powershellScript(nodes: readonly CompletionNode[]): string {
  const paths = pathsOf(nodes);
  return `# PowerShell completion for folio: folio completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'folio', 'folio.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $valued = ${list(valuedFlags(nodes))}
    $paths = ${list(paths)}
    $at = ''
    $flag = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $word = $element.Extent.Text
        if ($flag -ne '') { $flag = '' }
        elseif ($valued -ccontains $word) { $flag = $word }
        elseif ($paths -ccontains "$at $word") { $at = "$at $word" }
    }
    $typed = "$wordToComplete"
    $before = ''
    if ($flag -eq '' -and $typed -cmatch '^(--[a-z-]+)=') {
        $flag = $Matches[1]
        $before = "$flag="
        $typed = $typed.Substring($before.Length)
    }
    # Names, each with the text beside it. Where nothing at all comes out, PowerShell offers files.
    $offered = @()
${nodes.map(nodeClause).join('\n')}
    $found = for ($i = 0; $i -lt $offered.Count; $i += 2) {
        if (-not $offered[$i].StartsWith($typed, [StringComparison]::OrdinalIgnoreCase)) { continue }
        [System.Management.Automation.CompletionResult]::new($before + $offered[$i], $offered[$i], 'ParameterValue', $offered[$i + 1])
    }
    if ($found) { $found } else { '' }
}
`;
}

function nodeClause({ path, commands, flags, argument }: CompletionNode): string {
  const menu = flags.flatMap(({ names, about }) => names.map((name) => [name, about] as const));
  const words = commands.map(({ name, about }) => [name, about] as const);
  const valued = flags.filter(({ value }) => value?.kind !== 'text');
  const valueClauses = flagsByAnswer(valued, (value) => offer(value)).map(
    ([answer, names]) => `        if (${list(names)} -ccontains $flag) { ${answer} }`,
  );
  const rest = argument === undefined ? `$offered = ${pairs(words)}` : offer(argument, words);
  return `    if ($at -ceq ${quoted(path)}) {
${valueClauses.join('\n')}
        if ($flag -ne '') { }
        elseif ($typed.StartsWith('-')) { $offered = ${pairs(menu)} }
        else { ${rest} }
    }`;
}

/** What fills `$offered`, or returns so that PowerShell offers files. `further` comes before the words. */
function offer(value: Value, further: readonly (readonly [string, string])[] = []): string {
  if (value.kind === 'files' || value.kind === 'folders') return 'return';
  if (value.kind === 'profiles') return '$offered = @(folio __profiles 2>$null | ForEach-Object { $_; $_ })';
  const words = 'words' in value ? value.words.filter(isPlain) : [];
  return `$offered = ${pairs([...further, ...words.map((word) => [word, word] as const)])}`;
}

/** Whether PowerShell takes the word for itself, without quotes around it. */
function isPlain(word: string): boolean {
  return /^[\w][\w.+/-]*$/.test(word);
}

/** Names and the texts beside them, one after the other; a text may not be empty. */
function pairs(entries: readonly (readonly [name: string, about: string])[]): string {
  return list(entries.flatMap(([name, about]) => [name, about === '' ? name : about]));
}

function list(texts: readonly string[]): string {
  return `@(${texts.map(quoted).join(', ')})`;
}

/** Quotes that PowerShell takes for one another, and what else the texts have beyond ASCII. */
const IN_ASCII: Readonly<Record<string, string>> = { '’': "'", '‘': "'", '‚': "'", '‛': "'", '…': '...' };

/** A text as one literal of PowerShell, in ASCII; other letters lose their accents, other signs become `?`. */
function quoted(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^ -~]/gu, (sign) => IN_ASCII[sign] ?? '?');
  return `'${plain.replaceAll("'", "''")}'`;
}
