import { compactInto } from '../json/checked-text.ts';
import { wholeRecords, type RecordBatch } from '../json/records.ts';
import { RecordPicker } from './record-picker.ts';
import type { OpenWriter, Sink, Writer } from './writer.ts';

/** One record a line, as sent. */
export const openJsonl: OpenWriter = withColumns((sink) => new LineWriter(sink));

/** One array with a record a line; or, for a command that has a single record, that record itself. */
export const openJson: OpenWriter = withColumns((sink, layout) =>
  layout.single ? new LineWriter(sink) : new ArrayWriter(sink),
);

class LineWriter implements Writer {
  readonly #sink: Sink;
  readonly #lines = new LinesOfRecords('\n');

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(batch: RecordBatch): Promise<void> {
    for (const chunk of this.#lines.of(batch)) await this.#sink.write(chunk);
  }

  async end(): Promise<void> {}
}

const SEPARATOR = ',\n';

class ArrayWriter implements Writer {
  readonly #sink: Sink;
  readonly #lines = new LinesOfRecords(SEPARATOR);
  #begun = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(batch: RecordBatch): Promise<void> {
    for (const chunk of this.#lines.of(batch)) {
      await this.#sink.write(this.#begun ? SEPARATOR : '[\n');
      this.#begun = true;
      // The separator after the last record waits: there may be no further record.
      await this.#sink.write(chunk.subarray(0, -SEPARATOR.length));
    }
  }

  async end(): Promise<void> {
    await this.#sink.write(this.#begun ? '\n]\n' : '[]\n');
  }
}

/**
 * Makes a writer of whole records heed the columns of the layout: it gets records that have just these columns, in this order,
 * each value as it was sent, as in `{"number":7,"customer.name":null}`.
 */
function withColumns(open: OpenWriter): OpenWriter {
  return (sink, layout) => {
    const writer = open(sink, layout);
    if (layout.columns === undefined) return writer;
    const picker = new RecordPicker(layout.columns);
    return { write: (batch) => writer.write(picker.pick(batch)), end: () => writer.end() };
  };
}

/** Bytes that are handed on at a time, unless one record has more. */
const CHUNK = 1024 * 1024;

/** Puts the records of a batch on a line each, as sent but for white space between tokens, with the separator behind each. */
class LinesOfRecords {
  readonly #separator: Buffer;
  #chunk = Buffer.allocUnsafeSlow(0);

  constructor(separator: string) {
    this.#separator = Buffer.from(separator);
  }

  /** The lines, in chunks. Each is valid until the next one is asked for. */
  *of(given: RecordBatch): Generator<Buffer> {
    const batch = wholeRecords(given);
    const { bounds, count } = batch;
    for (let first = 0, end = 0; first < count; first = end) {
      let size = 0;
      do size += bounds[2 * end + 1]! - bounds[2 * end]! + this.#separator.length;
      while (++end < count && size + bounds[2 * end + 1]! - bounds[2 * end]! < CHUNK);
      if (this.#chunk.length < size) this.#chunk = Buffer.allocUnsafeSlow(Math.max(size, CHUNK));
      yield this.#chunk.subarray(0, this.#fill(batch, first, end));
    }
  }

  /** Fills the chunk with the records from `first` up to, not including, `end`. Returns how many bytes they take. */
  #fill({ bytes, bounds, spaced }: RecordBatch, first: number, end: number): number {
    const [chunk, separator] = [this.#chunk, this.#separator];
    let at = 0;
    for (let index = first; index < end; index++) {
      if (spaced) at += compactInto(bytes, [bounds[2 * index]!, bounds[2 * index + 1]!], chunk.subarray(at));
      else {
        // Records with one byte between them, their comma, are copied together where the separator can take its place.
        const start = bounds[2 * index]!;
        const begun = index;
        while (index + 1 < end && separator.length === bounds[2 * index + 2]! - bounds[2 * index + 1]!)
          index++;
        at += bytes.copy(chunk, at, start, bounds[2 * index + 1]);
        const shift = at - bounds[2 * index + 1]!;
        for (let before = begun; before < index; before++)
          separator.copy(chunk, shift + bounds[2 * before + 1]!);
      }
      at += separator.copy(chunk, at);
    }
    return at;
  }
}
