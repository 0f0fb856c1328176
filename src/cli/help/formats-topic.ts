import { formats, type Format } from '../../output/formats.ts';
import type { Topic } from './topic.ts';

const uses: Readonly<Record<Format, string>> = {
  table: 'for people: fits the terminal, numbers grouped, control characters made visible',
  jsonl: 'one record a line, as the service sent it',
  json: 'one array; a command for a single record prints the record itself',
  csv: 'RFC 4180 with LF, byte for byte the service’s text; with --excel for a spreadsheet',
  tsv: 'the same with tabs',
  xlsx: 'a workbook: amounts as numbers, dates as dates, text that is never run',
};

export const formatsTopic: Topic = {
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
