import { ABSENT, ESCAPED_TEXT, PLAIN_TEXT, Projection } from '../json/cells.ts';
import { batchWithoutIds, type RecordBatch } from '../json/records.ts';

const NULL = Buffer.from('null');
const CLOSE = Buffer.from('}');

/** Makes records of some columns of records: `{"number":7,"customer.name":null}`, each value as it was sent. */
export class RecordPicker {
  readonly #projection: Projection;
  /** The bytes before each value: the brace or comma, and the name. */
  readonly #leads: readonly Buffer[];

  /** @param names of the members, where they are not those of the columns */
  constructor(columns: readonly string[], names: readonly string[] = columns) {
    this.#projection = new Projection(columns);
    this.#leads = names.map((name, at) => Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  }

  pick(batch: RecordBatch): RecordBatch {
    const { count, spaced } = batch;
    const parts: Buffer[] = [];
    const bounds = new Int32Array(2 * count);
    let size = 0;
    for (let index = 0; index < count; index++) {
      bounds[2 * index] = size;
      for (const part of this.#partsOf(batch, index)) {
        parts.push(part);
        size += part.length;
      }
      bounds[2 * index + 1] = size;
    }
    return batchWithoutIds(Buffer.concat(parts, size), bounds, spaced);
  }

  *#partsOf(batch: RecordBatch, index: number): Generator<Buffer> {
    this.#projection.project(batch, index);
    const { kinds, starts, ends } = this.#projection.cells;
    const { bytes } = this.#projection.view;
    for (let column = 0; column < this.#leads.length; column++) {
      yield this.#leads[column]!;
      const kind = kinds[column]!;
      // The span of a string leaves out its quotes.
      const quote = kind === PLAIN_TEXT || kind === ESCAPED_TEXT ? 1 : 0;
      yield kind === ABSENT ? NULL : bytes.subarray(starts[column]! - quote, ends[column]! + quote);
    }
    yield CLOSE;
  }
}
