import {
  flagsByAnswer,
  pathsOf,
  quoted,
  shellWords,
  valuedFlags,
  type CompletionNode,
  type Value,
} from './tree.ts';

/** The completion for bash, 3.2 and later, without its completion library. */
export function bashScript(nodes: readonly CompletionNode[]): string {
  const paths = pathsOf(nodes).map(quoted);
  return `# bash completion for folio: source <(folio completion bash)
_folio_reply() {
  local word last=\${cur##*,} begun
  begun=\${cur%"$last"}
  if [[ $last == -* ]]; then begun+=-; last=\${last#-}; fi
  case $1 in
    files|folders) compopt -o filenames 2>/dev/null ;;
    list) compopt -o nospace 2>/dev/null ;;
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    IFS=$' \\n'
    case $1 in
      words) compgen -W "$2" -- "$cur" ;;
      list) compgen -P "$begun" -W "$2" -- "$last" ;;
      files) compgen -f -- "$cur" ;;
      folders) compgen -d -- "$cur" ;;
      profiles) compgen -W "$(folio __profiles 2>/dev/null)" -- "$cur" ;;
    esac
  )
}

_folio() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' word skip=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then skip=1; continue; fi
    if ((skip)); then skip=0; continue; fi
    case $word in
      ${valuedFlags(nodes).join('|')}) skip=1 ;;
      -*) ;;
      *) case "$at $word" in ${paths.join('|')}) at="$at $word" ;; esac ;;
    esac
  done
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case "$at" in
${nodes.map(nodeCase).join('\n')}
  esac
}
complete -F _folio folio
`;
}

function nodeCase({ path, commands, flags, argument }: CompletionNode): string {
  const words = [...commands.map(({ name }) => name), ...(argument?.kind === 'words' ? argument.words : [])];
  const rest = words.length > 0 ? reply({ kind: 'words', words }) : argument ? reply(argument) : ':';
  const valueCases = flagsByAnswer(flags, reply).map(
    ([answer, names]) => `        ${names.join('|')}) ${answer} ;;`,
  );
  const all = reply({ kind: 'words', words: flags.flatMap(({ names }) => names) });
  return `    ${quoted(path)})
      case "$prev" in
${valueCases.join('\n')}
        *) if [[ $cur == -* ]]; then ${all}
           else ${rest}; fi ;;
      esac ;;`;
}

function reply(value: Value): string {
  if (value.kind === 'text') return ':';
  return 'words' in value
    ? `_folio_reply ${value.kind} ${quoted(shellWords(value.words))}`
    : `_folio_reply ${value.kind}`;
}
