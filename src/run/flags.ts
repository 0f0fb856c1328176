import { existsSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import { FIELD_NAMES } from '../invoices/fields.ts';
import { formats } from '../output/formats.ts';
import { parseCondition, parseSort, type Condition } from '../query/question-syntax.ts';
import {
  DATE_FLAGS,
  DOCUMENT_FLAGS,
  parseDate,
  parseDateRange,
  type DateFlag,
  type DateRange,
} from '../query/where/dates.ts';
import type { Resource } from '../resources/resource.ts';
import {
  needs,
  negatedFlag,
  excludes,
  text,
  valued,
  wordList,
  bareFlag,
  type Flag,
  type Rule,
  type Values,
  columnList,
  day,
  delimiter,
  flagNamed,
  nameList,
  oneName,
  oneOf,
  parameter,
  requestDefaults as usual,
  requestParsers as parsers,
  target,
  textLike,
  wholeNumber,
} from './flag.ts';

/*
 * The flags that several commands have, each with all that belongs to it. The values come as one object, from which each step of a
 * run takes those that it needs.
 */

/** The flags of every command: the service, the organization, and the messages. */
export const globalFlags = {
  profile: valued(
    '--profile <name>',
    'the organization to ask for, by the name of its profile',
    () => appendName,
  ),
  baseUrl: text('--base-url <url>', 'the address of the service, with or without /v1'),
  tokenFile: text('--token-file <file>', 'read the token from a file; - is standard input'),
  sandbox: bareFlag(
    '--sandbox',
    'ask an embedded service with made-up data: no token, no set-up',
    excludes(['--base-url', '--token-file'], 'the sandbox brings its own address and token'),
  ),
  awkward: bareFlag(
    '--awkward',
    'with --sandbox: names and amounts that break careless programs',
    needs(['--sandbox'], 'is about the data of --sandbox, which is not given'),
  ),
  quiet: bareFlag('-q, --quiet', 'no progress and no warnings'),
  verbose: bareFlag('-v, --verbose', 'say what is done, on standard error'),
  debug: bareFlag('--debug', 'every request on standard error, and the stack of an error; never the token'),
  color: negatedFlag('--no-color', 'no colours'),
  progress: negatedFlag('--no-progress', 'no progress on standard error'),
  progressStyle: valued('--progress <how>', 'plain: a line every 10 s, for logs', oneOf(['plain'])),
};

function appendName(name: string, before?: string): string {
  return before === undefined ? name : `${before},${name}`;
}

export const requestFlags = {
  concurrency: valued(
    '--concurrency <n>',
    `requests in flight (default ${usual.concurrency})`,
    parsers.concurrency,
  ),
  retries: valued(
    '--retries <n>',
    `tries after the first, for each request (default ${usual.retries})`,
    parsers.retries,
  ),
  retryDelay: valued(
    '--retry-delay <ms>',
    `first wait before a retry; it doubles, with jitter (default ${usual.retryDelay})`,
    parsers.retryDelay,
  ),
  timeout: valued(
    '--timeout <s>',
    `seconds that one request may take (default ${usual.timeout / 1_000})`,
    parsers.timeout,
  ),
};

export const outputFlags = {
  format: valued(
    '--format <format>',
    `${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    oneOf(formats),
  ),
  output: valued('-o, --output <file>', 'write a file, whole or not at all; - is standard output', target),
  columns: valued(
    '--columns <names>',
    'which fields, in which order: number,customer.name; Folio=number is one under a heading of its own; -name leaves one out, * is all the others',
    columnList,
  ),
  listColumns: bareFlag(
    '--list-columns',
    'print the columns that there can be instead of the records; no request is sent',
    excludes(
      [...['--columns', '--format', '--delimiter', '--excel', '--wide', '--raw'], '--output-dir'],
      'names of columns come out, one a line',
    ),
  ),
  delimiter: valued('--delimiter <c>', 'csv: the character between cells', delimiter),
  header: negatedFlag('--no-header', 'csv: no line with the names of the columns'),
  excel: bareFlag(
    '--excel',
    'csv for a spreadsheet: byte order mark, CRLF, no text that would run as a formula',
  ),
  wide: bareFlag('--wide', 'table: every column, however wide'),
  raw: bareFlag('--raw', 'table: numbers and dates as they were sent'),
};

export const receiptFlags = {
  receipt: valued(
    '--receipt <file>',
    'write a receipt: what the run did, as one JSON object; beside: <output>.receipt.json, also with --output-dir. See folio verify',
    target,
  ),
};

export function allProfilesFlag(about = 'of every profile; --profile a,b for some') {
  return bareFlag('--all-profiles', about, excludes(['--profile']));
}

export function outputDirFlag(about: string, ...rules: readonly Rule[]) {
  const hint = 'Name them with --profile a,b, or say --all-profiles.';
  const several = needs(['several profiles', '--profile'], 'needs several profiles', hint);
  const alone = excludes(['--output'], 'it writes a file for each profile');
  return text('--output-dir <dir>', about, several, alone, ...rules);
}

export const profilesFlags = {
  allProfiles: allProfilesFlag('of every profile; --profile a,b for some. _profile is the first column'),
  outputDir: outputDirFlag(
    'with several profiles: a file for each, <profile>.<listing>.<ending>',
    excludes(['--changes-since'], 'one export was of all', {
      hint: 'Write the changes of all into one file with -o.',
    }),
  ),
};

export function paramFlag(about = 'any other parameter of the service, sent as it is') {
  return valued('--param <name=value>', about, parameter);
}

/** Which records the service chooses, as far as the resource allows. */
export function filterFlags({ fiscalIds, sortBy, sortDirections, defaultOrder }: Resource) {
  return {
    fiscalIds:
      fiscalIds &&
      wordList(
        `--${fiscalIds.flag} <id...>`,
        `only of this ${fiscalIds.whose}; several, with commas, @file or @- (one ID a line)`,
      ),
    strict: fiscalIds && bareFlag('--strict', 'unknown fiscal IDs are a failure (exit 6), not a warning'),
    sortBy:
      sortBy &&
      valued(
        '--sort-by <key>',
        `${sortBy.known.join(', ')}, or another key of the service (default: ${defaultOrder})`,
        textLike(sortBy.known),
      ),
    sortOrder: sortDirections && valued('--sort-order <direction>', 'asc or desc', oneOf(['asc', 'desc'])),
    param: paramFlag(),
  };
}

const UNLESS_GROUPED = {
  unless: ['--group-by'],
  hint: 'Leave --limit out; with --group-by it is how many groups to show.',
};

export function extentFlags({ paging }: Resource) {
  const { firstPage, maxSize } = paging.kind === 'numbered' ? paging : {};
  const most = maxSize === undefined ? '' : `, at most ${maxSize}`;
  return {
    limit: valued(
      '--limit <n>',
      'at most so many records, also of several profiles together',
      wholeNumber(1),
      excludes(['--sum'], 'a sum is of all records for which --where holds', UNLESS_GROUPED),
      excludes(['--count'], 'a count is of all records for which --where holds', UNLESS_GROUPED),
    ),
    all: bareFlag(
      '--all',
      'everything, also where a table would stop at 50',
      excludes(['--limit', '--page']),
    ),
    page: firstPage === undefined ? undefined : pageFlag(firstPage),
    nextToken: paging.kind === 'cursor' ? nextTokenFlag : undefined,
    pageSize: valued(
      '--page-size <n>',
      `records a request${most}; folio may take a few less than these, so that pages overlap`,
      wholeNumber(1, maxSize ?? 1_000_000),
    ),
  };
}

function pageFlag(first: number) {
  const about = `just this page, numbered from ${first}`;
  return valued('--page <n>', about, wholeNumber(first, 1_000_000_000));
}

const nextTokenFlag = text(
  '--next-token <cursor>',
  'begin at this cursor of an earlier page',
  excludes(['several profiles', '--output-dir'], 'it is a place in the listing of one organization', {
    hint: 'Leave it out, or name one profile.',
  }),
);

export const READS_A_FILE: Rule = excludes(
  [
    ...Object.keys(requestFlags).map(flagNamed),
    ...['--sandbox', '--base-url', '--token-file', '--page', '--next-token', '--page-size', '--param'],
  ],
  'a file is read, and no service',
);

export const fromFlags = {
  from: valued(
    '--from <file>',
    'read a database of folio sync or an export; in jsonl or json, or - for standard input: nothing is sent, no token is needed',
    () => fileToRead,
    READS_A_FILE,
  ),
};

function fileToRead(file: string, before?: string): string {
  if (before !== undefined)
    throw new UsageError(`--from ${file}: one file is read, and --from ${before} names it`, {
      hint: 'Join them, as in cat one.jsonl two.jsonl > both.jsonl, or bring the records together with folio sync <database>.',
    });
  if (parseDate(file, () => 0) === undefined || existsSync(file)) return file;
  throw new UsageError(`--from ${file}: it names a file to read, and there is none of this name`, {
    hint: `From that day on is --since ${file}.`,
  });
}

export const asOfFlag = valued(
  '--as-of <date>',
  'the day to count to, such as 2026-10-31 (default: the day of the records); later payments are not undone',
  day,
);

/** The questions that folio answers from the records. */
export const questionFlags = {
  where: valued(
    '--where <condition>',
    'only records for which this holds: status=PAID; also status=OVERDUE,PENDING "dueBy<today" "totalAmount>=1000" customer.name~roble; repeated, all must',
    () => withCondition,
  ),
  open: bareFlag('--open', 'only what is still to be paid: no credits, and nothing that was cancelled'),
  overdue: bareFlag('--overdue', 'of that, only what was due before today, whatever its status'),
  ...dateFlags(),
  field: fieldFlag(
    needs(
      [...DOCUMENT_FLAGS, 'sum', 'groupBy', 'where', 'sort', 'columns', 'from'].map(flagNamed),
      'says what a column means, and no question asks for it',
      'Leave --field out, or ask with --overdue, --since <date>, --until <date> or --sum <column>.',
    ),
  ),
  expand: valued(
    '--expand <column>',
    'a row for each object of a list: with payments, payments.amount is a column',
    oneName,
    excludes(['--changes-since'], 'changes are of whole records'),
  ),
  count: bareFlag(
    '--count',
    'how many records; with --group-by for each value of a column',
    excludes(['--sum'], 'the result of --sum has the number of records too', { hint: 'Leave --count out.' }),
  ),
  sum: valued(
    '--sum <columns>',
    'the exact total of a column, for each currency, credit notes taken away',
    nameList,
  ),
  asSent: bareFlag(
    '--as-sent',
    'with --sum: add cells as they stand, credit notes and cancelled documents too',
    needs(['--sum'], 'goes with --sum: records always leave as they were sent'),
  ),
  groupBy: valued(
    '--group-by <columns>',
    'totals for each value of a column, or by date:month; also :day, :quarter, :year; without --sum, the number of records',
    nameList,
  ),
  sort: sortFlag(
    'order what comes out: dueBy,-totalAmount (a minus: descending)',
    excludes(['--count'], 'a count is one number', {
      unless: ['--group-by'],
      hint: 'Leave --sort out; with --group-by it is the order of the groups.',
    }),
    excludes(['--sort-order'], '--sort-order is for --sort-by', {
      unless: ['--sort-by'],
      hint: 'Put a minus before a column that is to descend, as in --sort -totalAmount.',
    }),
  ),
  changesSince: text(
    '--changes-since <file>',
    'what is added, changed and gone since an export in jsonl or json',
    excludes(['--sum', '--count', '--group-by'], undefined, {
      hint: 'Write the changes to a file, or sum the listing itself.',
    }),
    excludes(['--page', '--next-token'], 'what is not on one page would look as if it were gone'),
  ),
};

function withCondition(text: string, before: readonly Condition[] = []): readonly Condition[] {
  return [...before, parseCondition(text)];
}

function dateFlags() {
  const alone = excludes(['--since', '--until'], 'a period has both its days');
  const flags = DATE_FLAGS.map((one) => {
    const [kind, rules] = one.bound === 'period' ? ['period', [alone]] : ['date', []];
    const parse = (text: string): DateRange => parseDateRange(one, text);
    return [one.name, valued(`${one.flag} <${kind}>`, one.about, () => parse, ...rules)];
  });
  return Object.fromEntries(flags) as { readonly [Name in DateFlag['name']]: Flag<DateRange> };
}

export function fieldFlag(...rules: readonly Rule[]) {
  return valued(
    '--field <name=column>',
    `the column of ${FIELD_NAMES.join(', ')}; for good: folio config set fields.<name>`,
    parameter,
    ...rules,
  );
}

export function sortFlag(about: string, ...rules: readonly Rule[]) {
  return valued('--sort <columns>', about, () => (columns) => parseSort(columns), ...rules);
}

export const langFlag = valued('--lang <language>', 'en or es (default: by the locale)', oneOf(['en', 'es']));

/** The flag `--format` of commands that print facts instead of records. */
export const factFlags = {
  format: valued('--format <format>', 'table or json (default table)', oneOf(['table', 'json'])),
};

export type GlobalFlags = Values<typeof globalFlags>;
export type RequestFlags = Values<typeof requestFlags>;
export type OutputFlags = Values<typeof outputFlags>;
export type ReceiptFlags = Values<typeof receiptFlags>;
export type ProfilesFlags = Values<typeof profilesFlags>;
export type FilterFlags = Values<ReturnType<typeof filterFlags>>;
export type ExtentFlags = Values<ReturnType<typeof extentFlags>>;
export type QuestionFlags = Values<typeof questionFlags>;

/** The flags of commands that export records. Each command has some of them. */
export type ExportFlags = GlobalFlags &
  RequestFlags &
  OutputFlags &
  ReceiptFlags &
  ProfilesFlags &
  FilterFlags &
  ExtentFlags &
  QuestionFlags &
  Values<typeof fromFlags>;
