import { UsageError } from '../../errors.ts';
import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { endOfPlainText, WordView } from '../../json/bytes.ts';
import type { RecordBatch } from '../../json/records.ts';
import { Spool } from '../spool.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { PlainRows } from './plain-csv.ts';

/** Turns records into the rows of one dialect of csv. */
interface RowEncoder {
  readonly columns: readonly string[];
  /** Makes the name of a column inert where cells are. */
  readonly guard?: (name: string) => string;
  /**
   * The rows of the records, with the columns known by then; a new column is always the last. Bytes stand until the next
   * ones are asked for: an export of 100,000 would otherwise fill 86 MB of buffers, and freeing them takes longer than a copy.
   */
  encode(batch: RecordBatch): Iterable<{ readonly bytes: Buffer; readonly columns: number }>;
}

type CsvLayout = Layout & { readonly delimiter: string };

const BYTE_ORDER_MARK = '\ufeff';

/**
 * csv by RFC 4180, but with LF at the end of lines. Quotes stand only where they are needed, and a quote within a cell is
 * doubled. Null and missing are empty, booleans true and false, arrays compact JSON, numbers as sent. `delimiter` and
 * `excel` of the layout make dialects. Throws UsageError for a delimiter with which rows could not be read back.
 */
export const openCsv: OpenWriter = (sink, layout) => {
  const { delimiter = ',' } = layout;
  if (/^(?:["\r\n]|)$|^..+$/su.test(delimiter)) {
    throw new UsageError(`the delimiter ${JSON.stringify(delimiter)} cannot stand between cells`, {
      hint: 'Give one character other than a quote or a line break, such as ";".',
    });
  }
  return new CsvWriter(sink, { ...layout, delimiter });
};

/** What was written at a time: the header, or rows with so many columns. */
interface Written {
  readonly length: number;
  readonly columns: number;
  readonly isHeader: boolean;
}

/**
 * Writes a header and rows. With columns given, rows stream. Without, the header is the union over all records: rows wait in a spool,
 * and at the end those that were made before a column appeared get their missing delimiters. A file takes the rows as soon as they
 * are more than the spool has memory for, with the columns that there are by then; where another one appears later, which is rare,
 * it is begun anew at the end.
 */
class CsvWriter implements Writer {
  readonly #sink: Sink;
  readonly #layout: CsvLayout;
  readonly #spool = new Spool();
  /** How many columns the rows of each spooled chunk have. */
  readonly #widths: number[] = [];
  /** What a file holds that can be begun anew. */
  #written: Written[] = [];
  #encoder: RowEncoder | undefined;
  #begun = false;

  constructor(sink: Sink, layout: CsvLayout) {
    this.#sink = sink;
    this.#layout = layout;
  }

  async write(batch: RecordBatch): Promise<void> {
    const encoder = await this.#open();
    if (this.#layout.columns !== undefined) await this.#begin(encoder);
    for (const { bytes, columns } of encoder.encode(batch)) {
      if (!this.#begun && this.#mayBegin(encoder, bytes)) await this.#drain(encoder);
      if (this.#begun) await this.#put(encoder, bytes, columns);
      else {
        this.#widths.push(columns);
        await this.#spool.append(bytes);
      }
    }
  }

  async end(): Promise<void> {
    const encoder = await this.#open();
    if (!this.#begun) await this.#drain(encoder);
    const written = this.#written;
    if (written.every(({ columns }) => columns === encoder.columns.length)) return;
    const parts = await this.#sink.startOver!(written.map(({ length }) => length));
    this.#begun = false;
    await this.#begin(encoder);
    let part = 0;
    for await (const rows of parts) {
      const { columns, isHeader } = written[part++]!;
      if (!isHeader) await this.#put(encoder, rows, columns);
    }
  }

  /** Whether rows can go into the file although columns may follow. A lone column is another matter: see `#put`. */
  #mayBegin(encoder: RowEncoder, rows: Buffer): boolean {
    if (this.#sink.startOver === undefined || encoder.columns.length < 2) return false;
    return !this.#spool.hasRoomFor(rows.length);
  }

  async #drain(encoder: RowEncoder): Promise<void> {
    // Records without any column leave nothing to write.
    const isEmpty = encoder.columns.length === 0;
    if (!isEmpty) await this.#begin(encoder);
    let chunk = 0;
    try {
      for await (const rows of this.#spool.read({ reuse: true })) {
        if (!isEmpty) await this.#put(encoder, rows, this.#widths[chunk++]!);
      }
    } finally {
      await this.#spool.close();
    }
  }

  /** Writes rows that were made when `width` columns were known. */
  async #put(encoder: RowEncoder, rows: Buffer, width: number, isHeader = false): Promise<void> {
    const columns = encoder.columns.length;
    // A row without columns has no delimiter, like a row of one column.
    const missing = columns - Math.max(1, width);
    // A row whose only cell is empty would be an empty line, which readers of csv skip.
    const tail = columns === 1 ? '""' : this.#layout.delimiter.repeat(missing);
    const bytes = tail === '' ? rows : appendToRows(rows, tail);
    if (this.#sink.startOver !== undefined) this.#written.push({ length: bytes.length, columns, isHeader });
    await this.#sink.write(bytes);
  }

  async #open(): Promise<RowEncoder> {
    return (this.#encoder ??= await openEncoder(this.#layout));
  }

  async #begin(encoder: RowEncoder): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    this.#written = [];
    const { excel, header } = this.#layout;
    // Headings may be refused: before anything is written.
    const names = this.#header(encoder);
    const { length } = encoder.columns;
    if (excel) await this.#put(encoder, Buffer.from(BYTE_ORDER_MARK), length, true);
    if (header) await this.#put(encoder, names, length, true);
  }

  #header({ columns, guard = String }: RowEncoder): Buffer {
    const { delimiter, excel, headings } = this.#layout;
    const marks = ['"', '\r', '\n', delimiter];
    const cells = (headings?.(columns) ?? columns)
      .map(guard)
      .map((name) => (marks.some((mark) => name.includes(mark)) ? `"${name.replaceAll('"', '""')}"` : name));
    return Buffer.from(`${cells.join(delimiter)}${excel ? '\r\n' : '\n'}`);
  }
}

/** The encoder, loaded when the first rows come, so that an unused one costs nothing. */
async function openEncoder({ columns, delimiter, excel }: CsvLayout): Promise<RowEncoder> {
  if (delimiter === ',' && !excel) return new PlainRows(columns);
  return new (await import('./csv-dialect.ts')).DialectRows(columns, delimiter, excel);
}

/**
 * Whole rows of csv with `tail` added at the end of each, before a line feed outside quotes or the CR of a CR LF: the delimiters of
 * columns that were not known when the rows were written. A `tail` of `""` is added to empty rows only, because readers skip them.
 */
function appendToRows(rows: Buffer, tail: string): Buffer {
  const view = new WordView(rows);
  const parts: Buffer[] = [];
  const added = Buffer.from(tail);
  let [copied, start, inQuotes] = [0, 0, false];
  // The search stops at quotes and controls and skips everything else, which is most of the text.
  for (let at = endOfPlainText(view, 0); at < rows.length; at = endOfPlainText(view, at + 1)) {
    // A quote within a cell is doubled: the first leaves the quotes, the second enters them again.
    if (rows[at] === QUOTE) inQuotes = !inQuotes;
    if (rows[at] !== LINE_FEED || inQuotes) continue;
    const end = rows[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
    if (tail !== '""' || end === start) {
      parts.push(rows.subarray(copied, end), added);
      copied = end;
    }
    start = at + 1;
  }
  return Buffer.concat([...parts, rows.subarray(copied)]);
}
