import type { RecordBatch } from '../json/record-batch.ts';
import { joinRecords } from './join-records.ts';
import { openJsonl } from './jsonl.ts';
import type { OpenWriter, Sink, Writer } from './writer.ts';

const SEPARATOR = ',\n';

/** One array with a record a line; or, for a command that has a single record, that record itself. */
export const openJson: OpenWriter = (sink, layout) =>
  layout.single ? openJsonl(sink, layout) : new ArrayWriter(sink);

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
      // Whether the last record is followed by another is not known yet.
      await this.#sink.write(chunk.subarray(0, -SEPARATOR.length));
    }
  }

  async end(): Promise<void> {
    await this.#sink.write(this.#begun ? '\n]\n' : '[]\n');
  }
}
