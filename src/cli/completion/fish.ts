import {
  pathsOf,
  shellWords,
  valuedFlags,
  type CompletionFlag,
  type CompletionNode,
  type Value,
} from './tree.ts';

/** The completion for fish. Conditions that are the same text are tried once for each completion. */
export function fishScript(nodes: readonly CompletionNode[]): string {
  const paths = pathsOf(nodes).map(quoted);
  return `# fish completion for folio: folio completion fish | source
function __folio_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    set -l skip 0
    for word in $words
        if test $skip = 1
            set skip 0
        else if contains -- $word ${valuedFlags(nodes).join(' ')}
            set skip 1
        else if contains -- "$at $word" ${paths.join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
function __folio_list
    set -l begun (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '^(?:.*,)?-?')
    for word in $argv
        echo "$begun$word"
    end
end
complete -c folio -f
${nodes.flatMap(nodeLines).join('\n')}
`;
}

function nodeLines({ path, commands, flags, argument }: CompletionNode): string[] {
  const here = `complete -c folio -n ${quoted(`__folio_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ name, about }) => `${here} -a ${name}${described(about)}`),
    ...(argument === undefined ? [] : argumentLines(here, argument)),
    ...flags.map((flag) => here + flagText(flag)),
  ];
}

function argumentLines(here: string, value: Value): string[] {
  if (value.kind === 'text') return [];
  return [value.kind === 'files' ? `${here} -F` : `${here} -a ${words(value)}`];
}

function flagText({ names, about, value }: CompletionFlag): string {
  const forms = names.map((name) =>
    name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  return forms.join('') + described(about) + valueText(value);
}

function valueText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (value.kind === 'files') return ' -r -F';
  return value.kind === 'text' ? ' -x' : ` -x -a ${words(value)}`;
}

function words(value: Value): string {
  if (value.kind === 'words') return quoted(shellWords(value.words));
  if (value.kind === 'list') return quoted(`(__folio_list ${shellWords(value.words)})`);
  if (value.kind === 'profiles') return quoted('(folio __profiles 2>/dev/null)');
  return value.kind === 'folders' ? quoted('(__fish_complete_directories)') : quoted('');
}

function described(about: string): string {
  return about === '' ? '' : ` -d ${quoted(about)}`;
}

/** In fish a backslash means something within single quotes too. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
