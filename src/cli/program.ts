import { Command } from 'commander';
import type { Context } from '../context.ts';
import { listings } from '../resources/index.ts';
import type { Resource } from '../resources/resource.ts';
import { shownLine } from '../output/terminal/terminal-text.ts';
import { version } from '../version.ts';
import { described, globalOptions, repeatFlagsUnder, termOf } from './command.ts';
import { ABOUT_TOPICS, addHelp, addSuggestions } from './help.ts';

const ABOUT =
  "Lists and exports an organization's invoices, customers and prepaid-expense funds: every record once, every amount as " +
  'it was sent, or it says what is missing.';

const EXAMPLES = [
  ['folio --sandbox issued', 'try it: made-up data, no token, no set-up'],
  ['folio auth login', 'store the token of your organization'],
  ['folio issued --limit 20', 'the first twenty issued invoices'],
  ['folio issued --excel -o issued.csv', 'all of them, for a spreadsheet'],
  ['folio doctor', 'whether all is set up, and what to fix'],
] as const;

/** Declares a command with all that is under it. */
type Declare = (program: Command, context: Context) => void;

type CommandRow = readonly [syntax: string, summary: string, load: () => Promise<Declare>];

/**
 * Every command, in the order of the help: how lists of commands show it, and what loads its declaration, which is done only where
 * it is asked for. What it runs is loaded later still.
 */
const ROWS: readonly CommandRow[] = [
  ...listings.map((each): CommandRow => [each.name, each.records, () => loadListing(each)]),
  [
    'aging',
    'open amounts by how long they are overdue',
    async () => (await import('./commands/aging.ts')).addAging,
  ],
  [
    'reconcile <list...>',
    'your list beside the service’s: what is missing, what differs',
    async () => (await import('./commands/reconcile.ts')).addReconcile,
  ],
  ['report', 'how you stand, on one page', async () => (await import('./commands/report.ts')).addReport],
  [
    'statement',
    'what one customer owes, to send to him',
    async () => (await import('./commands/statement.ts')).addStatement,
  ],
  ['mcp', 'a server for assistants (Model Context Protocol)', loadMcp],
  ['get <path>', 'any address of the service', async () => (await import('./commands/get.ts')).addRawGet],
  [
    'verify [files...]',
    'whether a file is still what was delivered',
    async () => (await import('./commands/verify.ts')).addVerify,
  ],
  [
    'sync [database] [resources...]',
    'keep a SQLite or PostgreSQL database equal to the service',
    async () => (await import('./commands/sync.ts')).addSync,
  ],
  ['auth', 'log in, and see who is logged in', loadAuth],
  ['config', 'defaults for flags', async () => (await import('./commands/config.ts')).addConfig],
  [
    'sandbox',
    'a made-up service on this machine',
    async () => (await import('./commands/sandbox.ts')).addSandbox,
  ],
  [
    'doctor',
    'whether all is set up, and what to fix',
    async () => (await import('./commands/doctor.ts')).addDoctor,
  ],
  [
    'completion <shell>',
    'completion for a shell',
    async () => (await import('./commands/completion.ts')).addCompletion,
  ],
  ['help [words...]', 'help on a command or a topic', async () => addHelp],
];

const COMMANDS = new Map(ROWS.map((row) => [row[0].replace(/ .*/, ''), row]));

/** Commands that no list shows, and the one beside which each is declared. */
const HIDDEN = new Map([
  ['login', 'auth'],
  ['__profiles', 'completion'],
  ['__man', 'help'],
]);

/** The commands that speak of others, by their names and flags. */
const OF_ALL = new Set(['completion', 'help']);

/**
 * Declares the commands for a command line: the one that it asks for as a whole, the others by their names alone, since each start
 * pays for what is declared; or all as a whole, where that one speaks of others.
 */
export async function declareCommands(
  program: Command,
  context: Context,
  argv: readonly string[],
): Promise<void> {
  const word = commandOf(argv, program) ?? '';
  const asked = HIDDEN.get(word) ?? word;
  for (const [name, [syntax, summary, load]] of COMMANDS) {
    if (name === asked || OF_ALL.has(asked)) (await load())(program, context);
    else program.command(syntax);
    program.commands.find((command) => command.name() === name)?.summary(summary);
  }
  addSuggestions(program);
}

/** The name of the command: the first word that is neither a flag nor the value of one. */
function commandOf(argv: readonly string[], program: Command): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-')) return word;
    const option = program.options.find(({ long, short }) => word === long || word === short);
    if (option?.required) at++;
  }
  return undefined;
}

/** The program with every command as a whole. */
export async function wholeProgram(context: Context): Promise<Command> {
  const program = emptyProgram(context, () => {});
  await declareCommands(program, context, ['help']);
  return program;
}

async function loadListing(resource: Resource): Promise<Declare> {
  const { addListing } = await import('./commands/listing.ts');
  const addUnder = await loadUnder(resource);
  return (program, context) => {
    const listing = addListing(program, resource, context);
    addUnder?.(listing, context);
  };
}

/** What declares the commands under that of a listing. */
async function loadUnder({ name }: Resource): Promise<Declare | undefined> {
  if (name === 'issued') return (await import('./commands/download.ts')).addIssuedDownload;
  if (name === 'customers') return (await import('./commands/items.ts')).addCustomerItems;
  return name === 'funds' ? (await import('./commands/items.ts')).addFundItems : undefined;
}

async function loadMcp(): Promise<Declare> {
  const { addMcp } = await import('./commands/mcp.ts');
  return (program, context) =>
    addMcp(program, context, async (asking) => {
      const { argv } = asking;
      const other = emptyProgram(asking, () => {});
      await declareCommands(other, asking, argv);
      await other.parseAsync([...argv], { from: 'user' });
    });
}

async function loadAuth(): Promise<Declare> {
  const { addAuth } = await import('./commands/auth/auth.ts');
  return (program, context) =>
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
      subcommandTerm: (command) => termOf(command.name(), command),
    })
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .addHelpText('after', () => `\n${shownLine(ABOUT_TOPICS, context.stdout)}`.trimEnd());
  for (const option of globalOptions) program.addOption(option);
  return repeatFlagsUnder(program);
}

/** Display cells across that help takes. */
function helpWidth({ stdout }: Context): number {
  return Math.min(stdout.columns ?? 100, 110);
}
