import { Option, type Argument, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { FolioError } from '../../errors.ts';
import { resources } from '../../resources/listings.ts';
import { oneWordName } from '../../resources/resource.ts';
import type { Parsed } from '../../run/flag.ts';
import { declareCommand, resourceOf, shownUnder, type CommandContext } from '../command.ts';
import { brief } from '../help.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export const completionCommand = declareCommand({
  description:
    'Prints the script with which a shell completes commands, flags, their values, the usual columns of a listing and the ' +
    'names of profiles. The network is never touched.',
  arguments: [['<shell>', shells.join(', '), { choices: shells }]],
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

/** What the scripts of `folio completion` call. */
export const completeCommand = declareCommand({
  description: 'The completions of the last word.',
  arguments: [['[words...]', 'those of a command line, without folio, up to the cursor']],
  run: async (context, _, [words]) => {
    const [kind, names] = await offerFor(words, context);
    const lines = names.map(([name, about]) => (about ? `${name}\t${brief(about)}` : name));
    await context.stdout.write(`${[kind, ...lines].join('\n')}\n`);
  },
});

/** The completions of a word: names with their meanings, or a kind that the shell completes itself. */
type Offer = readonly [
  kind: 'words' | 'list' | 'file' | 'directory',
  names: readonly (readonly [name: string, about?: string])[],
];

/** The completions of the last word, from the declarations of the commands; hidden commands are left out. */
async function offerFor(typed: readonly string[], context: CommandContext): Promise<Offer> {
  // bash passes `--format=csv` as three words.
  const words = [...typed.filter((word) => word !== '='), ...(typed.at(-1) === '=' ? [''] : [])];
  const last = words.pop() ?? '';
  const program = await context.programFor(context, words);
  let command = program;
  let flag: Option | undefined;
  let operands = 0;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (word.startsWith('-')) flag = valuedFlag(command, word);
    else {
      const next = command.commands.find((child) => child.name() === word);
      operands = next === undefined ? operands + 1 : 0;
      command = next ?? command;
    }
  }
  const [, name = '', value = last] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  flag ??= valuedFlag(command, name);
  if (flag !== undefined) return valuesOf(flag, command, { begun: value, context });
  if (last.startsWith('-'))
    return ['words', [...flagsOf(command).flatMap(namesOf), ['-h', 'help'], ['--help', 'help']]];
  const under = (parent: Command): Offer[1] =>
    shownUnder(parent).map((each) => [each.name(), each.summary() || each.description()]);
  if (command.name() === 'help' && operands > 0) {
    let about: Command | undefined = program;
    for (const word of words.slice(-operands)) about = about?.commands.find((one) => one.name() === word);
    return ['words', about ? under(about) : []];
  }
  if (command.name() === 'help') {
    const { topics } = await import('../help-topics.ts');
    const { wordTopics } = await import('../words.ts');
    const pages = [...topics, ...wordTopics()].map((topic) => [topic.name, topic.about] as const);
    return ['words', [...under(program), ...pages]];
  }
  const declared = command.registeredArguments;
  const rest = declared.at(-1)?.variadic ? declared.at(-1) : undefined;
  const argument = declared[operands] ?? rest;
  const [kind, own] = await valuesOf(argument, command, { begun: last, context });
  const commands = under(command);
  return [commands.length > 0 ? 'words' : kind, [...commands, ...own]];
}

/** The flags of a command. --token exists only to be refused. */
function flagsOf(command: Command): readonly Option[] {
  return command.options.filter(({ long }) => long !== '--token');
}

function namesOf({ short, long, description }: Option): Offer[1] {
  return [short, long].flatMap((name) => (name === undefined ? [] : [[name, description] as const]));
}

function valuedFlag(command: Command, name: string): Option | undefined {
  return flagsOf(command).find(({ short, long, required }) => required && [short, long].includes(name));
}

/** The words that a flag or an argument takes, or what its placeholder stands for; nothing where any text may stand. */
async function valuesOf(
  of: Option | Argument | undefined,
  command: Command,
  { begun, context }: { readonly begun: string; readonly context: Context },
): Promise<Offer> {
  const { how } = (of ?? {}) as { readonly how?: Parsed };
  if (how?.choices !== undefined) return ['words', how.choices.map((word) => [word])];
  const flag = of instanceof Option ? of.flags : undefined;
  const placeholder = flag === undefined ? of?.name() : /<([\w-]+)/.exec(flag)?.[1];
  switch (placeholder) {
    case 'name':
      // The name of `auth use` and `auth logout` is that of a profile, too.
      return ['words', /^--(?!profile)/.test(flag ?? '') ? [] : await profileNames(context)];
    case 'names':
    case 'columns': {
      const isSum = of instanceof Option && of.long === '--sum';
      const columns = (resourceOf(command)?.columns ?? []).filter(([, type]) => !isSum || type === 'money');
      const names = new Set(columns.flatMap(([name, , role]) => [name, role ?? name]));
      // With commas between them, a minus before each if one likes.
      const [before] = /^(?:.*,)?-?/s.exec(begun)!;
      return [names.size === 0 ? 'words' : 'list', [...names].map((name) => [before + name])];
    }
    case 'resources':
      return ['words', resources.map((one) => [oneWordName(one, '-')])];
    case 'dir':
    case 'folder':
      return ['directory', []];
    default:
      return [/^(?:files?|list|receipt|database)$/.test(placeholder ?? '') ? 'file' : 'words', []];
  }
}

/** Names of profiles; none if the store is broken. Leaves out invalid names, which a shell could run. */
async function profileNames(context: Context): Promise<Offer[1]> {
  const { isProfileName } = await import('../../profiles/profile.ts');
  try {
    const { profileNames: names } = await context.config();
    return names.filter(isProfileName).map((name) => [name]);
  } catch (error) {
    if (error instanceof FolioError) return [];
    throw error;
  }
}
