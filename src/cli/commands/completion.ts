import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { FolioError } from '../../errors.ts';
import { parseProfileName } from '../../profiles/profile.ts';
import type { CompletionNode } from '../completion/tree.ts';
import { oneOf } from '../../run/parse-values.ts';
import { fundDocuments } from '../../resources/funds.ts';
import { resources } from '../../resources/index.ts';
import type { Resource } from '../../resources/resource.ts';
import { settingNames } from '../../run/settings.ts';
import { addCommand, shownUnder } from '../command.ts';

/** The shells that folio has completion scripts for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
/** One of these shells. */
type Shell = (typeof shells)[number];

/** `completion`, and the hidden command from which its scripts get the names of profiles. */
export function addCompletion(program: Command, context: Context): void {
  addCommand(program, context, 'completion', {
    description:
      'Prints the script with which a shell completes commands, flags, their values, the usual columns of a listing and the names of ' +
      'profiles. ' +
      'The network is never touched.',
    arguments: [['<shell>', shells.join(', '), oneOf('completion', shells)]],
    examples: [
      ['source <(folio completion bash)', 'in ~/.bashrc'],
      ['source <(folio completion zsh)', 'in ~/.zshrc, after compinit'],
      ['folio completion fish > ~/.config/fish/completions/folio.fish', 'once'],
    ],
    run: (_, [shell]) => runCompletion(context, program, shell),
  });
  addCommand(program, context, '__profiles', {
    description: 'The names of profiles.',
    hidden: true,
    run: () => printProfiles(context),
  });
}

/** Prints the completion script of a shell, made from the commands and flags that are declared. */
async function runCompletion(context: Context, program: Command, shell: Shell): Promise<void> {
  const { topics } = await import('../help-topics.ts');
  const { completionTree } = await import('../completion/tree.ts');
  const makeScript = await loadScript(shell);
  const settings = settingNames.map(([name]) => name);
  const commands = shownUnder(program).map((each) => each.name());
  const ofArguments = new Map([
    [' config get', settings],
    [' config set', settings],
    [' config unset', settings],
    [' help', [...commands, ...topics.map(({ name }) => name)]],
  ]);
  const ofColumns = new Map(
    resources.flatMap((resource) => {
      const words = usualColumns(resource);
      const path = resource === fundDocuments ? ' funds documents' : ` ${resource.name}`;
      return [path, `${path} list`].map((each): [string, readonly string[]] => [each, words]);
    }),
  );
  await context.stdout.write(makeScript(completionTree(program, { ofArguments, ofColumns })));
}

/** The columns that records of the resource may have, and the names of roles that stand for some of them. */
function usualColumns({ columns }: Resource): readonly string[] {
  return [...new Set(columns.flatMap(([name, , role]) => (role === undefined ? [name] : [name, role])))];
}

async function loadScript(shell: Shell): Promise<(nodes: readonly CompletionNode[]) => string> {
  if (shell === 'bash') return (await import('../completion/bash.ts')).bashScript;
  if (shell === 'zsh') return (await import('../completion/zsh.ts')).zshScript;
  return (await import('../completion/fish.ts')).fishScript;
}

/**
 * Prints the names of profiles, one a line, for a shell that completes one. Prints nothing where the store is broken: other
 * commands report that. Leaves out names that no profile can have, because shells expand what they are offered.
 */
async function printProfiles(context: Context): Promise<void> {
  try {
    const { profileNames } = await context.config();
    const names = profileNames.filter(isName);
    if (names.length > 0) await context.stdout.write(`${names.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof FolioError)) throw error;
  }
}

function isName(name: string): boolean {
  try {
    return parseProfileName(name, 'profile') === name;
  } catch {
    return false;
  }
}
