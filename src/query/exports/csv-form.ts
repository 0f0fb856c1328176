import { UsageError } from '../../errors.ts';
import { parseDecimal } from '../../json/decimal.ts';
import { deliveredForm, type DeliveredColumn } from './read-receipt.ts';

/** What a user says of a file, where neither it nor its receipt does. */
export interface FormFlags {
  /** The values of --from-format, --from-delimiter and --from-columns. */
  readonly fromFormat?: 'csv' | 'tsv' | 'json' | 'jsonl';
  readonly fromDelimiter?: string;
  /** The columns of a file that has no line with their names. */
  readonly fromColumns?: readonly string[];
}

/** How a file of rows was written. */
export interface CsvForm {
  readonly delimiter: string;
  /** `csv` has quotes and `tsv` has backslashes; `either` where the file is read only as long as that makes no difference. */
  readonly quoting: 'csv' | 'tsv' | 'either';
  /** Whether an apostrophe stands before text that a spreadsheet would run as a formula. */
  readonly isGuarded: boolean;
  /** The names of the columns, where the first row is a record. */
  readonly columns: readonly string[] | undefined;
  /** The kind of what a column holds, by its name, where it is known. */
  readonly kinds: ReadonlyMap<string, DeliveredColumn['kind']>;
}

/** The delimiters that people use. */
const USUAL = [',', ';', '\t', '|'];
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * How the export is to be read: as the flags say, else its receipt, else as the file itself shows. Undefined for json and jsonl.
 *
 * @param start the first bytes of the file, which may be all
 * @throws UsageError where neither says it: it names the flag that does
 */
export async function formOf(path: string, start: Buffer, flags: FormFlags): Promise<CsvForm | undefined> {
  const receipt = await deliveredForm(path);
  const text = start.toString('utf8');
  const body = text.replace(/^\uFEFF/, '');
  const format = flags.fromFormat ?? receipt?.format ?? (/^\s*(?:[[{]|$)/.test(body) ? 'json' : undefined);
  const isRows = (flags.fromDelimiter ?? flags.fromColumns) !== undefined || format === undefined;
  if (!isRows && format !== 'csv' && format !== 'tsv') return undefined;
  const isExcel = text.startsWith(BYTE_ORDER_MARK);
  const { quoting, delimiter } = separatorsOf(path, body, {
    format: format ?? (isExcel ? 'csv' : undefined),
    delimiter: flags.fromDelimiter ?? (format === 'csv' ? receipt?.delimiter : undefined),
  });
  const named = flags.fromColumns ?? (receipt?.header === false ? namesOf(receipt.columns) : undefined);
  const isSaid = named !== undefined || (receipt?.header ?? false);
  if (!isSaid) refuseRecordAsHeader(path, firstRow(body, delimiter, quoting !== 'tsv'));
  return {
    delimiter,
    quoting,
    isGuarded: receipt?.excel ?? isExcel,
    columns: named,
    kinds: new Map(receipt?.columns?.map(({ name, kind }) => [name, kind])),
  };
}

function namesOf(columns: readonly DeliveredColumn[] | undefined): readonly string[] | undefined {
  return columns?.map(({ name }) => name);
}

interface Separators {
  readonly format: string | undefined;
  readonly delimiter: string | undefined;
}

function separatorsOf(
  path: string,
  body: string,
  { format, delimiter: given }: Separators,
): Pick<CsvForm, 'delimiter' | 'quoting'> {
  const isNamedTsv = format === undefined && given === undefined && /\.(?:tsv|tab)$/i.test(path);
  if (format === 'tsv') return { delimiter: '\t', quoting: 'tsv' };
  const delimiter = given ?? delimiterOf(path, body);
  if (isNamedTsv && (delimiter === '\t' || rowWidths(body, delimiter)[0] === 1)) {
    return { delimiter: '\t', quoting: 'tsv' };
  }
  return { delimiter, quoting: given === undefined && delimiter === '\t' && !format ? 'either' : 'csv' };
}

/** The only delimiter by which all rows have as many cells as the first. Throws UsageError where there may be several. */
function delimiterOf(path: string, body: string): string {
  const header = body.split('\n', 1)[0]!.replaceAll(/"[^"]*"/g, '');
  const others = [...new Set(header)].filter((mark) => !/[\p{L}\p{N}\r_.\-"]/u.test(mark));
  const fits = (mark: string): boolean => {
    const widths = rowWidths(body, mark);
    return widths[0]! > 1 && widths.every((width) => width === widths[0]);
  };
  const usual = USUAL.filter(fits);
  const possible = usual.length > 0 ? usual : others.filter((mark) => !USUAL.includes(mark) && fits(mark));
  const [only] = possible;
  const counts = USUAL.map((mark) => header.split(mark).length);
  const most = USUAL[counts.indexOf(Math.max(...counts))]!;
  // A header alone shows nothing, and there is nothing to be read wrong.
  if (only === undefined || rowWidths(body, only).length === 1) return most;
  if (usual.length === 1) return only;
  const shown = possible.map((mark) => JSON.stringify(mark)).join(' or ');
  throw new UsageError(`${path} does not say what stands between its cells: it may be ${shown}`, {
    hint: `Say it with --from-delimiter, as in --from-delimiter '${only}'. ${RECEIPT_HINT}`,
  });
}

const RECEIPT_HINT = 'A receipt beside the file, --receipt <file>.receipt.json, says it by itself.';

/** How many cells each row has, as far as rows are whole. A quote counts only at the begin of a cell. */
function rowWidths(text: string, delimiter: string): number[] {
  const widths: number[] = [];
  let [width, isQuoted, atStart] = [1, false, true];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === '"') isQuoted = false;
    } else if (character === '"' && (atStart || text[at - 1] === '"')) isQuoted = true;
    else if (text.startsWith(delimiter, at)) {
      width++;
      atStart = true;
      continue;
    } else if (character === '\n') {
      widths.push(width);
      [width, atStart] = [1, true];
      continue;
    }
    atStart = false;
  }
  return widths.length === 0 ? [width] : widths;
}

function firstRow(body: string, delimiter: string, quotes: boolean): readonly string[] {
  const [line = ''] = body.split(/\r?\n/, 1);
  return line.split(delimiter).map((cell) => (quotes ? cell.replaceAll('"', '') : cell));
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

/** The error for a file that is csv with tabs or tsv, once that makes a difference. */
export function csvOrTsv(path: string): UsageError {
  return new UsageError(
    `${path} may be csv with tabs, or tsv: they read a quote and a backslash differently`,
    {
      hint: `Say which with --from-format csv or --from-format tsv. ${RECEIPT_HINT}`,
    },
  );
}
