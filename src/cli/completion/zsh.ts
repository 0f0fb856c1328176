import { pathsOf, quoted, shellWords, valuedFlags, type CompletionNode, type Value } from './tree.ts';

/** The completion for zsh: to be sourced, or put as `_folio` into a folder of `fpath`. */
export function zshScript(nodes: readonly CompletionNode[]): string {
  const paths = pathsOf(nodes).map(quoted);
  return `#compdef folio
# zsh completion for folio: source <(folio completion zsh)
_folio() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at='' word skip=0 i
  local -a subcommands flags
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if ((skip)); then skip=0; continue; fi
    case $word in
      ${valuedFlags(nodes).join('|')}) skip=1 ;;
      -*) ;;
      *) case "$at $word" in ${paths.join('|')}) at="$at $word" ;; esac ;;
    esac
  done
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*}; compset -P '*='; cur=\${cur#*=}; fi
  case "$at" in
${nodes.map(nodeCase).join('\n')}
  esac
  if [[ $cur == -* ]]; then _describe -o flag flags; return; fi
  (( \${#subcommands} )) && _describe command subcommands
}
if [[ $funcstack[1] == _folio ]]; then _folio "$@"; else compdef _folio folio; fi
`;
}

function nodeCase({ path, commands, flags, argument }: CompletionNode): string {
  const valued = flags.filter(({ value }) => value !== undefined);
  const values = valued.map(({ names, value }) => `        ${names.join('|')}) ${offer(value!)}; return ;;`);
  const menu = flags.flatMap(({ names, about }) => names.map((name) => entry(name, about)));
  const own = argument === undefined ? '' : `\n      [[ $cur == -* ]] || { ${offer(argument)} }`;
  return `    ${quoted(path)})
      case "$prev" in
${values.join('\n')}
      esac
      subcommands=(${commands.map(({ name, about }) => entry(name, about)).join(' ')})
      flags=(${menu.join(' ')})${own} ;;`;
}

function entry(name: string, about: string): string {
  return quoted(about === '' ? name : `${name}:${about}`);
}

function offer(value: Value): string {
  if (value.kind === 'words') return `compadd -- ${shellWords(value.words)}`;
  if (value.kind === 'list') {
    return `compset -P '*,'; compset -P '-'; compadd -S '' -- ${shellWords(value.words)}`;
  }
  const how = {
    text: ':',
    files: '_files',
    folders: '_files -/',
    profiles: 'compadd -- ${(f)"$(folio __profiles 2>/dev/null)"}',
  };
  return how[value.kind];
}
