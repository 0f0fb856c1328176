import { Option, type Command } from 'commander';
import { formats, type Format } from '../output/formats.ts';
import { delimiter, names, oneOf, target } from './parse-values.ts';

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
