import { UsageError } from '../../errors.ts';
import { parseDecimal } from '../../json/decimal.ts';
import { USUAL_DELIMITERS } from '../../output/csv/row-writer.ts';
import { CsvReader, RECEIPT_HINT, unknownDelimiter, type CsvForm } from './csv-reader.ts';
import { deliveredForm, type DeliveredColumn } from './read-receipt.ts';

/** What a user says of a file, where neither it nor its receipt does. */
export interface FormFlags {
  /** The values of --from-format, --from-delimiter, --from-columns and --from-kind. */
  readonly fromFormat?: 'csv' | 'tsv' | 'json' | 'jsonl';
  readonly fromDelimiter?: string;
  /** The columns of a file that has no line with their names. */
  readonly fromColumns?: readonly string[];
  /** Columns of digits, and what they hold. */
  readonly fromKind?: readonly (readonly [column: string, kind: 'text' | 'number'])[];
}

/** How many bytes of the beginning of a file are looked at. */
export const SAMPLE_BYTES = 1 << 18;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * How the export is to be read: as the flags say, else its receipt, else as the file itself shows. Undefined for json and jsonl.
 *
 * @param start the first `SAMPLE_BYTES` of the file, or all of it
 * @throws UsageError where neither says it: it names the flag that does
 */
export async function formOf(path: string, start: Buffer, flags: FormFlags): Promise<CsvForm | undefined> {
  const receipt = await deliveredForm(path);
  const text = start.toString('utf8');
  const body = text.replace(/^\uFEFF/, '');
  const format = flags.fromFormat ?? receipt?.format ?? (/^\s*(?:[[{]|$)/.test(body) ? 'json' : undefined);
  const isRows =
    (flags.fromDelimiter ?? flags.fromColumns ?? flags.fromKind) !== undefined || format === undefined;
  if (!isRows && format !== 'csv' && format !== 'tsv') return undefined;
  const isExcel = text.startsWith(BYTE_ORDER_MARK);
  const separators = await separatorsOf(path, start, {
    format: format ?? (isExcel ? 'csv' : undefined),
    delimiter: flags.fromDelimiter ?? receipt?.delimiter,
  });
  const named = flags.fromColumns ?? (receipt?.header === false ? namesOf(receipt.columns) : undefined);
  const isSaid = named !== undefined || (receipt?.header ?? false);
  if (!isSaid) refuseRecordAsHeader(path, firstRow(body, separators));
  return {
    ...separators,
    isGuarded: receipt?.excel ?? isExcel,
    columns: named,
    headings: flags.fromColumns === undefined ? receipt?.headings : undefined,
    kinds: new Map([
      ...(receipt?.columns ?? []).map(({ name, kind }) => [name, kind] as const),
      ...(flags.fromKind ?? []),
    ]),
  };
}

function namesOf(columns: readonly DeliveredColumn[] | undefined): readonly string[] | undefined {
  return columns?.map(({ name }) => name);
}

interface Known {
  readonly format: string | undefined;
  readonly delimiter: string | undefined;
}

type Separators = Pick<CsvForm, 'delimiter' | 'quoting'>;

const TSV: Separators = { delimiter: '\t', quoting: 'tsv' };

/**
 * What stands between the cells. Where nobody says it, it is the only usual delimiter by which each row of the sample has as many
 * cells as the header, and several. It is asked for where several are, where only an unusual one is, and where a file that is
 * named tsv reads as csv.
 */
async function separatorsOf(path: string, start: Buffer, { format, delimiter }: Known): Promise<Separators> {
  if (format === 'tsv') return TSV;
  if (delimiter !== undefined) return { delimiter, quoting: 'csv' };
  const isNamedTsv = format === undefined && /\.(?:tsv|tab)$/i.test(path);
  const header = firstLine(start.toString('utf8'));
  const fitting = async (marks: readonly string[]): Promise<string[]> => {
    const fits = await Promise.all(marks.map((mark) => isRectangular(path, start, mark)));
    return marks.filter((_, at) => fits[at]);
  };
  const usual = await fitting(USUAL_DELIMITERS.filter((mark) => header.includes(mark)));
  // A tab within quotes parts cells where a quote is text, as in tsv.
  const isSure = usual.length > 0 && !(usual[0] === '\t' && header.includes('"'));
  const possible = isSure ? usual : [...usual, ...(await fitting(marksOf(header)))];
  const [only, another] = possible;
  if (only === '\t' && another === undefined) {
    if (isNamedTsv) return TSV;
    return { delimiter: '\t', quoting: format === undefined ? 'either' : 'csv' };
  }
  if (only === undefined) return isNamedTsv ? TSV : { delimiter: mostOf(header), quoting: 'csv' };
  if (another === undefined && USUAL_DELIMITERS.includes(only) && !isNamedTsv) {
    return { delimiter: only, quoting: 'csv' };
  }
  throw unknownDelimiter(path, isNamedTsv && another === undefined ? [only, '\t'] : possible);
}

/** Whether the sample, or its whole rows, can be read with that delimiter, as rows of several cells. A header alone cannot. */
async function isRectangular(path: string, start: Buffer, delimiter: string): Promise<boolean> {
  const quotings = delimiter === '\t' ? (['csv', 'tsv'] as const) : (['csv'] as const);
  for (const quoting of quotings) {
    const reader = new CsvReader(path, {
      delimiter,
      quoting,
      isGuarded: false,
      columns: undefined,
      kinds: new Map(),
    });
    const rows = await reader
      .read(start)
      .then(async (rows) => (start.length < SAMPLE_BYTES ? [...rows, ...(await reader.end())] : rows))
      .catch(() => []);
    if (rows.length > 0 && rows[0]!.length > 1) return true;
  }
  return false;
}

/** The marks of the line that may stand between its cells and are not usual there. */
function marksOf(line: string): readonly string[] {
  const marks = line.match(/[^\p{L}\p{N}_.\-"]/gu) ?? [];
  return [...new Set(marks)].filter((mark) => !USUAL_DELIMITERS.includes(mark));
}

/** The usual delimiter of which the line has most outside quotes; undefined where it has none. */
function mostOf(line: string): string | undefined {
  const unquoted = line.replaceAll(/"[^"]*"/g, '');
  const counts = USUAL_DELIMITERS.map((mark) => unquoted.split(mark).length);
  const most = Math.max(...counts);
  return most === 1 ? undefined : USUAL_DELIMITERS[counts.indexOf(most)];
}

function firstLine(text: string): string {
  return text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0]!;
}

function firstRow(body: string, { delimiter, quoting }: Separators): readonly string[] {
  return firstLine(body)
    .split(delimiter ?? '\n')
    .map((cell) => (quoting === 'tsv' ? cell : cell.replaceAll('"', '')));
}

/** A header has a name for each column, none twice, and none is an amount or a day. */
function refuseRecordAsHeader(path: string, cells: readonly string[]): void {
  const isRecord =
    new Set(cells).size < cells.length ||
    cells.some((cell) => typeof parseDecimal(cell) === 'object' || /^\d{4}-\d{2}-\d{2}/.test(cell));
  if (!isRecord || (cells.length === 1 && cells[0] === '')) return;
  throw new UsageError(`${path} begins with a record, and does not name its columns`, {
    hint: `Name them, in their order, with --from-columns number,date,… ${RECEIPT_HINT}`,
  });
}
