import type { RecordBatch } from '../json/record-batch.ts';
import { mendRows } from './mend-rows.ts';
import type { RowEncoder } from './row-encoder.ts';
import { Spool } from './spool.ts';
import type { Layout, Sink, Writer } from './writer.ts';

export interface RowWriterOptions {
  readonly sink: Sink;
  readonly layout: Pick<Layout, 'columns' | 'header'>;
  readonly delimiter: string;
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
      if (streams) await this.#options.sink.write(bytes);
      else {
        this.#widths.push(columns);
        await this.#spool.append(bytes);
      }
    }
  }

  async end(): Promise<void> {
    const encoder = await this.#open();
    const width = encoder.columns.length;
    // Without any column there is nothing to show, however many records there were.
    if (width > 0) await this.#begin(encoder);
    let chunk = 0;
    try {
      for await (const rows of this.#spool.read()) {
        const missing = Math.max(0, width - Math.max(1, this.#widths[chunk++]!));
        const tail = width === 1 ? '""' : this.#options.delimiter.repeat(missing);
        if (width > 0) await this.#options.sink.write(tail === '' ? rows : mendRows(rows, tail));
      }
    } finally {
      await this.#spool.close();
    }
  }

  async #open(): Promise<RowEncoder> {
    return (this.#encoder ??= await this.#options.openEncoder(this.#options.layout.columns));
  }

  async #begin(encoder: RowEncoder): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    if (this.#options.preamble !== '') await this.#options.sink.write(this.#options.preamble);
    if (this.#options.layout.header) await this.#options.sink.write(encoder.header());
  }
}
