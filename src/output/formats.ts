import { UsageError } from '../errors.ts';
import type { OpenWriter } from './writer.ts';

interface FormatDeclaration {
  /** For whom, and how: for the help. */
  readonly about: string;
  /** Whether it is no text, so that it is never written to a terminal. */
  readonly binary?: boolean;
  /** Loads the writer when it is used. */
  readonly writer: () => Promise<OpenWriter>;
}

/** The one list of formats. */
const declarations = {
  table: {
    about: 'for people: fits the terminal, numbers grouped, control characters made visible',
    writer: async () => (await import('./table/table.ts')).openTable,
  },
  jsonl: {
    about: 'one record a line, as the service sent it',
    writer: async () => ofColumns((await import('./json.ts')).openJsonl),
  },
  json: {
    about: 'one array; a command for a single record prints the record itself',
    writer: async () => ofColumns((await import('./json.ts')).openJson),
  },
  csv: {
    about: 'RFC 4180 with LF, byte for byte the service’s text; with --excel for a spreadsheet',
    writer: async () => (await import('./csv/csv.ts')).openCsv,
  },
  tsv: {
    about: 'a tab between columns, no quotes: within text \\t, \\n, \\r and \\\\',
    writer: async () => (await import('./csv/tsv.ts')).openTsv,
  },
  xlsx: {
    about: 'a workbook: amounts as numbers, dates as dates, text that is never run',
    binary: true,
    writer: async () => (await import('./xlsx/xlsx.ts')).openXlsx,
  },
  parquet: {
    about: 'for DuckDB, Spark, pandas and the like: exact decimals, dates, one type a column',
    binary: true,
    writer: async () => (await import('./parquet/parquet.ts')).openParquet,
  },
} satisfies Readonly<Record<string, FormatDeclaration>>;

export type Format = keyof typeof declarations;

/** The formats in which records can leave, in the order in which the help names them. */
export const formats = Object.keys(declarations) as readonly Format[];

function declarationOf(format: Format): FormatDeclaration {
  return declarations[format];
}

/** For whom a format is, and how records look in it. */
export function aboutFormat(format: Format): string {
  return declarationOf(format).about;
}

/** Whether the format is no text, so that it is never written to a terminal. */
export function isBinary(format: Format): boolean {
  return declarationOf(format).binary === true;
}

/** Loads the writer of a format. */
export function loadWriter(format: Format): Promise<OpenWriter> {
  return declarationOf(format).writer();
}

async function ofColumns(open: OpenWriter): Promise<OpenWriter> {
  const { withColumns } = await import('./json.ts');
  return withColumns(open);
}

const ENDINGS: Readonly<Record<string, Format>> = { ndjson: 'jsonl', txt: 'table', tab: 'tsv' };

/** The format that a file's ending names, or undefined where it names none. */
export function formatOfEnding(file: string): Format | undefined {
  const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return formats.find((format) => format === ending) ?? ENDINGS[ending];
}

/** The ending of a file in this format, where folio names it. */
export function endingOf(format: Format): string {
  return format === 'table' ? 'txt' : format;
}

/** Refuses flags that the format has no use for, so that nobody believes they took effect. */
export function checkFlagsOfFormat(format: Format, given: Readonly<Record<string, unknown>>): void {
  const owners: Readonly<Record<string, readonly Format[]>> = {
    '--delimiter': ['csv'],
    '--excel': ['csv'],
    '--no-header': ['csv', 'tsv'],
    '--wide': ['table'],
    '--raw': ['table'],
    '--sheet-per-profile': ['xlsx'],
  };
  for (const [flag, allowed] of Object.entries(owners)) {
    if (given[flag] && !allowed.includes(format)) {
      throw new UsageError(`${flag} goes with ${allowed.join(' and ')}, not with ${format}`, {
        hint: `Leave ${flag} out, or say --format ${allowed[0]}.`,
      });
    }
  }
}

/** Stands for all columns that are not named. */
export const OTHERS = '*';

/** Whether a part of `--columns` is no name: `*`, or `-name` for one that is left out. */
export function isChoice(column: string): boolean {
  return column === OTHERS || column.startsWith('-');
}

/** Whether what is asked for is known only once all columns are. */
export function isOpenChoice(asked: readonly string[]): boolean {
  return asked.includes(OTHERS) || isOfAll(asked);
}

/** Whether there are only names to leave out, of all. */
export function isOfAll(asked: readonly string[]): boolean {
  return asked.every((column) => column.startsWith('-'));
}
