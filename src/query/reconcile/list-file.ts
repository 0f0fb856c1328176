import { basename } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CsvError, parse, type InfoRecord } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { fixedValue } from '../../invoices/fields.ts';
import { readBegunPeriod, type Period } from '../../invoices/periods.ts';
import { nearestHint } from '../nearest-names.ts';
import { LINE_FEED } from '../../json/ascii.ts';
import { unreadableFile } from '../exports/export-file.ts';

/** Which listing of the service a list is compared with. */
export type Against = 'issued' | 'received';

/** Which mark stands before the decimals of a list's amounts; the other one stands between thousands. */
export const DECIMAL_MARKS = ['comma', 'point'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

const LIST_FIELDS = [
  'number',
  'total',
  'documentType',
  'counterpartyFiscalId',
  'counterpartyName',
  'date',
  'currency',
  'net',
  'exempt',
  'tax',
] as const;
export type ListField = (typeof LIST_FIELDS)[number];

/** The fields that are different in each row: of others, a value may stand for all rows. */
const OF_ROWS: readonly ListField[] = ['number', 'total', 'net', 'exempt', 'tax'];

export type Match = ReadonlyMap<ListField, string>;

/** Reads `number=Invoice,total=Amount`, and adds it to what an earlier --match had. Throws UsageError. */
export function parseMatch(text: string, before: Match = new Map()): Match {
  const match = new Map(before);
  // A heading may have a comma, unless a field and a = follow.
  for (const part of text.split(/,(?=\s*[A-Za-z]+\s*=)/)) {
    const [, name = '', heading = ''] = /^\s*([A-Za-z]*)\s*=(.*)$/s.exec(part) ?? [];
    const field = LIST_FIELDS.find((one) => one === name);
    if (field === undefined || heading.trim() === '') {
      throw new UsageError(`--match ${JSON.stringify(part.trim())}: expected field=heading`, {
        hint: `The fields are ${LIST_FIELDS.join(', ')}.`,
      });
    }
    if (match.has(field))
      throw new UsageError(`--match names ${field} twice`, { hint: 'Name one heading for each field.' });
    if (OF_ROWS.includes(field) && fixedValue(heading.trim()) !== undefined)
      throw new UsageError(`--match ${part.trim()}: each row has its own ${field}`, {
        hint: `Name its heading: ${field}=<heading>.`,
      });
    match.set(field, heading.trim());
  }
  return match;
}

/** Throws UsageError where --match leaves out what every document needs. */
export function checkMatch(match: Match): void {
  for (const field of ['number', 'total'] as const) {
    if (match.has(field)) continue;
    throw new UsageError(`--match does not say which column is the ${field}`, {
      hint: `Add ${field}=<heading>: number and total are needed.`,
    });
  }
}

/** The error for a list that cannot be read as it is. Lines count from 1. */
export function badList(path: string, line: number, what: string, hint?: string): UsageError {
  return new UsageError(`${path}, line ${line}: ${what}`, {
    hint: hint ?? 'Download the list again, or correct that line. Nothing was written.',
  });
}

export interface ListLayout {
  /** Which register of the tax authority it is; `other` for any other list. */
  readonly kind: 'purchases' | 'pending' | 'sales' | 'other';
  readonly headings: readonly string[];
  /** The indexes of each field's cells, of which several amounts are added; or the text that all rows have. */
  readonly fields: ReadonlyMap<ListField, readonly number[] | string>;
  /** The listing that a register is about. */
  readonly against?: Against;
  /** The index of the row's own number, where rows have one: a row without it continues the row before. */
  readonly row?: number;
  /** A tax besides the value added tax. Where its columns are the last, more such taxes may follow, three cells each. */
  readonly furtherTax?: {
    readonly amount: number;
    /** Those of code, amount and rate. */
    readonly indexes: readonly number[];
    readonly isLast: boolean;
  };
}

/** The headings of a register of the tax authority, as it writes them. */
interface Register {
  readonly against: Against;
  /** The two by which it is recognized: the first is the fiscal ID of the counterparty. */
  readonly knownBy: readonly [string, string];
  readonly tax: readonly string[];
  readonly total: string;
  /** Code, amount and rate. */
  readonly furtherTax: readonly [string, string, string];
}

const REGISTERS: readonly Register[] = [
  {
    against: 'received',
    knownBy: ['RUT Proveedor', 'Tipo Compra'],
    // The tax on fixed assets is part of these.
    tax: ['Monto IVA Recuperable', 'Monto Iva No Recuperable', 'IVA uso Comun'],
    total: 'Monto Total',
    furtherTax: ['Codigo Otro Impuesto', 'Valor Otro Impuesto', 'Tasa Otro Impuesto'],
  },
  {
    against: 'issued',
    knownBy: ['Rut cliente', 'Tipo Venta'],
    tax: ['Monto IVA'],
    total: 'Monto total',
    furtherTax: ['Codigo Otro Imp.', 'Valor Otro Imp.', 'Tasa Otro Imp.'],
  },
];

/** The other headings, which both registers have. */
const REGISTER_FIELDS = {
  number: ['Folio'],
  documentType: ['Tipo Doc'],
  counterpartyName: ['Razon Social'],
  date: ['Fecha Docto'],
  exempt: ['Monto Exento'],
  net: ['Monto Neto'],
} as const;
const ROW = 'Nro';

/** A register is in pesos, whatever currency the document was written in. */
const REGISTER_CURRENCY = 'CLP';

const REGISTER_CUT =
  'The register has it: take the file as the tax authority gives it, or say which column is which with --match.';
const MATCH_HINT =
  'Say which column is which, as in --against received --match number=Invoice,total=Amount,counterpartyFiscalId=VAT.';

/** Finds the fields in the headings of a list. Throws UsageError for a list of no known kind, or without one of the columns. */
export function layoutOf(path: string, headings: readonly string[], match: Match | undefined): ListLayout {
  const names = headings.map(fold);
  const has = (heading: string): boolean => names.includes(fold(heading));
  const indexOf = (heading: string): number => {
    const index = names.indexOf(fold(heading));
    if (index < 0) {
      const known = headings.filter((one) => one.trim() !== '');
      // Of a register folio knows the headings: the user cannot have misspelt one.
      const hint = match === undefined ? REGISTER_CUT : nearestHint(heading, known);
      throw badList(path, 1, `there is no column ${heading}`, hint);
    }
    if (names.includes(names[index]!, index + 1))
      throw badList(path, 1, `there are two columns ${heading}`, 'Leave one of them out.');
    return index;
  };
  if (match !== undefined) {
    const fields = new Map<ListField, readonly number[] | string>();
    for (const [field, heading] of match) fields.set(field, fixedValue(heading) ?? [indexOf(heading)]);
    return { kind: 'other', headings, fields };
  }
  const register = REGISTERS.find(({ knownBy }) => knownBy.every(has));
  if (register === undefined)
    throw badList(path, 1, 'these headings are of no register that folio knows', MATCH_HINT);
  const { against, knownBy, tax, total } = register;
  const cells = { ...REGISTER_FIELDS, counterpartyFiscalId: [knownBy[0]], tax, total: [total] };
  const taxIndexes = register.furtherTax.map(indexOf);
  const isLast = taxIndexes.every((index, at) => index === names.length - 3 + at);
  // Purchases that are not pending say when they were answered.
  const isAnswered = has('Fecha Acuse') || has('Fecha Reclamo');
  return {
    kind: against === 'issued' ? 'sales' : isAnswered ? 'purchases' : 'pending',
    against,
    headings,
    fields: new Map(
      LIST_FIELDS.map((field) => [
        field,
        field === 'currency' ? REGISTER_CURRENCY : cells[field].map(indexOf),
      ]),
    ),
    row: indexOf(ROW),
    furtherTax: { amount: taxIndexes[1]!, indexes: taxIndexes, isLast },
  };
}

/** A heading without case, accents and superfluous blanks. */
function fold(heading: string): string {
  return heading.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** What the name of a list tells: `RCV_COMPRA_REGISTRO_76123456-7_202610.csv`. A second download may have ` (1)` behind it. */
export function readName(path: string): { fiscalId: string | undefined; month: Period | undefined } {
  const stem = basename(path)
    .replace(/(?:\.[A-Za-z]+)+$/, '')
    .replace(/\s*\(\d+\)$/, '');
  const [, fiscalId] = /(?:^|_)(\d{1,3}(?:\.?\d{3}){1,2}-[\dkK])(?=_|$)/.exec(stem) ?? [];
  const [, year, month] = /_(20\d\d)(0[1-9]|1[0-2])$/.exec(stem) ?? [];
  return {
    fiscalId,
    month: year === undefined ? undefined : readBegunPeriod(`${year}-${month}`, Infinity),
  };
}

/** Larger files are no lists, and would fill the memory. */
const MAX_LIST_BYTES = 1 << 28;
const MAX_ROW_BYTES = 1 << 20;
/** Bytes that the parser gets at a time. */
const CHUNK_BYTES = 1 << 16;

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** The characters of bytes 0x80 to 0x9F: some versions of Node decode windows-1252 as latin1, which has control characters there. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const DELIMITERS = [';', ',', '\t'];

export interface ListRow {
  /** Its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether the file ends without a line feed behind this row: then it may be cut short. */
  readonly isOpen: boolean;
}

/** Reads a list, csv with the delimiter of its first line. Throws UsageError where the file is none. */
export async function readListFile(path: string) {
  const bytes = await utf8Of(path);
  const end = bytes.indexOf(LINE_FEED);
  const first = end < 0 ? bytes : bytes.subarray(0, end + 1);
  const bare = first.toString().replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((one) => bare.split(one).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  for await (const { cells } of csvRows(path, first, { delimiter, line: 1 })) {
    // Rows may have a cell more than the headings. The parser is faster with rows of one width, so the headings are read apart.
    return {
      headings: cells,
      /** Those below the headings. Throws UsageError, with the line, for one that cannot be read. */
      rows: () => csvRows(path, bytes.subarray(first.length), { delimiter, line: 2 }),
    };
  }
  throw badList(path, 1, 'there are no headings', 'Name the file of a list: csv with a line of headings.');
}

/** The text of the file in UTF-8, without a byte order mark. What is not strict UTF-8 is read as windows-1252. */
async function utf8Of(path: string): Promise<Buffer> {
  const refuse = (message: string, hint: string): never => {
    throw new UsageError(message, { hint });
  };
  let bytes: Buffer;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    if (!found.isFile()) refuse(`cannot read ${path}: it is no file`, 'Name the file of a list.');
    if (found.size > MAX_LIST_BYTES)
      refuse(`${path} has more than 256 MiB`, 'A list has the documents of a few months.');
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadableFile(path, error);
  }
  if (bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = countLineFeeds(bytes.subarray(0, nul)) + 1;
    throw badList(path, line, 'it has bytes of no text', 'A list is csv: text in lines.');
  }
  if (isUtf8(bytes)) return bytes;
  const text = bytes.toString('latin1');
  return Buffer.from(text.replaceAll(/[\u0080-\u009f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80]!));
}

/** All rows, of any number of cells: the tax authority's rows have more cells than its header. */
async function* csvRows(
  path: string,
  bytes: Buffer,
  { delimiter, line: firstLine }: { readonly delimiter: string; readonly line: number },
): AsyncGenerator<ListRow> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    // In `"El Roble" Ltda.` the quotes are part of the name.
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
    info: true,
  });
  const openQuote = (at: number): UsageError => badList(path, at, 'a quote is opened there and not closed');
  let [line, start] = [firstLine, 0];
  try {
    for await (const each of Readable.from(chunksOf(bytes)).compose(parser)) {
      const { record: cells, info } = each as { readonly record: string[]; readonly info: InfoRecord };
      const raw = bytes.subarray(start, info.bytes);
      if (cells.some((cell) => runsOn(cell, raw, delimiter))) throw openQuote(line);
      yield { line, cells, isOpen: raw.at(-1) !== LINE_FEED };
      line += countLineFeeds(raw);
      start = info.bytes;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The error comes before rows that are parsed and wait to be read, so its own position counts.
    const at = countLineFeeds(bytes.subarray(0, Number(error['bytes']))) + firstLine;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') throw openQuote(at);
    if (error.code !== 'CSV_MAX_RECORD_SIZE') throw error;
    throw badList(path, at, 'it has more than 1 MiB', 'A quote may be opened there and not closed.');
  }
}

/** Whether a cell begins with a quote of its text and goes on behind a delimiter or line feed, up to the quote of another cell. */
function runsOn(cell: string, raw: Buffer, delimiter: string): boolean {
  if (!cell.startsWith('"') || !(cell.includes(delimiter) || cell.includes('\n'))) return false;
  return !raw.includes(`"${cell.replaceAll('"', '""')}"`);
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
