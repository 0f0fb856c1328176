import { ABSENT, ESCAPED, PLAIN } from '../json/cell-spans.ts';
import { Projection } from '../json/projection.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import type { OpenWriter } from './writer.ts';

const NULL = Buffer.from('null');
const CLOSE = Buffer.from('}');

/**
 * A writer of whole records, for the columns that were asked for: it is given records of these alone, in their order,
 * each value as it was sent under the name of its column, as in `{"number":7,"customer.name":null}`.
 */
export function withColumns(open: OpenWriter): OpenWriter {
  return (sink, layout) => {
    const writer = open(sink, layout);
    if (layout.columns === undefined) return writer;
    const picker = new RecordPicker(layout.columns);
    return { write: (batch) => writer.write(picker.pick(batch)), end: () => writer.end() };
  };
}

class RecordPicker {
  readonly #projection: Projection;
  /** What stands before each value: the brace or comma, and the name. */
  readonly #leads: readonly Buffer[];

  constructor(columns: readonly string[]) {
    this.#projection = new Projection(columns);
    this.#leads = columns.map((name, at) => Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  }

  pick(batch: RecordBatch): RecordBatch {
    const parts: Buffer[] = [];
    const bounds = new Int32Array(2 * batch.count);
    let size = 0;
    for (let index = 0; index < batch.count; index++) {
      bounds[2 * index] = size;
      for (const part of this.#partsOf(batch, index)) {
        parts.push(part);
        size += part.length;
      }
      bounds[2 * index + 1] = size;
    }
    return {
      ...batch,
      bytes: Buffer.concat(parts, size),
      bounds,
      ids: new Int32Array(2 * batch.count).fill(-1),
    };
  }

  *#partsOf(batch: RecordBatch, index: number): Generator<Buffer> {
    this.#projection.project(batch, index);
    const { kinds, starts, ends } = this.#projection.cells;
    for (let column = 0; column < this.#leads.length; column++) {
      yield this.#leads[column]!;
      const kind = kinds[column]!;
      // The span of a string leaves out its quotes.
      const quote = kind === PLAIN || kind === ESCAPED ? 1 : 0;
      yield kind === ABSENT ? NULL : batch.bytes.subarray(starts[column]! - quote, ends[column]! + quote);
    }
    yield CLOSE;
  }
}
