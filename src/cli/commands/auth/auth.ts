import type { Command } from 'commander';
import type { Context } from '../../../context.ts';
import { addCommand, addGroup } from '../../command.ts';
import { flagGroup, no, wordList, yes } from '../../flag-group.ts';
import { factFlags } from '../../flags.ts';
import type { LoginOptions, VerifyConnection } from './login.ts';
import type { StatusOptions } from './profiles.ts';

/** Loaded when one of its commands runs. */
const profiles = () => import('./profiles.ts');

const loginFlags = flagGroup<LoginOptions>(undefined, {
  tokenCommand: wordList(
    '--token-command <argument...>',
    'a program that prints the token, and its arguments, with whole paths; where they begin with a dash, as one JSON list',
  ),
  verify: no('--no-verify', 'store the token untried'),
  replace: yes('--replace', 'store it also over the token of another organization'),
});

const statusFlags = flagGroup<StatusOptions>(undefined, {
  check: yes('--check', 'also make one request'),
  allProfiles: yes('--all-profiles', 'a row for each profile'),
});

/** Declares `folio auth` and its commands. */
export function addAuth(program: Command, context: Context, verify: VerifyConnection): void {
  const auth = addGroup(program, 'auth', {
    description: 'Profiles: one for each organization, with its token.',
  });
  addLogin(auth, context, verify);
  addLogin(program, context, verify);
  addCommand(auth, 'status', {
    summary: 'the address, token and profile that commands use',
    description: 'Says which profile, base address and token commands use, and until when; never the token.',
    flags: { status: statusFlags, facts: factFlags },
    run: async ({ globals, status, facts }) =>
      (await profiles()).runAuthStatus(context, { ...globals, ...status, ...facts }, verify),
  });
  addCommand(auth, 'list', {
    summary: 'the profiles that are stored',
    description: 'The profiles that there are. Nothing is sent and no token command is run.',
    flags: { facts: factFlags },
    run: async ({ globals, facts }) => (await profiles()).runAuthList(context, { ...globals, ...facts }),
  });
  addCommand(auth, 'use', {
    summary: 'make a profile the current one',
    description: 'Makes a profile the current one: that of commands which name none.',
    arguments: [['<name>', 'a profile']],
    run: async ({ globals }, [name]) => (await profiles()).runAuthUse(context, globals, name),
  });
  addCommand(auth, 'logout', {
    summary: 'forget a profile',
    description:
      'Forgets a profile: its token, base address and settings. The service is not asked, and takes the token until its end.',
    arguments: [['[name]', 'a profile (default: the current one)']],
    run: async ({ globals }, [name]) => (await profiles()).runLogout(context, globals, name),
  });
}

/** Declares `login` under a command: under `auth`, and hidden under the program, where many look for it. */
function addLogin(parent: Command, context: Context, verify: VerifyConnection): void {
  addCommand(parent, 'login', {
    hidden: parent.parent === null,
    summary: 'store the token of an organization',
    description:
      'Stores the token of an organization, in a file that only you can read. The token is typed without being shown, or ' +
      'comes from standard input or --token-file. It is tried with one request first, and not stored when it is refused.',
    examples: [
      ['folio auth login', 'asks for the address and the token'],
      ['folio auth login --base-url https://api.example.com/v1', 'asks for the token'],
      ['folio auth login --profile acme --token-file acme.txt', 'a further organization'],
      [
        'folio auth login --token-command op read op://vault/folio/token',
        'stores the command, not the token',
      ],
    ],
    flags: { login: loginFlags },
    run: async ({ globals, login }) => {
      const { runLogin } = await import('./login.ts');
      await runLogin(context, { ...globals, ...login }, verify);
    },
  });
}
