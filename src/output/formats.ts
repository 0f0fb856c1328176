import { UsageError } from '../errors.ts';
import type { OpenWriter } from './writer.ts';

const TABS_BETWEEN_CELLS = 'For tabs between cells, say --format csv --delimiter tab.';

type FormatFlag = '--delimiter' | '--excel' | '--no-header' | '--wide' | '--raw' | '--lang';

interface FormatDeclaration {
  readonly about: string;
  readonly binary?: boolean;
  /** Whether users sum its columns in a spreadsheet. */
  readonly spreadsheet?: boolean;
  /** The description of a file that folio cannot read records from. */
  readonly unreadable?: string;
  /** File endings that name it; the first is that of files that folio names. By default the format's name. */
  readonly endings?: readonly string[];
  readonly flags?: readonly FormatFlag[];
  /** Hints for other words that users type as the format. */
  readonly meant?: Readonly<Record<string, string>>;
  /** Whether its cells depend on what columns mean: grouped or typed numbers, days as dates. */
  readonly isTyped?: boolean;
  readonly writer: () => Promise<OpenWriter>;
}

const declarations = {
  table: {
    about: 'for people: fits the terminal, numbers grouped, control characters made visible',
    endings: ['txt', 'table'],
    flags: ['--wide', '--raw'],
    isTyped: true,
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
    spreadsheet: true,
    unreadable: 'csv, which does not say which cells are numbers',
    flags: ['--delimiter', '--excel', '--no-header'],
    meant: { tsv: TABS_BETWEEN_CELLS, tab: TABS_BETWEEN_CELLS },
    writer: async () => (await import('./csv/csv.ts')).openCsv,
  },
  xlsx: {
    about: 'a workbook: amounts as numbers, dates as dates, text that is never run',
    binary: true,
    isTyped: true,
    spreadsheet: true,
    unreadable: 'a workbook',
    // The language of headings in words.
    flags: ['--lang'],
    meant: { excel: 'A workbook is --format xlsx; --excel is for csv that a spreadsheet reads.' },
    writer: async () => (await import('./xlsx/xlsx.ts')).openXlsx,
  },
  parquet: {
    about: 'for DuckDB, Spark, pandas and the like: exact decimals, dates, one type a column',
    binary: true,
    isTyped: true,
    unreadable: 'a Parquet file',
    writer: async () => (await import('./parquet/parquet.ts')).openParquet,
  },
} satisfies Readonly<Record<string, FormatDeclaration>>;

export type Format = keyof typeof declarations;

/** In the order of the help. */
export const formats = Object.keys(declarations) as readonly Format[];

export function formatOf(format: Format): FormatDeclaration {
  return declarations[format];
}

export function formatOfEnding(file: string): Format | undefined {
  const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return formats.find((format) => endingsOf(format).includes(ending));
}

export function endingsOf(format: Format): readonly string[] {
  return formatOf(format).endings ?? [format];
}

/** The hint for a format that folio does not have, if there is one. */
export function meantFormat(word: string): string | undefined {
  const ofEnding = formatOfEnding(`.${word}`);
  if (ofEnding !== undefined) return `Say --format ${ofEnding}.`;
  return formats
    .map((format) => formatOf(format).meant?.[word.toLowerCase()])
    .find((hint) => hint !== undefined);
}

export function readsFlag(format: Format | undefined, flag: FormatFlag): boolean {
  return format !== undefined && formatOf(format).flags?.includes(flag) === true;
}

/** Throws UsageError for a flag that the format does not use, so that it is not ignored silently. */
export function checkFlagsOfFormat(
  format: Format,
  flags: Readonly<Partial<Record<FormatFlag, boolean | undefined>>>,
): void {
  const readers = Object.entries(flags).map(
    ([flag, isSet]) =>
      [flag, [isSet, ...formats.filter((name) => readsFlag(name, flag as FormatFlag))]] as const,
  );
  checkFlagsOfForm(format, Object.fromEntries(readers));
}

/** The same for another output form. Each flag has its value (undefined or false if not set) and the forms that use it. */
export function checkFlagsOfForm(
  form: string,
  flags: Readonly<Record<string, readonly [value: unknown, ...readers: string[]]>>,
): void {
  for (const [flag, [value, ...readers]] of Object.entries(flags)) {
    if (value === undefined || value === false || readers.includes(form)) continue;
    throw new UsageError(`${flag} goes with ${readers.join(', ')}, not with ${form}`, {
      hint: `Leave ${flag} out, or say --format ${readers[0]}.`,
    });
  }
}
