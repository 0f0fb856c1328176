import { Command, type Argument } from 'commander';
import type { Context } from '../context.ts';
import { customers } from '../resources/customers.ts';
import { funds } from '../resources/funds.ts';
import { issued } from '../resources/issued.ts';
import { received } from '../resources/received.ts';
import { version } from '../version.ts';
import { addAging } from './commands/aging.ts';
import { addAuth } from './commands/auth.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addCustomerItems } from './commands/items.ts';
import { declareLater } from './declare-later.ts';
import { addDoctor } from './commands/doctor.ts';
import { addFundItems } from './commands/items.ts';
import { addGlobalFlags } from './flags.ts';
import { addIssuedDownload } from './commands/download.ts';
import { addExamples, addListing } from './commands/listing.ts';
import { ABOUT_TOPICS, addHelp } from './help.ts';
import { addRawGet } from './commands/get.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSuggestions } from './suggestions.ts';
import { addVerify } from './commands/verify.ts';

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

/**
 * The whole command line. Each command declares its flags here and loads what it runs only when it is run.
 *
 * @param writeOut takes help and the version, which are data; without it nobody reads them
 */
export function buildProgram(context: Context, writeOut: (text: string) => void = () => {}): Command {
  const program = new Command('folio');
  program
    .description(ABOUT)
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print what a command does and what it takes')
    .exitOverride()
    .configureOutput({
      writeOut,
      // Errors are thrown, and said by `reportError`; the help of a command that only has others is no error.
      writeErr: (text) => (text.startsWith('Usage:') ? writeOut(text) : undefined),
      // There are none, and to learn that a stream could show them the runtime has to make it.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => Math.min(context.stdout.columns ?? 100, 110),
    })
    // All take flags; and those of a command that is only named are not declared yet.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
    })
    .showSuggestionAfterError(false);
  addExamples(program, EXAMPLES);
  const invoices = addListing(program.command('issued'), issued, context);
  declareLater(invoices, () => addIssuedDownload(invoices, context));
  addListing(program.command('received'), received, context);
  addListingGroup(program.command('customers'), customers, { context, addItems: addCustomerItems });
  addListingGroup(program.command('funds'), funds, { context, addItems: addFundItems });
  addAging(program, context);
  addRawGet(program, context);
  addVerify(program, context);
  addAuth(program, context, async (connection) => {
    const { verifyConnection } = await import('../run/session.ts');
    await verifyConnection(context, connection);
  });
  addConfig(program, context);
  addSandbox(program, context);
  addDoctor(program, context);
  addCompletion(program, context);
  addHelp(program, context);
  program.addHelpText('after', `\n${ABOUT_TOPICS}`);
  addGlobalFlags(program);
  addSuggestions(program);
  return program;
}

function termOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

interface ListingGroup {
  readonly context: Context;
  /** Adds the commands that are about single items. */
  readonly addItems: (group: Command, context: Context) => void;
}

/** A command that lists, with the listing also under the name `list`, and others under it. */
function addListingGroup(
  group: Command,
  resource: typeof customers,
  { context, addItems }: ListingGroup,
): void {
  addListing(group, resource, context);
  declareLater(group, () => {
    addListing(group.command('list'), resource, context);
    addItems(group, context);
  });
}
