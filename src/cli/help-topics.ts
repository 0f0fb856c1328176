import { formats, type Format } from '../output/formats.ts';
import { displayWidth } from '../output/terminal/display-width.ts';
import { wrapText } from '../output/terminal/wrap-text.ts';
import { exitCodes } from './exit-codes.ts';

/** A page of help that is about no single command; shown by `folio help <name>` and in the manual. */
export interface Topic {
  /** As it is typed: `exit-codes`. */
  readonly name: string;
  /** One line, for lists. */
  readonly about: string;
  /** Paragraphs, and lists of terms with what they mean. */
  readonly blocks: readonly (string | TermList)[];
}

export type TermList = readonly (readonly [term: string, meaning: string])[];

const exitCodesTopic: Topic = {
  name: 'exit-codes',
  about: 'what each exit code says',
  blocks: [
    'A script can rely on these. Data goes to standard output and nothing else does; an error is one line on standard ' +
      'error, then what to do about it.',
    exitCodes.map(([code, meaning]) => [String(code), meaning] as const),
    'With 6 the output is there, with all that could be had. With any other code but 0 a file of that name is what it was ' +
      'before. A reader that closes early, such as head, is no failure.',
    'Examples:',
    [
      ['folio received -o received.csv || echo "not whole: $?"', 'say so when something is missing'],
      ['folio issued --strict --customer-fiscal-id @ids.txt', 'unknown fiscal IDs are exit code 6'],
    ],
  ],
};

/** Variables that somebody may want to set for folio. */
export const variables: TermList = [
  ['FOLIO_TOKEN', 'the token, exactly as issued; goes before that of a profile'],
  ['FOLIO_BASE_URL', 'the address of the service, with or without /v1'],
  ['FOLIO_PROFILE', 'the profile for commands that name none'],
  ['FOLIO_CONFIG_DIR', 'the folder with profiles and settings; see folio config path'],
  ['NO_COLOR, FORCE_COLOR', 'no colours at all; colours also off a terminal'],
  ['TERM', 'dumb: no colours, and nothing that moves'],
  ['CI', 'set: no colours and no progress, as off a terminal'],
  ['LC_ALL, LC_NUMERIC, LANG', 'how tables group the digits of numbers'],
  ['HTTPS_PROXY, NO_PROXY', 'the proxy for https, and for whom it is not; in small letters too'],
  [
    'PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSSLMODE',
    'a PostgreSQL database, as its own programs read them',
  ],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates of authorities of your own'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0 switches off the check of certificates: with it folio does not run'],
  ['XDG_CONFIG_HOME, APPDATA', 'where the folder of profiles is, unless FOLIO_CONFIG_DIR says'],
];

const environmentTopic: Topic = {
  name: 'environment',
  about: 'the environment variables that are read',
  blocks: [
    'A flag goes before the environment, that before the profile, that before the default. A variable that is set to ' +
      'nothing counts as not set.',
    variables,
    'Nothing is read from the working folder. What folio starts, such as a token command, does not see FOLIO_TOKEN.',
    'Examples:',
    [
      ['FOLIO_TOKEN=$(cat token) FOLIO_BASE_URL=https://api.example.com folio issued', 'without a log-in'],
      ['folio doctor', 'what holds, and whether it works'],
    ],
  ],
};

const uses: Readonly<Record<Format, string>> = {
  table: 'for people: fits the terminal, numbers grouped, control characters made visible',
  jsonl: 'one record a line, as the service sent it',
  json: 'one array; a command for a single record prints the record itself',
  csv: 'RFC 4180 with LF, byte for byte the service’s text; with --excel for a spreadsheet',
  tsv: 'a tab between columns, no quotes: within text \\t, \\n, \\r and \\\\',
  xlsx: 'a workbook: amounts as numbers, dates as dates, text that is never run',
  parquet: 'for DuckDB, Spark, pandas and the like: exact decimals, dates, one type a column',
};

const formatsTopic: Topic = {
  name: 'formats',
  about: 'how records come out, and for whom',
  blocks: [
    'Without --format the ending of --output decides, else the profile’s setting, else a table on a terminal and csv off ' +
      'one; a single record is json there.',
    formats.map((format) => [format, uses[format]] as const),
    'Numbers leave as they came in every format: 1190.10 stays 1190.10, and a 19-digit number keeps its digits. In csv, tsv ' +
      'and tables objects become columns with dots (customer.fiscalId), arrays are compact JSON, null is empty. The ' +
      'columns are those of all records together, in the order in which they first appear.',
    '--columns says which and in which order, also in json and jsonl, where each record then has these names and no ' +
      'others; rows leave as they come. --list-columns prints the names.',
    "--excel writes a byte order mark and CRLF, and puts a ' before text that a spreadsheet would run as a formula. " +
      'Numbers stay as they are, negative ones too.',
    'Examples:',
    [
      ['folio issued --excel -o issued.csv', 'for a spreadsheet'],
      ['folio issued --format jsonl | jq -r .number', 'for a script'],
      ['folio issued --columns number,customer.name,totalAmount', 'three columns'],
    ],
  ],
};

/** The pages of help besides those of commands. */
export const topics: readonly Topic[] = [exitCodesTopic, environmentTopic, formatsTopic];

/** Terms up to so many cells share a line with their meaning. */
const WIDEST_TERM = 30;

/** The topic as text of at most `width` cells a line. */
export function renderTopic({ blocks }: Topic, width: number): string {
  let text = '';
  blocks.forEach((block, at) => {
    const isList = typeof block !== 'string';
    // A list stands right under the line that announces it.
    const announced = isList && String(blocks[at - 1] ?? '').endsWith(':');
    text +=
      (at === 0 || announced ? '' : '\n') + (isList ? renderList(block, width) : wrapText(block, width));
  });
  return text;
}

function renderList(list: TermList, width: number): string {
  const widest = Math.max(...list.map(([term]) => displayWidth(term)));
  const column = widest <= WIDEST_TERM ? widest + 4 : 6;
  return list
    .map(([term, meaning]) => {
      const lines = wrapText(meaning, width - column)
        .trimEnd()
        .split('\n');
      const indented = lines.map((line) => ' '.repeat(column) + line);
      if (widest > WIDEST_TERM) return `  ${term}\n${indented.join('\n')}\n`;
      return `  ${term.padEnd(column - 2)}${indented.join('\n').trimStart()}\n`;
    })
    .join('');
}
