import { Command, type Argument } from 'commander';
import type { Context } from '../context.ts';
import { customers } from '../resources/customers.ts';
import { funds } from '../resources/funds.ts';
import { listings } from '../resources/index.ts';
import { issued } from '../resources/issued.ts';
import { shownLine } from '../output/terminal/terminal-text.ts';
import { version } from '../version.ts';
import { described, repeatFlagsUnder } from './command.ts';
import { addAging } from './commands/aging.ts';
import { addAuth } from './commands/auth/auth.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addIssuedDownload } from './commands/download.ts';
import { addRawGet } from './commands/get.ts';
import { addCustomerItems, addFundItems } from './commands/items.ts';
import { addListing } from './commands/listing.ts';
import { addMcp } from './commands/mcp.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addReport } from './commands/report.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addStatement } from './commands/statement.ts';
import { addSync } from './commands/sync.ts';
import { addTap } from './commands/tap.ts';
import { addVerify } from './commands/verify.ts';
import { globalFlags, refusedToken } from './flags.ts';
import { ABOUT_TOPICS, addHelp, addSuggestions } from './help.ts';
import { commandAt } from './shortcuts.ts';

const ABOUT =
  "Lists and exports an organization's invoices, customers and prepaid-expense funds: every record once, every amount as " +
  'it was sent, or it says what is missing.';

const EXAMPLES = [
  ['folio --sandbox issued', 'try it: made-up data, no token, no set-up'],
  ['folio auth login', 'store the token of your organization'],
  ['folio issued --limit 20', 'the first twenty issued invoices'],
  ['folio issued --excel -o issued.csv', 'all of them, for a spreadsheet'],
  ['folio doctor', 'whether all is set up, and what to mend'],
] as const;

/** The commands under those of listings. */
const UNDER_LISTINGS = new Map([
  [issued, addIssuedDownload],
  [customers, addCustomerItems],
  [funds, addFundItems],
]);

type Declare = (program: Command, context: Context) => void;

/** What declares each command, in the order of the help. */
const COMMANDS = new Map<string, Declare>([
  ...listings.map((resource): [string, Declare] => [
    resource.name,
    (program, context) => {
      const listing = addListing(program, resource, context);
      UNDER_LISTINGS.get(resource)?.(listing, context);
    },
  ]),
  ['aging', addAging],
  ['reconcile', addReconcile],
  ['report', addReport],
  ['statement', addStatement],
  ['tap', addTap],
  ['mcp', addMcpOverCommands],
  ['get', addRawGet],
  ['verify', addVerify],
  ['sync', addSync],
  ['auth', addAuthWithCheck],
  ['config', addConfig],
  ['sandbox', addSandbox],
  ['doctor', addDoctor],
  ['completion', addCompletion],
  ['help', addHelp],
]);

/** The commands that speak of others, by their names and flags. */
const OF_ALL = new Set(['config', 'completion', 'help']);

/**
 * The command line with every command and its flags; or, where `context.argv` asks for a command that needs no other, with that one
 * alone, since each start pays for what is declared. What a command runs is loaded when it is run.
 *
 * @param writeOut takes help and the version, which are data; without it they are dropped
 */
export function buildProgram(context: Context, writeOut: (text: string) => void = () => {}): Command {
  const program = emptyProgram(context, writeOut);
  const asked = context.argv[commandAt(context.argv, program)] ?? '';
  const declare = OF_ALL.has(asked) ? undefined : COMMANDS.get(asked);
  if (declare === undefined) for (const each of COMMANDS.values()) each(program, context);
  else declare(program, context);
  addSuggestions(program);
  return program;
}

function addMcpOverCommands(program: Command, context: Context): void {
  addMcp(program, context, async (asking) => {
    await buildProgram(asking).parseAsync([...asking.argv], { from: 'user' });
  });
}

function addAuthWithCheck(program: Command, context: Context): void {
  addAuth(program, context, async (connection) => {
    const { verifyConnection } = await import('../run/session.ts');
    await verifyConnection(context, connection);
  });
}

/** The program with its flags and no command. */
export function emptyProgram(context: Context, writeOut: (text: string) => void): Command {
  const program = new Command('folio');
  program
    .description(described({ description: ABOUT, examples: EXAMPLES }))
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print what a command does and what it takes')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut,
      // Errors are thrown, and `reportError` prints them. The help of a command that only groups others is no error.
      writeErr: (text) => (text.startsWith('Usage:') ? writeOut(text) : undefined),
      // Help has no colours. To learn whether a stream shows them, the runtime would have to make the stream.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => helpWidth(context),
    })
    // The list of commands does not add [options] to each: every command takes flags.
    .configureHelp({
      // On a narrower terminal, lines would break within words.
      minWidthToWrap: 16,
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
    })
    .showSuggestionAfterError(false)
    .addHelpText('after', () => `\n${shownLine(ABOUT_TOPICS, context.stdout)}`.trimEnd());
  for (const option of [...globalFlags.options, refusedToken]) program.addOption(option);
  return repeatFlagsUnder(program);
}

/** Display cells across that help takes. */
function helpWidth({ stdout }: Context): number {
  return Math.min(stdout.columns ?? 100, 110);
}

function termOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}
