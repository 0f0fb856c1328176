import { COMMA } from '../../json/ascii.ts';
import { compactInto } from '../../json/compact.ts';
import { ABSENT, BOOLEAN, ESCAPED } from '../../json/cell-spans.ts';
import { Projection } from '../../json/projection.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import type { Span } from '../../json/span.ts';
import { unescape } from '../../json/unescape.ts';
import { viewWords } from '../../json/word-search.ts';
import { CsvText } from './csv-text.ts';
import type { RowEncoder, Rows } from './row-encoder.ts';

/** Bytes that are handed on at a time: large enough for few writes, small enough to stay flat in memory. */
const CHUNK = 512 * 1024;

/** Bytes of a row beside its cells: its end, and the rest of a word that a copy may write beyond. */
const SLACK = 8;

/**
 * Plain csv (commas, LF) made from the bytes of the page, without a JavaScript string for any cell.
 *
 * Why csv has an encoder of its own, when csv-stringify writes every other dialect: 100,000 records of 1.2 KB in 29 columns
 * take 0.53 s of CPU this way and 1.63 s by cells as strings and csv-stringify's stream interface, the scanning (0.17 s)
 * and the spool included in both (Node 20, two cores, best of seven in one run). A thread of its own for the rows was tried:
 * a seventh off the time of an export on two cores, for 50 MB more memory. What comes out is what csv-stringify
 * would have written, byte for byte: `test/output/csv.test.ts` holds them against each other.
 */
export class PlainRows implements RowEncoder {
  readonly #projection: Projection;
  #text = new CsvText(0);
  /** Where text is decoded that cannot be copied from the page. */
  #scratch = viewWords(Buffer.allocUnsafeSlow(4096));

  constructor(columns?: readonly string[]) {
    this.#projection = new Projection(columns);
  }

  get columns(): readonly string[] {
    return this.#projection.columns.names;
  }

  header(): Buffer {
    const names = this.columns.map((name) => Buffer.from(name));
    const text = new CsvText(names.reduce((size, name) => size + 2 * name.length + 3, SLACK));
    for (const name of names) {
      text.putAny(viewWords(name), 0, name.length);
      text.putByte(COMMA);
    }
    text.endRow(names.length);
    return text.take();
  }

  *encode(batch: RecordBatch): Generator<Rows> {
    let columns = this.columns.length;
    let waiting = false;
    for (let index = 0; index < batch.count; index++) {
      this.#projection.project(batch, index);
      const room = this.#roomForRow();
      const fits = this.#text.hasRoomFor(room);
      if (waiting && !(fits && columns === this.columns.length)) yield { bytes: this.#text.take(), columns };
      if (!fits) this.#text = new CsvText(Math.max(CHUNK, room));
      columns = this.columns.length;
      this.#putRow(batch.spaced);
      waiting = true;
    }
    if (waiting) yield { bytes: this.#text.take(), columns };
  }

  /** The most bytes that the row of the record at hand can have. */
  #roomForRow(): number {
    const { kinds, starts, ends } = this.#projection.cells;
    let room = SLACK;
    for (let column = 0; column < this.columns.length; column++) {
      room += kinds[column] === ABSENT ? 1 : 2 * (ends[column]! - starts[column]!) + 3;
    }
    return room;
  }

  #putRow(spaced: boolean): void {
    const { view } = this.#projection;
    const { kinds, starts, ends } = this.#projection.cells;
    const text = this.#text;
    const count = this.columns.length;
    for (let column = 0; column < count; column++) {
      const kind = kinds[column]!;
      if (kind === ABSENT) text.putByte(COMMA);
      else {
        if (kind <= BOOLEAN) text.putPlain(view, starts[column]!, ends[column]!);
        else if (kind === ESCAPED || spaced) this.#putDecoded(kind, [starts[column]!, ends[column]!]);
        else text.putAny(view, starts[column]!, ends[column]!);
        text.putByte(COMMA);
      }
    }
    text.endRow(count);
  }

  #putDecoded(kind: number, span: Span): void {
    const { bytes } = this.#projection.view;
    if (this.#scratch.bytes.length < span[1] - span[0]) {
      this.#scratch = viewWords(Buffer.allocUnsafeSlow(2 * (span[1] - span[0])));
    }
    const decode = kind === ESCAPED ? unescape : compactInto;
    this.#text.putAny(this.#scratch, 0, decode(bytes, span, this.#scratch.bytes));
  }
}
