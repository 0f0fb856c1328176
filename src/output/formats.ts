import { UsageError } from '../errors.ts';
import type { OpenWriter } from './writer.ts';

/** The formats in which records can leave. */
export const formats = ['table', 'jsonl', 'json', 'csv', 'tsv', 'xlsx', 'parquet'] as const;
export type Format = (typeof formats)[number];

/** Whether the format is no text, so that it is never written to a terminal. */
export function isBinary(format: Format): boolean {
  return format === 'xlsx' || format === 'parquet';
}

/** The one list of writers; each is loaded when it is used. */
const writers: Readonly<Record<Format, () => Promise<OpenWriter>>> = {
  table: async () => (await import('./table/table.ts')).openTable,
  jsonl: async () => ofColumns((await import('./json.ts')).openJsonl),
  json: async () => ofColumns((await import('./json.ts')).openJson),
  csv: async () => (await import('./csv/csv.ts')).openCsv,
  tsv: async () => (await import('./csv/tsv.ts')).openTsv,
  xlsx: async () => (await import('./xlsx/xlsx.ts')).openXlsx,
  parquet: async () => (await import('./parquet/parquet.ts')).openParquet,
};

async function ofColumns(open: OpenWriter): Promise<OpenWriter> {
  const { withColumns } = await import('./json.ts');
  return withColumns(open);
}

/** Loads the writer of a format. */
export function loadWriter(format: Format): Promise<OpenWriter> {
  return writers[format]();
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
