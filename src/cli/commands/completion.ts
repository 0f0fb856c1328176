import { declareCommand } from '../command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export const completionCommand = declareCommand({
  description:
    'Prints the script with which a shell completes commands, flags, their values, the usual columns of a listing and the names of ' +
    'profiles. ' +
    'The network is never touched.',
  arguments: [['<shell>', shells.join(', '), { words: shells }]],
  examples: [
    ['source <(folio completion bash)', 'in ~/.bashrc'],
    ['source <(folio completion zsh)', 'in ~/.zshrc, after compinit'],
    ['folio completion fish > ~/.config/fish/completions/folio.fish', 'once'],
  ],
  run: ({ stdout }, _, [shell]) => stdout.write(SCRIPTS[shell]),
});

/*
 * Each script hands the words up to the cursor to `folio __complete`. The first line of the answer is `words`, `list` (no blank
 * belongs behind one), `file` or `directory` (the shell finds those itself); each line after it is a word, a tab, and what it
 * means.
 */
const SCRIPTS: Readonly<Record<(typeof shells)[number], string>> = {
  // bash 3.2 and later, without its completion library. It splits words at an equals sign.
  bash: `# bash completion for folio: source <(folio completion bash)
_folio() {
  local cur=\${COMP_WORDS[COMP_CWORD]} kind='' word
  if [[ $cur == '=' ]]; then cur=''; fi
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ -z $kind ]]; then kind=$word; elif [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done < <(folio __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $kind in
    list) compopt -o nospace 2>/dev/null ;;
    file|directory)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -A "$kind" -- "$cur") ;;
  esac
}
complete -F _folio folio
`,
  zsh: `#compdef folio
# zsh completion for folio: source <(folio completion zsh)
_folio() {
  local -a answer
  answer=("\${(@f)$(folio __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  local kind=$answer[1]
  shift answer
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  case $kind in
    words) answer=("\${answer[@]/$'\\t'/:}"); _describe value answer ;;
    list) compadd -S '' -- $answer ;;
    file) _files ;;
    directory) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _folio ]]; then _folio "$@"; else compdef _folio folio; fi
`,
  fish: `# fish completion for folio: folio completion fish | source
function __folio_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l answer (folio __complete -- $words[2..-1] "$token" 2>/dev/null)
    set -l begun (string match -r '^--[^=]*=' -- "$token")
    switch "$answer[1]"
        case file
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$token")
        case directory
            __fish_complete_directories (string replace -r '^--[^=]*=' '' -- "$token")
        case '*'
            for line in $answer[2..-1]
                echo "$begun$line"
            end
    end
end
complete -c folio -f -a '(__folio_complete)'
`,
};
