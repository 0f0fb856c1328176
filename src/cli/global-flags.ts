import { Option, type Command } from 'commander';
import { UsageError } from '../errors.ts';
import { declareLater, declareWhenNamed } from './declare-later.ts';
import { version } from '../version.ts';
import { oneOf } from './parse-values.ts';

/** The flags that every command understands, before or after its name. */
export interface GlobalFlags {
  /** Several of them have commas between, which listings alone take. */
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly sandbox?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly color: boolean;
  /** False with --no-progress; 'plain' for a line now and then instead of a spinner. */
  readonly progress: boolean | 'plain';
}

const GROUP = 'Everywhere:';

/**
 * Declares the global flags on a command and on all those under it, so that they may stand anywhere, while each other
 * flag belongs to the command before it: `funds` and `funds documents` have flags of the same names.
 */
export function addGlobalFlags(command: Command): void {
  command.enablePositionalOptions();
  declareWhenNamed(command);
  if (command.parent === null) return addTo(command);
  command.addHelpText('after', '\nFlags for every command: folio --help');
  declareLater(command, () => addTo(command));
}

function addTo(command: Command): void {
  for (const child of command.commands) addGlobalFlags(child);
  if (command.parent !== null) command.version(version, '--version').options.at(-1)?.hideHelp();
  for (const option of globalOptions()) {
    if (command.options.some(({ long }) => long === option.long)) continue;
    command.addOption(option.hideHelp(option.hidden || command.parent !== null));
  }
}

function globalOptions(): Option[] {
  const options = [
    new Option('--profile <name>', 'the organization to ask for, by the name of its profile').argParser(
      withComma,
    ),
    new Option('--base-url <url>', 'the address of the service, with or without /v1'),
    new Option('--token-file <file>', 'read the token from a file; - is standard input'),
    new Option('--sandbox', 'ask an embedded service with made-up data: no token, no set-up'),
    new Option('-q, --quiet', 'no progress and no warnings'),
    new Option('-v, --verbose', 'say what is done, on standard error'),
    new Option('--debug', 'every request on standard error, and the stack of an error; never the token'),
    new Option('--no-color', 'no colours'),
    new Option('--no-progress', 'no progress on standard error'),
    new Option('--progress <how>', 'plain: a line every 10 s, for logs').argParser(
      oneOf('--progress', ['plain']),
    ),
  ];
  const token = new Option('--token <token>').hideHelp().argParser(refuseToken);
  return [...options.map((option) => option.helpGroup(GROUP)), token];
}

/** A flag that is repeated says the same as one with commas. */
function withComma(value: string, before?: string): string {
  return before === undefined ? value : `${before},${value}`;
}

/** Never shows what was given. */
function refuseToken(): never {
  throw new UsageError(
    'there is no --token flag: a token on a command line is in the process list and the history',
    {
      hint: 'set FOLIO_TOKEN, pass --token-file <file>, or store it once with `folio auth login`',
    },
  );
}
