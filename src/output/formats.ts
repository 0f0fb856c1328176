import { UsageError } from '../errors.ts';
import type { OpenWriter } from './writer.ts';

/** What to say where tsv is asked for, by name or by ending. */
export const TABS_BETWEEN_CELLS = 'For tabs between cells, say --format csv --delimiter tab.';

/** Flags that only some formats read. */
type FormatFlag = '--delimiter' | '--excel' | '--no-header' | '--wide' | '--raw';

interface FormatDeclaration {
  /** For whom, and how: for the help. */
  readonly about: string;
  /** Whether it is no text, so that it is never written to a terminal. */
  readonly binary?: boolean;
  /** The endings that name it, the one that folio itself gives first; unless said otherwise, the format's name. */
  readonly endings?: readonly string[];
  /** Those of the flags that it reads. */
  readonly flags?: readonly FormatFlag[];
  /** Loads the writer when it is used. */
  readonly writer: () => Promise<OpenWriter>;
}

/** The one list of formats: an entry here and a writer are all that a format takes. */
const declarations = {
  table: {
    about: 'for people: fits the terminal, numbers grouped, control characters made visible',
    endings: ['txt', 'table'],
    flags: ['--wide', '--raw'],
    writer: async () => (await import('./table/table.ts')).openTable,
  },
  jsonl: {
    about: 'one record a line, as the service sent it',
    endings: ['jsonl', 'ndjson'],
    writer: async () => (await import('./json.ts')).openJsonl,
  },
  json: {
    about: 'one array; a command for a single record prints the record itself',
    writer: async () => (await import('./json.ts')).openJson,
  },
  csv: {
    about: 'RFC 4180 with LF, byte for byte the service’s text; with --excel for a spreadsheet',
    flags: ['--delimiter', '--excel', '--no-header'],
    writer: async () => (await import('./csv/csv.ts')).openCsv,
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

export function formatOf(format: Format): FormatDeclaration {
  return declarations[format];
}

/** The format that a file's ending names, or undefined where it names none. */
export function formatOfEnding(file: string): Format | undefined {
  const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return formats.find((format) => endingsOf(format).includes(ending));
}

/** The endings that name a format, the one that folio itself gives first. */
export function endingsOf(format: Format): readonly string[] {
  return formatOf(format).endings ?? [format];
}

/** Refuses flags that the format does not read, so that nobody believes they took effect. Throws UsageError. */
export function checkFlagsOfFormat(
  format: Format,
  given: Readonly<Partial<Record<FormatFlag, boolean | undefined>>>,
): void {
  const reads = (name: Format, flag: string): boolean =>
    formatOf(name).flags?.some((own) => own === flag) === true;
  for (const [flag, isGiven] of Object.entries(given)) {
    if (!isGiven || reads(format, flag)) continue;
    const allowed = formats.filter((name) => reads(name, flag));
    throw new UsageError(`${flag} goes with ${allowed.join(' and ')}, not with ${format}`, {
      hint: `Leave ${flag} out, or say --format ${allowed[0]}.`,
    });
  }
}
