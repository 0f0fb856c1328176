import { Command, CommanderError } from 'commander';
import type { Secrets } from '../api/redact.ts';
import type { Context, OutputStream } from '../context.ts';
import { FolioError, Interrupted } from '../errors.ts';
import { shownLine, streamWith, visible } from '../output/terminal/terminal-text.ts';
import { listings } from '../resources/listings.ts';
import { globalFlags } from '../run/flags.ts';
import { version } from '../version.ts';
import {
  addCommand,
  addFlags,
  commandOf,
  describeCommand,
  type CommandGroup,
  type Declaration,
  type ProgramFor,
} from './command.ts';
import { downloadCommand } from './commands/download.ts';
import { customerItems, fundItems } from './commands/items.ts';
import { listingCommand } from './commands/listing.ts';
import { exitCodeOf, isReaderGone } from './exit-codes.ts';
import { firstScreen, helpCommand, helpSettings, helpWidth } from './help.ts';

const ABOUT =
  'The invoices of an organization and what goes with them: every record once, every amount as sent, or it says what is missing.';

const EXAMPLES = [
  ['folio --sandbox issued', 'try it: made-up data, no token, no set-up'],
  ['folio auth login', 'store the token of your organization'],
  ['folio issued --open -o open.xlsx', 'what is to be paid, for a spreadsheet'],
  ['folio issued --period last-month --sum total', 'what was invoiced last month'],
  ['folio doctor', 'whether all is set up, and what to fix'],
] as const;

/** The commands under those of some listings. */
const UNDER: Readonly<Record<string, CommandGroup>> = {
  issued: { download: downloadCommand },
  customers: customerItems,
  funds: fundItems,
};

/** What loads the declaration of each command but those of listings. What the command runs is loaded later still. */
const LOAD = {
  aging: async () => (await import('./commands/aging.ts')).agingCommand,
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  statement: async () => (await import('./commands/statement.ts')).statementCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  get: async () => (await import('./commands/get.ts')).getCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  sync: async () => (await import('./commands/sync.ts')).syncCommand,
  auth: async () => (await import('./commands/auth.ts')).authCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  help: async () => helpCommand,
  // Many users look for it here.
  login: async () => (await import('./commands/auth.ts')).loginCommand,
  __complete: async () => (await import('./commands/completion.ts')).completeCommand,
  __man: async () => (await import('./man-page.ts')).manCommand,
};

type CommandRow = readonly [syntax: string, load: () => Promise<Declaration>, summary?: string];

/** Every command as lists show it, in the order of the help. Those without a summary are in no list. */
const COMMANDS: readonly CommandRow[] = [
  ...listings.map((listing): CommandRow => {
    const { name, records } = listing;
    const more = name === 'issued' ? '; unpaid with --open, late with --overdue' : '';
    return [name, async () => listingCommand(listing, UNDER[name]), records + more];
  }),
  ['aging', LOAD.aging, 'open amounts by how long they are overdue'],
  ['reconcile <list...>', LOAD.reconcile, 'your list beside the service’s: what is missing, what differs'],
  ['report', LOAD.report, 'how you stand, on one page'],
  ['statement', LOAD.statement, 'a statement of account for one customer'],
  ['mcp', LOAD.mcp, 'a server for assistants (Model Context Protocol)'],
  ['get <path>', LOAD.get, 'any address of the service'],
  ['verify [files...]', LOAD.verify, 'whether a file is still what was delivered'],
  ['sync [database] [resources...]', LOAD.sync, 'keep a SQLite or PostgreSQL database equal to the service'],
  ['auth', LOAD.auth, 'log in, and see who is logged in'],
  ['config', LOAD.config, 'defaults for flags'],
  ['sandbox', LOAD.sandbox, 'a made-up service on this machine'],
  ['doctor', LOAD.doctor, 'whether all is set up, and what to fix'],
  ['completion <shell>', LOAD.completion, 'completion for a shell'],
  ['help [words...]', LOAD.help, 'help on a command or a topic'],
  ['login', LOAD.login],
  ['__complete', LOAD.__complete],
  ['__man', LOAD.__man],
];

/** The program with the command of the line declared completely, and the others only by name, so that it starts fast. */
export const programFor: ProgramFor = async (context, argv, writeOut = () => {}) => {
  const program = emptyProgram(context, writeOut);
  const valued = program.options.flatMap(({ long, required }) => (required ? (long ?? []) : []));
  const words = argv.filter((word, at) => !word.startsWith('-') && !valued.includes(argv[at - 1] ?? ''));
  const [first, second] = words;
  for (const [syntax, load, summary] of COMMANDS) {
    const [name = ''] = syntax.split(' ', 1);
    const hidden = summary === undefined;
    // The manual is of all commands.
    if (first === '__man' || first === name || (first === 'help' && second === name)) {
      const declaration = await load();
      addCommand(program, { ...context, program, programFor }, { name, declaration, hidden });
    } else program.command(syntax, { hidden });
    if (summary !== undefined) program.commands.at(-1)!.summary(summary);
  }
  return program;
};

/** The program with every command declared as a whole, as the manual has it. */
export const wholeProgram = (context: Context): Promise<Command> => programFor(context, ['__man']);

function emptyProgram(context: Context, writeOut: (text: string) => void): Command {
  const program = new Command('folio');
  describeCommand(program, { description: ABOUT, examples: EXAMPLES })
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print what a command does and what it takes')
    .configureOutput({
      writeOut,
      // Errors are thrown, and `runCommandLine` prints them. The help of a command that only groups others is not an error.
      writeErr: (text) => (text.startsWith('Usage:') ? writeOut(text) : undefined),
      // Help has no colours. To check whether a stream shows them, Node would have to open the stream.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => helpWidth(context.stdout),
    })
    .configureHelp(helpSettings)
    .action(() => writeOut(firstScreen(program, context.stdout)))
    .showSuggestionAfterError(false)
    .helpCommand(false);
  addFlags(program, globalFlags);
  return program;
}

/** A stream for messages: it removes secrets from each text, not one split over two writes; folio writes a line at a time. */
function redactedStream(stream: OutputStream, secrets: Secrets): OutputStream {
  return streamWith(stream, (bytes) => stream.write(secrets.redact(Buffer.from(bytes as string).toString())));
}

/** Runs one command line. Returns the exit code; never rejects. */
export async function runCommandLine(outer: Context): Promise<number> {
  const context = { ...outer, stderr: redactedStream(outer.stderr, outer.secrets) };
  let answer = '';
  try {
    const program = await programFor(context, context.argv, (text) => void (answer += text));
    await program.parseAsync(context.argv, { from: 'user' }).catch(ignoreHelp);
    // Written at once: for a small text the runtime needs no stream, which takes 4 ms to make.
    if (answer !== '') await context.stdout.write(answer);
    return 0;
  } catch (thrown) {
    const error = await asFolioError(thrown, context);
    const text = errorText(error, context.stderr, context.argv.includes('--debug'));
    if (!isReaderGone(error)) await context.stderr.write(text).catch(() => {});
    return exitCodeOf(error);
  }
}

/** The error as one of folio's; bugs as they are. */
async function asFolioError(thrown: unknown, context: Context): Promise<unknown> {
  if (!(thrown instanceof CommanderError)) return thrown;
  const { explained } = await import('./words.ts');
  return explained(thrown, commandOf(thrown), () => wholeProgram(context));
}

/** Drops the errors that commander throws for help and for the version, which are answers. */
function ignoreHelp(thrown: unknown): void {
  const isAnswer =
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
  if (!isAnswer) throw thrown;
}

/** The message and the hint; `debug` adds the stack and the causes. A bug always shows its stack. */
function errorText(error: unknown, { columns }: OutputStream, debug: boolean): string {
  if (!(error instanceof FolioError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `folio: this is a fault of folio's own, please report it\n${visibleLines(stack)}\n`;
  }
  const [first = '', ...others] = error.lines.map(visible);
  let text = shownLine(`folio: ${first}`, { columns });
  for (const line of others) text += shownLine(line, { columns }, '  ');
  if (error.hint !== undefined) {
    const narrower = columns === undefined ? undefined : columns - 2;
    text += `  ${shownLine(visible(error.hint), { columns: narrower }, '  ')}`;
  }
  if (debug && !(error instanceof Interrupted))
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      text += `${visibleLines(at.stack ?? at.message)}\n`;
  return text;
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
