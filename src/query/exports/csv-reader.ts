import { parse, type CsvError } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { parseDecimal } from '../../json/decimal.ts';
import { unguardFormula } from '../../output/csv/formula-guard.ts';
import { USUAL_DELIMITERS } from '../../output/csv/row-writer.ts';
import { readTsvText } from '../../output/csv/tsv.ts';
import { numberOrder } from '../cell-order.ts';
import type { Row, RowField } from '../rows.ts';
import type { DeliveredColumn } from './read-receipt.ts';

/** How a file of rows was written. */
export interface CsvForm {
  /** What stands between cells; undefined where the file has one column, and so does not show it. */
  readonly delimiter: string | undefined;
  /** `csv` has quotes and `tsv` has backslashes; `either` where the file is read only as long as that makes no difference. */
  readonly quoting: 'csv' | 'tsv' | 'either';
  /** Whether an apostrophe stands before text that a spreadsheet would run as a formula. */
  readonly isGuarded: boolean;
  /** The names of the columns, where the first row is a record. */
  readonly columns: readonly string[] | undefined;
  /** The column that each heading stands for, where columns had headings of their own. */
  readonly headings?: ReadonlyMap<string, string> | undefined;
  /** The kind of what a column holds, by its heading, where it is known. */
  readonly kinds: ReadonlyMap<string, DeliveredColumn['kind']>;
}

/** What every hint about the form of a file ends with. */
export const RECEIPT_HINT = 'A receipt beside the file, --receipt <file>.receipt.json, says it by itself.';

/**
 * Reads csv in any dialect that folio writes, and tsv, part by part. A row becomes a record with a member for each column. Where
 * it is not known of which kind a column is, digits become numbers: a text of digits, such as an id, becomes a number of the
 * same digits.
 */
export class CsvReader {
  readonly #path: string;
  readonly #form: CsvForm;
  readonly #parser: ReturnType<typeof parse>;
  #header: readonly string[] | undefined;
  #rows: Row[] = [];
  #failure: UsageError | undefined;
  /** For each column that is grouped by: how each number was written first. */
  readonly #written: ReadonlyMap<string, Map<string, string>>;

  /**
   * @param path for messages
   * @param groupedBy the columns by which records are grouped
   */
  constructor(path: string, form: CsvForm, groupedBy: readonly string[] = []) {
    this.#path = path;
    this.#form = form;
    this.#written = new Map(groupedBy.map((name) => [name, new Map()]));
    this.#header = form.columns;
    this.#parser = parse({
      bom: true,
      delimiter: form.delimiter ?? ',',
      record_delimiter: ['\r\n', '\n'],
      ...(form.quoting !== 'csv' && { quote: false }),
    });
    this.#parser.on('readable', () => this.#take());
    this.#parser.on('error', (error) => (this.#failure ??= this.#refuse(reasonOf(error))));
  }

  /** The rows that end in this part of the file. Throws UsageError where a row does not fit the header. */
  async read(part: Uint8Array): Promise<Row[]> {
    await new Promise((resolve) => this.#parser.write(part, resolve));
    return this.#taken();
  }

  /** The last row, where no line feed ends it. Throws UsageError where the file ends within a quoted cell. */
  async end(): Promise<Row[]> {
    await new Promise<void>((resolve) => {
      this.#parser.once('end', resolve).once('error', () => resolve());
      this.#parser.end();
    });
    return this.#taken();
  }

  #taken(): Row[] {
    this.#take();
    if (this.#failure !== undefined) throw this.#failure;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #take(): void {
    for (;;) {
      const cells = this.#parser.read() as string[] | null;
      if (cells === null) return;
      const texts = cells.map((cell) => this.#textOf(cell));
      if (this.#header === undefined) this.#header = texts;
      else if (this.#header.length === texts.length) this.#rows.push(this.#recordOf(this.#header, texts));
      else
        this.#failure ??= this.#refuse(
          `its rows have ${texts.length} cells, and ${this.#header.length} columns are named`,
        );
    }
  }

  #textOf(cell: string): string {
    const { quoting, isGuarded, delimiter } = this.#form;
    if (quoting === 'tsv') return readTsvText(cell);
    if (quoting === 'either' && /["\\]/.test(cell)) this.#failure ??= csvOrTsv(this.#path);
    if (!isGuarded) return cell;
    // Text that has the delimiter got no apostrophe behind it.
    const marks = delimiter === undefined ? USUAL_DELIMITERS : [delimiter];
    const [text, another] = new Set(marks.map((mark) => unguardFormula(cell, mark)));
    if (another !== undefined) this.#failure ??= unknownDelimiter(this.#path, USUAL_DELIMITERS);
    return text!;
  }

  #recordOf(header: readonly string[], cells: readonly string[]): Row {
    const { kinds, headings } = this.#form;
    return header.map((name, index): RowField => {
      const cell = cells[index]!;
      const column = headings?.get(name) ?? name;
      const kind = kinds.get(name);
      if (kind !== 'text' && kind !== 'number') this.#askKind(column, cell);
      return [column, jsonOf(cell, kind)];
    });
  }

  /** Refuses 1.5 where 1.50 came before: as numbers they are one group, as texts they are two. */
  #askKind(name: string, cell: string): void {
    const written = this.#written.get(name);
    const number = written && numberOrder(cell);
    if (number === undefined) return;
    const first = written!.get(number);
    if (first === undefined) written!.set(number, cell);
    else if (first !== cell) {
      this.#failure ??= new UsageError(
        `${this.#path} does not say whether ${name} holds numbers or text: ${first} and ${cell} are one number, or two texts`,
        { hint: `Say it with --from-kind ${name}=text or --from-kind ${name}=number. ${RECEIPT_HINT}` },
      );
    }
  }

  #refuse(what: string): UsageError {
    return new UsageError(`${this.#path} is not a whole export: ${what}`, {
      hint: 'It may have been cut short or edited: `folio verify` tells whether it is what was delivered.',
    });
  }
}

function reasonOf(error: Error): string {
  const { code, records = 0, record, message } = error as CsvError & Record<string, unknown>;
  const row = Number(records) + 1;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'it ends within a row';
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'INVALID_OPENING_QUOTE':
      return `row ${row} has a quote within a cell`;
    default:
      return code.startsWith('CSV_RECORD_INCONSISTENT')
        ? `row ${row} has ${(record as unknown[]).length} cells, its header ${/expect (\d+)/.exec(message)?.[1]}`
        : message;
  }
}

/** The JSON text of a cell, whose column is of that kind. An empty cell is null, whatever it was. */
function jsonOf(cell: string, kind: DeliveredColumn['kind'] | undefined): string {
  if (cell === '') return 'null';
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell;
  // Among texts, what reads as a list or an object is one: a reference to a document may be either.
  if ((kind === 'nested' || (kind === 'mixed' && /^[[{]/.test(cell))) && isJson(cell)) return cell;
  return kind !== 'text' && typeof parseDecimal(cell) === 'object' ? cell : JSON.stringify(cell);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The error for a file that may be read by several delimiters, the likeliest first. */
export function unknownDelimiter(path: string, possible: readonly string[]): UsageError {
  const shown = possible.map((mark) => JSON.stringify(mark)).join(' or ');
  return new UsageError(`${path} does not say what stands between its cells: it may be ${shown}`, {
    hint: `Say it with --from-delimiter, as in --from-delimiter '${possible[0]}'. ${RECEIPT_HINT}`,
  });
}

/** The error for a file that is csv with tabs or tsv, once that makes a difference. */
function csvOrTsv(path: string): UsageError {
  return new UsageError(
    `${path} may be csv with tabs, or tsv: they read a quote and a backslash differently`,
    {
      hint: `Say which with --from-format csv or --from-format tsv. ${RECEIPT_HINT}`,
    },
  );
}
