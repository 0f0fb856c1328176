import { compactInto } from '../json/bytes.ts';
import { ABSENT, ESCAPED_TEXT, PLAIN_TEXT, CellReader } from '../json/cells.ts';
import { batchWithoutIds, wholeRecords, type RecordBatch } from '../json/records.ts';
import type { Layout, OpenWriter } from './writer.ts';

export const openJsonl: OpenWriter = (sink, layout) => {
  const linesOf = linesWith('\n', layout);
  return {
    async write(batch) {
      for (const chunk of linesOf(batch)) await sink.write(chunk);
    },
    end: async () => undefined,
  };
};

const SEPARATOR = ',\n';

/** One array with a record a line; or, for a command that has a single record, that record itself. */
export const openJson: OpenWriter = (sink, layout) => {
  if (layout.single) return openJsonl(sink, layout);
  const linesOf = linesWith(SEPARATOR, layout);
  let begun = false;
  return {
    async write(batch) {
      for (const chunk of linesOf(batch)) {
        await sink.write(begun ? SEPARATOR : '[\n');
        begun = true;
        // The separator waits: this may be the last record.
        await sink.write(chunk.subarray(0, -SEPARATOR.length));
      }
    },
    end: () => sink.write(begun ? '\n]\n' : '[]\n'),
  };
};

const CHUNK = 1024 * 1024;

/**
 * The records of a batch as sent but for white space between tokens, each with the separator behind it, in chunks that are valid
 * until the next one comes. With columns a record has just these, in this order: `{"number":7,"customer.name":null}`.
 */
function linesWith(separatorText: string, { columns, headings }: Layout) {
  const separator = Buffer.from(separatorText);
  const pick = columns ? picker(columns, headings?.(columns)) : wholeRecords;
  let chunk = Buffer.allocUnsafeSlow(CHUNK);
  return function* (sent: RecordBatch): Generator<Buffer> {
    const { bytes, bounds, count, spaced } = pick(sent);
    let at = 0;
    for (let index = 0; index < count; index++) {
      const [start, end] = [bounds[2 * index]!, bounds[2 * index + 1]!];
      const size = end - start + separator.length;
      if (at + size > chunk.length) {
        if (at > 0) yield chunk.subarray(0, at);
        if (size > chunk.length) chunk = Buffer.allocUnsafeSlow(size);
        at = 0;
      }
      at += spaced ? compactInto(bytes, [start, end], chunk.subarray(at)) : bytes.copy(chunk, at, start, end);
      for (let byte = 0; byte < separator.length; byte++) chunk[at++] = separator[byte]!;
    }
    if (at > 0) yield chunk.subarray(0, at);
  };
}

const NULL = Buffer.from('null');
const CLOSE = Buffer.from('}');

/** Makes records of some columns, each value as it was sent. `names` are those of the members. */
function picker(columns: readonly string[], names = columns): (batch: RecordBatch) => RecordBatch {
  const reader = new CellReader(columns);
  // The bytes before each value.
  const leads = names.map((name, at) => Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`));
  return (batch) => {
    const { count, spaced } = batch;
    const parts: Buffer[] = [];
    const bounds = new Int32Array(2 * count);
    let size = 0;
    const put = (part: Buffer): void => {
      parts.push(part);
      size += part.length;
    };
    for (let index = 0; index < count; index++) {
      reader.moveTo(batch, index);
      const { kinds, starts, ends } = reader.spans;
      const { bytes } = reader.view;
      bounds[2 * index] = size;
      for (const [column, lead] of leads.entries()) {
        put(lead);
        const kind = kinds[column]!;
        // The span of a string leaves out its quotes.
        const quote = kind === PLAIN_TEXT || kind === ESCAPED_TEXT ? 1 : 0;
        put(kind === ABSENT ? NULL : bytes.subarray(starts[column]! - quote, ends[column]! + quote));
      }
      put(CLOSE);
      bounds[2 * index + 1] = size;
    }
    return batchWithoutIds(Buffer.concat(parts, size), bounds, spaced);
  };
}
