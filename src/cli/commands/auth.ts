import { Option, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { declareLater } from '../declare-later.ts';
import { addExamples } from './listing.ts';
import type { GlobalFlags } from '../flags.ts';
import {
  factFormat,
  type FactFlags,
  type LoginFlags,
  type LogoutFlags,
  type StatusFlags,
  type VerifyConnection,
} from '../profile-flags.ts';
import { flagsOf } from '../flags.ts';

/** Declares `folio auth` and its commands. */
export function addAuth(program: Command, context: Context, verify: VerifyConnection): void {
  const auth = program.command('auth').description('Profiles: one for each organization, with its token.');
  auth.summary('log in, and see who is logged in');
  declareLater(auth, () => addCommands(auth, context, verify));
}

function addCommands(auth: Command, context: Context, verify: VerifyConnection): void {
  addLogin(auth, context, verify);
  addStatus(auth, context, verify);
  auth
    .command('list')
    .description('The profiles that there are. Nothing is sent and no token command is run.')
    .addOption(factFormat())
    .action(async (_flags, command: Command) => {
      const { runAuthList } = await import('./auth-status.ts');
      await runAuthList(context, flagsOf<GlobalFlags & FactFlags>(command));
    });
  auth
    .command('use')
    .argument('<name>', 'a profile')
    .description('Makes a profile the current one: that of commands which name none.')
    .action(async (name: string, _flags, command: Command) => {
      const { runAuthUse } = await import('./auth-status.ts');
      await runAuthUse(context, flagsOf<GlobalFlags>(command), name);
    });
  addLogout(auth, context);
}

function addLogin(auth: Command, context: Context, verify: VerifyConnection): void {
  const login = auth.command('login').summary('store the token of an organization');
  login.description(
    'Stores the token of an organization, in a file that only you can read. The token is typed without being shown, or ' +
      'comes from standard input or --token-file. It is tried with one request first, and not stored when it is refused.',
  );
  addExamples(login, [
    ['folio auth login --base-url https://api.example.com/v1', 'asks for the token'],
    ['folio auth login --profile acme --token-file acme.txt', 'a further organization'],
    ['folio auth login --token-command op read op://vault/folio/token', 'stores the command, not the token'],
  ]);
  login
    .addOption(
      new Option(
        '--token-command <argument...>',
        'a program that prints the token, and its arguments; where they begin with a dash, as one JSON list',
      ),
    )
    .option('--no-verify', 'store the token untried')
    .action(async (_flags, command: Command) => {
      const { runLogin } = await import('./auth-login.ts');
      await runLogin(context, flagsOf<LoginFlags>(command), verify);
    });
}

function addStatus(auth: Command, context: Context, verify: VerifyConnection): void {
  auth
    .command('status')
    .summary('whom commands ask, and as whom')
    .description('Says which profile, base address and token commands use, and until when; never the token.')
    .option('--check', 'also make one request')
    .option('--all-profiles', 'a row for each profile')
    .addOption(factFormat())
    .action(async (_flags, command: Command) => {
      const { runAuthStatus } = await import('./auth-status.ts');
      await runAuthStatus(context, flagsOf<StatusFlags>(command), verify);
    });
}

function addLogout(auth: Command, context: Context): void {
  auth
    .command('logout')
    .argument('[name]', 'a profile (default: the current one)')
    .summary('forget the token of a profile')
    .description(
      'Removes the token of a profile; its base address and settings stay. The service is not asked.',
    )
    .option('--remove-profile', 'remove the whole profile')
    .action(async (name: string | undefined, _flags, command: Command) => {
      const { runLogout } = await import('./auth-status.ts');
      await runLogout(context, flagsOf<LogoutFlags>(command), name);
    });
}
