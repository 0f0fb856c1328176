import { compactInto } from '../json/checked-text.ts';
import type { RecordBatch } from '../json/records.ts';
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

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(batch: RecordBatch): Promise<void> {
    for (const chunk of joinRecords(batch, '\n')) await this.#sink.write(chunk);
  }

  async end(): Promise<void> {}
}

const SEPARATOR = ',\n';

class ArrayWriter implements Writer {
  readonly #sink: Sink;
  #begun = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(batch: RecordBatch): Promise<void> {
    for (const chunk of joinRecords(batch, SEPARATOR)) {
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

/**
 * The records of a batch, each on one line and followed by `separator`, in chunks that the caller may keep. Records are
 * copied as sent; only white space between tokens is removed.
 */
function* joinRecords(batch: RecordBatch, separator: string): Generator<Buffer> {
  const { bytes, bounds, count, spaced } = batch;
  let index = 0;
  while (index < count) {
    const first = index;
    let size = 0;
    do size += bounds[2 * index + 1]! - bounds[2 * index]! + separator.length;
    while (++index < count && size + bounds[2 * index + 1]! - bounds[2 * index]! < CHUNK);
    const chunk = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (let record = first; record < index; record++) {
      const [start, end] = [bounds[2 * record]!, bounds[2 * record + 1]!];
      at += spaced ? compactInto(bytes, [start, end], chunk.subarray(at)) : bytes.copy(chunk, at, start, end);
      for (let letter = 0; letter < separator.length; letter++) chunk[at++] = separator.charCodeAt(letter);
    }
    yield chunk.subarray(0, at);
  }
}
