import type { Option } from 'commander';
import { UsageError } from '../errors.ts';
import { formats } from '../output/formats.ts';
import type { Resource } from '../resources/resource.ts';
import type { ExtentFlags, FilterFlags } from '../run/sources/listing-source.ts';
import type { OutputFlags } from '../run/output-plan.ts';
import {
  delimiter,
  columnList,
  nameList,
  oneName,
  formatWord,
  oneOf,
  parameter,
  requestParsers,
  target,
  textLike,
  wholeNumber,
  type Offering,
  type RequestFlags,
} from '../run/parse-values.ts';
import type { ProfilesFlags } from '../run/session.ts';
import type { ReceiptFlags } from '../run/receipt.ts';
import type { GlobalFlags } from '../run/run.ts';
import type { FactFlags } from './facts.ts';
import {
  either,
  flagGroup,
  no,
  SharedOption,
  text,
  valued,
  wordList,
  yes,
  type Flag,
  type FlagGroup,
} from './flag-group.ts';
import { FIELD_NAMES } from '../invoices/fields.ts';
import { parseCondition, parseSort, type Condition, type QuestionFlags } from '../query/question-syntax.ts';
import type { ReportLanguage } from '../report/words.ts';
import type { FromFlags } from '../run/sources/export-source.ts';

/** Members of every group of flags of what is written as rows. `planOutput` reads them. */
export const rowOutput = {
  output: valued(
    '-o, --output <file>',
    'write a file, whole or not at all; - is standard output',
    target('--output'),
  ),
  excel: yes('--excel', 'csv for a spreadsheet: byte order mark, CRLF, no text that would run as a formula'),
  wide: yes('--wide', 'table: every column, however wide'),
};

/** In which format the records are written, and where. `planOutput` in `run/output-plan.ts` reads them. */
export const outputFlags = flagGroup<OutputFlags>('What comes out:', {
  format: valued(
    '--format <format>',
    `${formats.join(', ')} (default: by the ending of --output, else table or csv)`,
    formatWord('--format', formats),
  ),
  output: rowOutput.output,
  columns: valued(
    '--columns <names>',
    'which fields, in which order: number,customer.name; Folio=number is one under a heading of its own; -name leaves one out, * is all the others',
    columnList('--columns'),
  ),
  listColumns: yes(
    '--list-columns',
    'print the columns that there can be instead of the records; no request is sent',
  ),
  delimiter: valued('--delimiter <c>', 'csv: the character between cells', delimiter('--delimiter')),
  header: no('--no-header', 'csv: no line with the names of the columns'),
  excel: rowOutput.excel,
  wide: rowOutput.wide,
  raw: yes('--raw', 'table: numbers and dates as they were sent'),
});

/** The receipt of the run. `Receipt` in `run/receipt.ts` reads them. */
export const receiptFlags = flagGroup<ReceiptFlags>('What comes out:', {
  receipt: valued(
    '--receipt <file>',
    'write a receipt: what the run did, as one JSON object; see folio verify',
    target('--receipt'),
  ),
});

/** How requests are sent. `makeClient` in `run/session.ts` reads them. */
export const requestFlags = flagGroup<RequestFlags>('How to ask:', {
  concurrency: valued(
    '--concurrency <n>',
    'requests in flight (default 4)',
    requestParsers.concurrency('--concurrency'),
  ),
  retries: valued(
    '--retries <n>',
    'tries after the first, for each request (default 5)',
    requestParsers.retries('--retries'),
  ),
  retryDelay: valued(
    '--retry-delay <ms>',
    'first wait before a retry; it doubles, with jitter (default 500)',
    requestParsers.retryDelay('--retry-delay'),
  ),
  timeout: valued(
    '--timeout <s>',
    'seconds that one request may take (default 60)',
    requestParsers.timeout('--timeout'),
  ),
});

/** Which organizations a listing asks, and where their records go. `run/pipeline.ts` and `run/session.ts` read them. */
export const profilesFlags = flagGroup<ProfilesFlags>('Several organizations:', {
  allProfiles: yes(
    '--all-profiles',
    'of every profile; --profile a,b for some. _profile is the first column',
  ),
  outputDir: text(
    '--output-dir <dir>',
    'with several profiles: a file for each, <profile>.<listing>.<ending>',
  ),
});

/** `--param`, repeatable. */
export function paramFlag(
  about = 'any further parameter of the service, sent as it is',
): Flag<readonly (readonly [string, string])[]> {
  return valued('--param <name=value>', about, parameter('--param'));
}

/** Which records the service chooses, as far as the resource allows. `ListingSource` reads them. */
export function filterFlags({
  fiscalIds,
  sortBy,
  sortDirections,
  defaultOrder,
}: Resource): FlagGroup<FilterFlags> {
  return flagGroup<FilterFlags>('Which records:', {
    fiscalIds:
      fiscalIds &&
      wordList(
        `--${fiscalIds.flag} <id...>`,
        `only of this ${fiscalIds.whose}; several, with commas, @file or @- (one ID a line)`,
      ),
    strict: fiscalIds && yes('--strict', 'unknown fiscal IDs are a failure (exit 6), not a warning'),
    sortBy:
      sortBy &&
      valued(
        '--sort-by <key>',
        `${sortBy.known.join(', ')}, or another key of the service (default: ${defaultOrder})`,
        textLike(sortBy.known),
      ),
    sortOrder:
      sortDirections &&
      valued('--sort-order <direction>', 'asc or desc', oneOf('--sort-order', ['asc', 'desc'])),
    param: paramFlag(),
  });
}

/** How much of the listing is read. `ListingSource` reads them. */
export function extentFlags({ paging }: Resource): FlagGroup<ExtentFlags> {
  const most = paging.kind === 'numbered' ? paging.maxSize : undefined;
  return flagGroup<ExtentFlags>('Which records:', {
    limit: valued(
      '--limit <n>',
      'at most so many records, also of several profiles together',
      wholeNumber('--limit', 1),
    ),
    all: yes('--all', 'everything, also where a table would stop at 50'),
    page:
      paging.kind === 'numbered'
        ? valued(
            '--page <n>',
            `just this page, numbered from ${paging.firstPage}`,
            wholeNumber('--page', paging.firstPage, 1_000_000_000),
          )
        : undefined,
    nextToken:
      paging.kind === 'cursor'
        ? text('--next-token <cursor>', 'begin at this cursor of an earlier page')
        : undefined,
    pageSize: valued(
      '--page-size <n>',
      `records a request${most === undefined ? '' : `, at most ${most}`}; from 10 on, pages may have a few less, so that they overlap`,
      wholeNumber('--page-size', 1, most ?? 1_000_000),
    ),
  });
}

/** `--where`, repeatable, for commands that have no other question. */
export const whereFlags = flagGroup<Pick<QuestionFlags, 'where'>>('Questions:', { where: whereFlag() });

/** `--from`: reads the records from a file or a database instead of the service. `run/sources/export-source.ts` reads it. */
export const fromFlags = flagGroup<FromFlags>('Questions:', {
  from: text(
    '--from <file>',
    'read an export in jsonl or json, standard input (-) or a database of folio sync: nothing is sent, no token is needed',
  ),
});

/** The questions that folio itself answers from the records. `openQuestions` in `run/open-questions.ts` reads them. */
export const questionFlags = flagGroup<QuestionFlags>('Questions:', {
  where: whereFlag(),
  overdue: yes('--overdue', 'only what is still to be paid and was due before today, whatever its status'),
  since: text('--since <date>', 'issued on that day or later: 2026-11-21, 2026-11, today, -30d'),
  until: text('--until <date>', 'issued on that day or before; a month counts whole'),
  field: fieldFlag(),
  expand: valued(
    '--expand <column>',
    'a row for each object of a list: with payments, payments.amount is a column',
    oneName('--expand'),
  ),
  count: yes('--count', 'how many records; with --group-by for each value of a column'),
  sum: valued(
    '--sum <columns>',
    'the exact total of a column, for each currency, credit notes taken away',
    collected('--sum'),
  ),
  asSent: yes('--as-sent', 'with --sum: add cells as they stand, credit notes and cancelled documents too'),
  groupBy: valued(
    '--group-by <columns>',
    'totals for each value of a column, or for each day, month, quarter or year: date:month; without --sum, the number of records',
    collected('--group-by'),
  ),
  sort: sortFlag('order what comes out: dueBy,-totalAmount (a minus: descending)'),
  changesSince: text(
    '--changes-since <file>',
    'what is added, changed and gone since an export in jsonl or json',
  ),
});

/** `--field`, repeatable. */
export function fieldFlag(): Flag<readonly (readonly [field: string, column: string])[]> {
  return valued(
    '--field <name=column>',
    `the column of ${FIELD_NAMES.join(', ')}; for good: folio config set fields.<name>`,
    parameter('--field'),
  );
}

/** `--lang`: the language of a page. */
export function langFlag(): Flag<ReportLanguage> {
  return valued(
    '--lang <language>',
    'en or es (default: by the locale)',
    Object.assign(parseLanguage, OFFERED),
  );
}

const OFFERED: Offering = { words: ['en', 'es'] satisfies ReportLanguage[] };

function parseLanguage(text: string): ReportLanguage {
  const language = text.toLowerCase();
  if (language === 'en' || language === 'es') return language;
  throw new UsageError(`--lang ${JSON.stringify(text)}: there is no such language`, {
    hint: 'Pages are written in en or es.',
  });
}

/** `--sort`. */
export function sortFlag(about: string): Flag<NonNullable<QuestionFlags['sort']>> {
  return valued('--sort <columns>', about, (columns) => parseSort(columns));
}

/** `--where`, repeatable. */
export function whereFlag(): Flag<readonly Condition[]> {
  return valued(
    '--where <condition>',
    'only records for which this holds: status=OVERDUE,PENDING "dueBy<today" "totalAmount>=1000" customer.name~roble; repeated, all must',
    (expression, before: readonly Condition[] = []) => [...before, parseCondition(expression)],
  );
}

/** Reads names with commas between them, and adds them to those of the same flag before. */
function collected(flag: string) {
  const read = nameList(flag);
  return (value: string, before: readonly string[] = []): readonly string[] =>
    read([...before, value].join(','));
}

/** The flags of every command, as the program's help lists them. */
export const globalFlags = globalFlagGroup();

/** The same flags for each command, whose help does not list them: they may stand anywhere on the command line. */
export const repeatedGlobalOptions: readonly Option[] = globalFlagGroup().options.map((option) =>
  option.hideHelp(),
);

function globalFlagGroup(): FlagGroup<GlobalFlags> {
  return flagGroup<GlobalFlags>('Everywhere:', {
    profile: valued(
      '--profile <name>',
      'the organization to ask for, by the name of its profile',
      (name, before?: string) => (before === undefined ? name : `${before},${name}`),
    ),
    baseUrl: text('--base-url <url>', 'the address of the service, with or without /v1'),
    tokenFile: text('--token-file <file>', 'read the token from a file; - is standard input'),
    sandbox: yes('--sandbox', 'ask an embedded service with made-up data: no token, no set-up'),
    awkward: yes('--awkward', 'with --sandbox: names and amounts that break careless programs'),
    quiet: yes('-q, --quiet', 'no progress and no warnings'),
    verbose: yes('-v, --verbose', 'say what is done, on standard error'),
    debug: yes('--debug', 'every request on standard error, and the stack of an error; never the token'),
    color: no('--no-color', 'no colours'),
    progress: either(
      no('--no-progress', 'no progress on standard error'),
      valued('--progress <how>', 'plain: a line every 10 s, for logs', oneOf('--progress', ['plain'])),
    ),
  });
}

/** The flag `--format` of commands that print facts instead of records. */
export const factFlags = flagGroup<FactFlags>(undefined, {
  format: valued('--format <format>', 'table or json (default table)', oneOf('--format', ['table', 'json'])),
});

/** A flag that exists only to be refused. The error says how to give a token, and never shows the value. */
export const refusedToken: Option = new SharedOption('--token <token>').hideHelp().argParser(() => {
  throw new UsageError(
    'there is no --token flag: a token on a command line is in the process list and the history',
    { hint: 'Set FOLIO_TOKEN, pass --token-file <file>, or store the token once with `folio auth login`.' },
  );
});
