import type { RecordBatch } from '../../json/records.ts';
import { Spool } from '../spool.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import { appendToRows } from './row-ends.ts';

/** Rows as bytes, each ended, all with the same number of columns. */
export interface EncodedRows {
  readonly bytes: Buffer;
  readonly columns: number;
}

/** Turns records into the rows of one dialect of csv, or of tsv. */
export interface RowEncoder {
  /** The columns that were asked for, else those that have appeared so far. */
  readonly columns: readonly string[];
  /** The line that names the columns, ended. */
  header(): Buffer;
  /** The rows of the records, with the columns known by then: a new one is always the last. The bytes are the taker's. */
  encode(batch: RecordBatch): Iterable<EncodedRows>;
}

interface RowWriterOptions {
  readonly sink: Sink;
  readonly layout: Pick<Layout, 'columns' | 'header'>;
  readonly delimiter: string;
  /** Whether a cell may stand in quotes, and hold line feeds then. */
  readonly quotes: boolean;
  /** What the document begins with, before the header: a byte order mark, or nothing. */
  readonly preamble: string;
  /** Loads the encoder when the first rows come, so that an unused one costs nothing. */
  readonly openEncoder: (columns: readonly string[] | undefined) => Promise<RowEncoder>;
  readonly spool?: Spool;
}

/**
 * Writes a table. With columns given, rows stream. Without, the header is the union over all records: rows are put
 * aside with the columns known so far, and those written before a column appeared are completed at the end.
 */
export class RowWriter implements Writer {
  readonly #options: RowWriterOptions;
  readonly #spool: Spool;
  /** How many columns the rows of each spooled chunk have. */
  readonly #widths: number[] = [];
  #encoder: RowEncoder | undefined;
  #begun = false;

  constructor(options: RowWriterOptions) {
    this.#options = options;
    this.#spool = options.spool ?? new Spool();
  }

  async write(batch: RecordBatch): Promise<void> {
    const encoder = await this.#open();
    const streams = this.#options.layout.columns !== undefined;
    if (streams) await this.#begin(encoder);
    for (const { bytes, columns } of encoder.encode(batch)) {
      if (streams) await this.#put(encoder, bytes, columns);
      else {
        this.#widths.push(columns);
        await this.#spool.append(bytes);
      }
    }
  }

  async end(): Promise<void> {
    const encoder = await this.#open();
    // Without any column there is nothing to show, however many records there were.
    const isEmpty = encoder.columns.length === 0;
    if (!isEmpty) await this.#begin(encoder);
    let chunk = 0;
    try {
      for await (const rows of this.#spool.read()) {
        if (!isEmpty) await this.#put(encoder, rows, this.#widths[chunk++]!);
      }
    } finally {
      await this.#spool.close();
    }
  }

  /** Rows that were written when `width` columns were known. */
  async #put(encoder: RowEncoder, rows: Buffer, width: number): Promise<void> {
    const columns = encoder.columns.length;
    // Rows of no column look like rows of one: neither has a delimiter.
    const missing = columns - Math.max(1, width);
    // The only column, empty, would be an empty line, which readers pass over.
    const { sink, delimiter, quotes } = this.#options;
    const tail = columns === 1 && quotes ? '""' : delimiter.repeat(missing);
    await sink.write(tail === '' ? rows : appendToRows(rows, tail, quotes));
  }

  async #open(): Promise<RowEncoder> {
    return (this.#encoder ??= await this.#options.openEncoder(this.#options.layout.columns));
  }

  async #begin(encoder: RowEncoder): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#options.preamble !== '') await this.#options.sink.write(this.#options.preamble);
    if (this.#options.layout.header) await this.#put(encoder, encoder.header(), encoder.columns.length);
  }
}
