import { Option, type Command } from 'commander';
import type { ListEncoding } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import { formats, type Format } from '../output/formats.ts';
import type { Resource } from '../resources/resource.ts';
import { version } from '../version.ts';
import { declareLater, declareWhenNamed } from './declare-later.ts';
import {
  delimiter,
  names,
  oneOf,
  parameter,
  seconds,
  target,
  textLike,
  wholeNumber,
} from './parse-values.ts';
import type { QuestionFlags } from './question-flags.ts';

/**
 * The flags that a command was given: its own, and those of the commands that it is under, such as the global ones. What
 * was said goes before any default, and the command's own before the rest: `funds` and `funds list` have flags of the
 * same names.
 */
export function flagsOf<Flags extends object>(command: Command): Flags {
  const flags: Record<string, unknown> = {};
  const said = new Set<string>();
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries<unknown>(at.opts())) {
      const isSaid = at.getOptionValueSource(name) !== 'default';
      if (name in flags && (said.has(name) || !isSaid)) continue;
      flags[name] = value;
      if (isSaid) said.add(name);
    }
  }
  return flags as Flags;
}

/** How the service is asked. */
export interface RequestFlags {
  readonly concurrency?: number;
  readonly retries?: number;
  /** Milliseconds. */
  readonly retryDelay?: number;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** What holds where a flag is not given. */
export const requestDefaults = { concurrency: 4, retries: 5, retryDelay: 500, timeout: 60_000 } as const;

/** How each value is read, by the name that an error gives it: that of a flag or of a setting. */
export const requestParsers = {
  concurrency: (name: string) => wholeNumber(name, 1, 64),
  retries: (name: string) => wholeNumber(name, 0, 100),
  retryDelay: (name: string) => wholeNumber(name, 0, 600_000),
  timeout: (name: string) => seconds(name, 0.001, 3600),
} as const;

export function addRequestFlags(command: Command): void {
  const { concurrency, retries, retryDelay, timeout } = requestParsers;
  const options = [
    new Option('--concurrency <n>', 'requests in flight (default 4)').argParser(concurrency('--concurrency')),
    new Option('--retries <n>', 'tries after the first, for each request (default 5)').argParser(
      retries('--retries'),
    ),
    new Option(
      '--retry-delay <ms>',
      'first wait before a retry; it doubles, with jitter (default 500)',
    ).argParser(retryDelay('--retry-delay')),
    new Option('--timeout <s>', 'seconds that one request may take (default 60)').argParser(
      timeout('--timeout'),
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup('How to ask:'));
}

/** How the records leave. */
export interface OutputFlags {
  readonly format?: Format;
  readonly output?: string;
  readonly columns?: readonly string[];
  readonly listColumns?: boolean;
  readonly delimiter?: string;
  readonly header: boolean;
  readonly excel?: boolean;
  readonly wide?: boolean;
  readonly raw?: boolean;
}

export function addOutputFlags(command: Command): void {
  const options = [
    new Option(
      '--format <format>',
      `${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    ).argParser(oneOf('--format', formats)),
    new Option('-o, --output <file>', 'write a file, whole or not at all; - is standard output').argParser(
      target('--output'),
    ),
    new Option('--columns <names>', 'which fields, in which order: number,customer.name').argParser(
      names('--columns'),
    ),
    new Option('--list-columns', 'print the names of the columns that there are'),
    new Option('--delimiter <c>', 'csv: the character between cells').argParser(delimiter('--delimiter')),
    new Option('--no-header', 'csv, tsv: no line with the names of the columns'),
    new Option(
      '--excel',
      'csv for a spreadsheet: byte order mark, CRLF, no text that would run as a formula',
    ),
    new Option('--wide', 'table: every column, however wide'),
    new Option('--raw', 'table: numbers as they were sent'),
  ];
  for (const option of options) command.addOption(option.helpGroup('What comes out:'));
}

/** How several organizations are asked at once. */
interface ProfilesFlags {
  readonly allProfiles?: boolean;
  readonly outputDir?: string;
  readonly sheetPerProfile?: boolean;
}

/** Declares the flags of a listing that may ask several organizations. */
export function addProfilesFlags(command: Command): void {
  const options = [
    new Option('--all-profiles', 'of every profile; --profile a,b for some. _profile is the first column'),
    new Option('--output-dir <dir>', 'with several profiles: a file for each, <profile>.<ending>'),
    new Option('--sheet-per-profile', 'xlsx, with several profiles: a sheet for each'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Several organizations:'));
}

export const LIST_ENCODINGS: readonly ListEncoding[] = ['comma', 'repeat', 'brackets'];

/** What the parser hands over for a listing; which of the flags there are depends on the resource. */
export interface ListingFlags extends OutputFlags, RequestFlags, QuestionFlags, ProfilesFlags {
  readonly customerFiscalId?: readonly string[];
  readonly issuerFiscalId?: readonly string[];
  readonly sortBy?: string;
  readonly sortOrder?: 'asc' | 'desc';
  readonly page?: number;
  readonly nextToken?: string;
  readonly pageSize?: number;
  readonly limit?: number;
  readonly all?: boolean;
  readonly param?: readonly (readonly [string, string])[];
  readonly listEncoding?: ListEncoding;
  readonly strict?: boolean;
  readonly report?: string;
  readonly resume?: boolean;
}

/** Declares on `command` the flags that the resource allows. */
export function addListingFlags(command: Command, resource: Resource): void {
  for (const option of [...filterOptions(resource), ...extentOptions(resource)]) {
    command.addOption(option.helpGroup('Which records:'));
  }
  addOutputFlags(command);
  const kept = [
    new Option('--report <file>', 'write what the run did, as one JSON object; see folio verify').argParser(
      target('--report'),
    ),
    new Option(
      '--resume',
      'with -o: go on where a run that was stopped left off, and keep what this one reads',
    ),
  ];
  for (const option of kept) command.addOption(option.helpGroup('What comes out:'));
  addRequestFlags(command);
}

function filterOptions(resource: Resource): Option[] {
  const options: Option[] = [];
  const { fiscalIds, sortBy, sortDirections, defaultOrder } = resource;
  if (fiscalIds !== undefined) {
    const { flag, whose } = fiscalIds;
    options.push(
      new Option(
        `--${flag} <id...>`,
        `only of this ${whose}; several, with commas, @file or @- (one ID a line)`,
      ),
      new Option('--strict', 'unknown fiscal IDs are a failure (exit 6), not a warning'),
      new Option(
        '--list-encoding <how>',
        `how lists are sent: ${LIST_ENCODINGS.join(', ')} (default comma)`,
      ).argParser(oneOf('--list-encoding', LIST_ENCODINGS)),
    );
  }
  if (sortBy !== undefined) {
    const keys = `${sortBy.known.join(', ')}, or another key of the service (default: ${defaultOrder})`;
    options.push(new Option('--sort-by <key>', keys).argParser(textLike(sortBy.known)));
  }
  if (sortDirections !== undefined) {
    const order = new Option('--sort-order <direction>', 'asc or desc');
    options.push(order.argParser(oneOf('--sort-order', ['asc', 'desc'])));
  }
  options.push(
    new Option('--param <name=value>', 'any further parameter of the service, sent as it is').argParser(
      parameter('--param'),
    ),
  );
  return options;
}

function extentOptions({ paging }: Resource): Option[] {
  const most = paging.kind === 'numbered' ? paging.maxSize : undefined;
  const size = new Option(
    '--page-size <n>',
    `records a request${most === undefined ? '' : `, at most ${most}`}; below 10 pages cannot overlap`,
  );
  const page =
    paging.kind === 'numbered'
      ? new Option('--page <n>', `just this page, numbered from ${paging.firstPage}`).argParser(
          wholeNumber('--page', paging.firstPage, 1_000_000_000),
        )
      : new Option('--next-token <cursor>', 'begin at this cursor of an earlier page');
  return [
    new Option('--limit <n>', 'at most so many records').argParser(wholeNumber('--limit', 1)),
    new Option('--all', 'everything, also where a table would stop at 50'),
    page,
    size.argParser(wholeNumber('--page-size', 1, most ?? 1_000_000)),
  ];
}

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

const GLOBAL_FLAGS_TITLE = 'Everywhere:';

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
  return [...options.map((option) => option.helpGroup(GLOBAL_FLAGS_TITLE)), token];
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
      hint: 'Set FOLIO_TOKEN, pass --token-file <file>, or store the token once with `folio auth login`.',
    },
  );
}
