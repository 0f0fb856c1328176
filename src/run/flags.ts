import { existsSync } from 'node:fs';
import { UsageError } from '../errors.ts';
import { FIELD_NAMES } from '../invoices/fields.ts';
import { formats, meantFormat } from '../output/formats.ts';
import { parseSort } from '../query/question-syntax.ts';
import { parseDate } from '../query/where/dates.ts';
import type { Resource } from '../resources/resource.ts';
import { filters, type RecordFilters } from './filters.ts';
import {
  columnList,
  day,
  delimiter,
  flagNamed,
  nameList,
  oneName,
  parameter,
  target,
  timeout,
  type Flags,
  type Rule,
  type Values,
} from './flag.ts';

/*
 * The flags that several commands share. Their values are the members of one object, and each step of a run takes the values that
 * it needs.
 */

/** The flags of every command: the service, the organization, and the messages. */
export const globalFlags = {
  profile: {
    syntax: '--profile <name>',
    about: 'the profile to use: one for each organization',
    parse: (name: string, _: string, before?: string) => (before === undefined ? name : `${before},${name}`),
  },
  baseUrl: { syntax: '--base-url <url>', about: 'the address of the service, with or without /v1' },
  tokenFile: {
    syntax: '--token-file <file>',
    about: 'read the token from a file; - is standard input',
    stdin: '-',
  },
  sandbox: {
    syntax: '--sandbox',
    about: 'use an embedded service with made-up data: no token, no set-up',
    rules: [{ not: ['--base-url', '--token-file'], why: 'the sandbox brings its own address and token' }],
  },
  awkward: {
    syntax: '--awkward',
    about: 'with --sandbox: names and amounts that break careless programs',
    rules: [{ needs: ['--sandbox'], why: 'needs --sandbox' }],
  },
  quiet: { syntax: '-q, --quiet', about: 'no progress and no warnings' },
  verbose: { syntax: '-v, --verbose', about: 'report each step on standard error' },
  debug: {
    syntax: '--debug',
    about: 'every request on standard error, and the stack of an error; never the token',
  },
  color: { syntax: '--no-color', about: 'no colours' },
  progress: { syntax: '--no-progress', about: 'no progress on standard error' },
  progressStyle: {
    syntax: '--progress <how>',
    about: 'plain: a line every 10 s, for logs',
    choices: ['plain'],
  },
} as const satisfies Flags;

/** For a command that asks no service, so that these flags of every command are refused. */
export const noService = {
  baseUrl: undefined,
  tokenFile: undefined,
  sandbox: undefined,
  awkward: undefined,
} as const satisfies Flags;

export type RequestLimits = Readonly<Record<'concurrency' | 'retries' | 'retryDelay' | 'timeout', number>>;

/** The limits of requests, unless a flag or a setting has another value. Times are in ms. */
export const requestDefaults: RequestLimits = {
  concurrency: 4,
  retries: 5,
  retryDelay: 500,
  timeout: 60_000,
};

export const requestFlags = {
  concurrency: {
    syntax: '--concurrency <n>',
    about: `requests in flight (default ${requestDefaults.concurrency})`,
    range: [1, 64],
  },
  retries: {
    syntax: '--retries <n>',
    about: `tries after the first, for each request (default ${requestDefaults.retries})`,
    range: [0, 100],
  },
  retryDelay: {
    syntax: '--retry-delay <ms>',
    about: `first wait before a retry; it doubles, with jitter (default ${requestDefaults.retryDelay})`,
    range: [0, 600_000],
  },
  timeout: {
    syntax: '--timeout <s>',
    about: `seconds that one request may take (default ${requestDefaults.timeout / 1_000})`,
    parse: timeout,
  },
} as const satisfies Flags;

export const outputFlags = {
  format: {
    syntax: '--format <format>',
    daily: true,
    about: `${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    choices: formats,
    hint: meantFormat,
  },
  output: {
    syntax: '-o, --output <file>',
    daily: true,
    about: 'write a file, whole or not at all; - is standard output',
    parse: target,
  },
  columns: {
    syntax: '--columns <names>',
    daily: true,
    about:
      'columns, in order: number,customer.name; Folio=number has its own heading; -name leaves one out, * is all the others',
    parse: columnList,
  },
  listColumns: {
    syntax: '--list-columns',
    about:
      'print the possible column names and exit; sends requests only for totals, results and single records',
    rules: [
      {
        not: [
          '--columns',
          '--format',
          '--delimiter',
          '--excel',
          '--wide',
          '--raw',
          '--output-dir',
          '--receipt',
        ],
        why: 'names of columns come out, one a line',
      },
    ],
  },
  delimiter: { syntax: '--delimiter <c>', about: 'csv: the character between cells', parse: delimiter },
  header: { syntax: '--no-header', about: 'csv: no line with the names of the columns' },
  excel: {
    syntax: '--excel',
    daily: true,
    about: 'csv for a spreadsheet: byte order mark, CRLF, no text that would run as a formula',
  },
  wide: { syntax: '--wide', about: 'table: every column, however wide' },
  raw: { syntax: '--raw', about: 'table: numbers and dates as they were sent' },
} as const satisfies Flags;

export const receiptFlags = {
  receipt: {
    syntax: '--receipt <file>',
    about:
      'write a receipt: what the run did, as one JSON object; beside: <output>.receipt.json. See folio verify',
    parse: target,
  },
} as const satisfies Flags;

export const allProfilesFlag = {
  syntax: '--all-profiles',
  about: 'read every profile; --profile a,b for some',
  rules: [{ not: ['--profile'] }],
} as const;

/** The rules of a flag for a folder that gets a file for each profile. */
export const OUTPUT_DIR_RULES = [
  {
    needs: ['several profiles', '--profile'],
    why: 'needs several profiles',
    hint: 'Name them with --profile a,b, or add --all-profiles.',
  },
  { not: ['--output'], why: 'it writes a file for each profile' },
] as const satisfies readonly Rule[];

export const profilesFlags = {
  allProfiles: { ...allProfilesFlag, about: `${allProfilesFlag.about}. _profile is the first column` },
  outputDir: {
    syntax: '--output-dir <dir>',
    about:
      'with several profiles: a file for each, <profile>.<listing>.<ending>; with --receipt beside a receipt of each, too',
    rules: [
      ...OUTPUT_DIR_RULES,
      {
        not: ['--changes-since'],
        why: 'the earlier export has all profiles',
        hint: 'Write the changes of all into one file with -o.',
      },
    ],
  },
} as const satisfies Flags;

export const paramFlag = {
  syntax: '--param <name=value>',
  narrows: true,
  about: 'any other parameter of the service, sent as it is',
  parse: parameter,
} as const;

/** Which records the service chooses, as far as the resource allows. */
export function filterFlags({ fiscalIds, sortBy, sortDirections, defaultOrder }: Resource) {
  return {
    fiscalIds:
      fiscalIds &&
      ({
        syntax: `--${fiscalIds.flag} <id...>`,
        daily: true,
        narrows: true,
        stdin: '@-',
        about: `only of this ${fiscalIds.whose}; several, with commas, @file or @- (one ID a line)`,
      } as const),
    strict:
      fiscalIds &&
      ({
        syntax: '--strict',
        about: 'unknown fiscal IDs are a failure (exit 6), not a warning',
      } as const),
    sortBy:
      sortBy &&
      ({
        syntax: '--sort-by <key>',
        about: `${sortBy.known.join(', ')}, or another key of the service (default: ${defaultOrder})`,
        choices: sortBy.known,
        // Another key is sent as it is typed.
        parse: (key: string) => key,
      } as const),
    sortOrder:
      sortDirections &&
      ({
        syntax: '--sort-order <direction>',
        about: 'asc or desc',
        choices: ['asc', 'desc'],
      } as const),
    param: paramFlag,
  } as const satisfies Flags;
}

const UNLESS_GROUPED = {
  unless: ['--group-by'],
  hint: 'Leave --limit out; with --group-by it limits the groups.',
};

export function extentFlags({ paging }: Resource) {
  const { firstPage, maxSize } = paging.kind === 'numbered' ? paging : {};
  const most = maxSize === undefined ? '' : `, at most ${maxSize}`;
  return {
    limit: {
      syntax: '--limit <n>',
      daily: true,
      narrows: true,
      about: 'at most n records; from several profiles n in total, with --output-dir n of each',
      range: [1],
      rules: [
        { not: ['--sum'], why: '--sum always covers every matching record', ...UNLESS_GROUPED },
        { not: ['--count'], why: '--count always covers every matching record', ...UNLESS_GROUPED },
      ],
    },
    all: {
      syntax: '--all',
      daily: true,
      about: 'everything, also where a table would stop at 50',
      rules: [{ not: ['--limit', '--page'] }],
    },
    page:
      firstPage === undefined
        ? undefined
        : ({
            syntax: '--page <n>',
            narrows: true,
            about: `just this page, numbered from ${firstPage}`,
            range: [firstPage, 1_000_000_000],
          } as const),
    nextToken: paging.kind === 'cursor' ? nextTokenFlag : undefined,
    pageSize: {
      syntax: '--page-size <n>',
      about: `records per request${most}${paging.kind === 'numbered' ? '; a few less where pages overlap' : ''}`,
      range: [1, maxSize ?? 1_000_000],
    },
  } as const satisfies Flags;
}

const nextTokenFlag = {
  syntax: '--next-token <cursor>',
  narrows: true,
  about: 'begin at this cursor of an earlier page',
  rules: [
    {
      not: ['several profiles', '--output-dir'],
      why: 'it is a place in the listing of one organization',
      hint: 'Leave it out, or name one profile.',
    },
  ],
} as const;

export const READS_A_FILE: Rule = {
  not: [
    ...Object.keys(requestFlags).map(flagNamed),
    ...['--sandbox', '--base-url', '--token-file', '--page', '--next-token', '--page-size', '--param'],
  ],
  why: 'a file is read instead of the service',
};

export const fromFlags = {
  from: {
    syntax: '--from <file>',
    daily: true,
    about:
      'read a database of folio sync or an export; exports in jsonl or json, - is standard input; sends nothing, needs no token',
    rules: [READS_A_FILE],
    parse: fileToRead,
    stdin: '-',
  },
} as const satisfies Flags;

function fileToRead(file: string, _: string, before?: string): string {
  if (before !== undefined)
    throw new UsageError(`--from ${file}: only one file is read, and --from ${before} names it`, {
      hint: 'Join them, as in cat one.jsonl two.jsonl > both.jsonl, or bring the records together with folio sync <database>.',
    });
  if (parseDate(file, () => 0) === undefined || existsSync(file)) return file;
  throw new UsageError(`--from ${file}: it names a file to read, and there is no such file`, {
    hint: `For records from that day on, write --since ${file}.`,
  });
}

export const asOfFlag = {
  syntax: '--as-of <date>',
  daily: true,
  about:
    'the day to count to, such as 2026-10-31 (default: the day of the records); later payments are not undone',
  parse: day,
} as const;

export const fieldFlag = {
  syntax: '--field <name=column>',
  about: `the column of ${FIELD_NAMES.join(', ')}; for good: folio config set fields.<name>`,
  parse: parameter,
} as const;

export const sortFlag = { syntax: '--sort <columns>', daily: true, parse: parseSort } as const;

/** The questions that folio answers from the records, besides the filters of `filters.ts`. */
export const questionFlags = {
  field: {
    ...fieldFlag,
    rules: [
      {
        needs: [...Object.keys(filters), 'sum', 'groupBy', 'sort', 'columns', 'from'].map(flagNamed),
        why: 'names a column that no question uses',
        hint: 'Leave --field out, or ask with --overdue, --since <date>, --until <date> or --sum <column>.',
      },
    ],
  },
  expand: {
    syntax: '--expand <column>',
    about: 'a row for each object of a list: with payments, payments.amount is a column',
    rules: [{ not: ['--changes-since'], why: 'changes are of whole records' }],
    parse: oneName,
  },
  count: {
    syntax: '--count',
    daily: true,
    about: 'the number of records; with --group-by for each value of a column',
    rules: [
      {
        not: ['--sum'],
        why: 'the result of --sum has the number of records too',
        hint: 'Leave --count out.',
      },
    ],
  },
  sum: {
    syntax: '--sum <columns>',
    daily: true,
    about: 'the exact total of a column for each currency, less credit notes',
    parse: nameList,
  },
  asSent: {
    syntax: '--as-sent',
    about: 'with --sum: add cells as they stand, credit notes and cancelled documents too',
    rules: [{ needs: ['--sum'], why: 'needs --sum: records are always written as sent' }],
  },
  groupBy: {
    syntax: '--group-by <columns>',
    daily: true,
    about:
      'totals for each value of a column, or by date:month; also :day, :quarter, :year; without --sum, the number of records',
    parse: nameList,
  },
  sort: {
    ...sortFlag,
    about: 'sort the output: dueBy,-totalAmount (a minus: descending)',
    rules: [
      {
        not: ['--count'],
        why: 'a count is one number',
        unless: ['--group-by'],
        hint: 'Leave --sort out; with --group-by it is the order of the groups.',
      },
      {
        not: ['--sort-order'],
        why: '--sort-order is for --sort-by',
        unless: ['--sort-by'],
        hint: 'Put a minus before a column that is to descend, as in --sort -totalAmount.',
      },
    ],
  },
  changesSince: {
    syntax: '--changes-since <file>',
    about:
      'what is added, changed and gone since an export in jsonl or json; --where keeps a record that matched then or matches now',
    rules: [
      {
        not: ['--sum', '--count', '--group-by'],
        hint: 'Write the changes to a file, or sum the listing itself.',
      },
      { not: ['--page', '--next-token'], why: 'what is not on one page would look as if it were gone' },
    ],
  },
} as const satisfies Flags;

export const langFlag = {
  syntax: '--lang <language>',
  daily: true,
  about: 'en or es (default: by the locale)',
  choices: ['en', 'es'],
} as const;

/** The flag `--format` of commands that print facts instead of records. */
export const factFlags = {
  format: { syntax: '--format <format>', about: 'table or json (default table)', choices: ['table', 'json'] },
} as const satisfies Flags;

export type GlobalFlags = Values<typeof globalFlags>;
export type RequestFlags = Values<typeof requestFlags>;
export type OutputFlags = Values<typeof outputFlags>;
export type ReceiptFlags = Values<typeof receiptFlags>;
export type ProfilesFlags = Values<typeof profilesFlags>;
export type FilterFlags = Values<ReturnType<typeof filterFlags>>;
export type ExtentFlags = Values<ReturnType<typeof extentFlags>>;
export type QuestionFlags = Values<typeof questionFlags> & RecordFilters;

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
