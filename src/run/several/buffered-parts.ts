import type { RecordBatch } from '../../json/records.ts';
import { Collected } from '../../output/collected.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import { hasRecords, tryPart, type Part, type PartOptions, type PartResult } from '../part.ts';
import type { Run } from '../run.ts';

/** Parts that are read at a time. */
const AT_ONCE = 4;

/** Parts that are read or done while one before them is still read, at most: each may have a temporary file. */
const AHEAD = 64;

/** Does something for each part, up to four at a time, and gives what comes of it in the order of the parts. */
export function forEachPart<Item, Result>(
  { context }: Run,
  parts: readonly Item[],
  work: (part: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  return mapInOrder(parts, work, { concurrency: AT_ONCE, ahead: AHEAD, signal: context.signal });
}

/** One part of several: its name, its source, and whose it is. */
export type NamedPart = PartOptions & { readonly name: string };

/** One part, and what was buffered of it. */
interface BufferedPart<Options extends NamedPart> {
  readonly options: Options;
  readonly result: PartResult;
  /** To be read before the next part is asked for; none where the part failed. */
  readonly records: AsyncIterable<RecordBatch>;
}

/**
 * Reads several parts and buffers each until it is complete, so that a part which fails midway leaves nothing behind. Each
 * part is whole, or is said not to be. Memory does not grow with them.
 */
export class BufferedParts<Options extends NamedPart> {
  /** What became of each part so far, in order. */
  readonly results: PartResult[] = [];
  readonly #run: Run;
  readonly #parts: readonly Options[];
  readonly #recordsOf: (part: Part) => AsyncIterable<RecordBatch>;
  readonly #open = new Set<Collected>();

  /**
   * @param recordsOf what is buffered of a part; it throws IncompleteError, after the last record, where the part is not
   *   whole
   */
  constructor(run: Run, parts: readonly Options[], recordsOf: (part: Part) => AsyncIterable<RecordBatch>) {
    this.#run = run;
    this.#parts = parts;
    this.#recordsOf = recordsOf;
  }

  /** The parts in their order, up to four read at a time. To be read once. */
  async *read(): AsyncGenerator<BufferedPart<Options>> {
    const all = forEachPart(this.#run, this.#parts, (options, signal) => this.#buffer(options, signal));
    try {
      for await (const { options, result, collected } of all) {
        this.results.push(result);
        yield { options, result, records: hasRecords(result) ? collected.read() : nothing() };
        await collected.close();
        this.#open.delete(collected);
      }
    } finally {
      for (const collected of this.#open) await collected.close();
    }
  }

  /** The names of those that there are records of, so far, be it not all. */
  get namesHad(): readonly string[] {
    return this.results.filter(hasRecords).map(({ name }) => name);
  }

  async #buffer(options: Options, signal: AbortSignal) {
    const collected = new Collected();
    this.#open.add(collected);
    const result = await tryPart(this.#run, { ...options, signal }, async (part) => {
      for await (const batch of this.#recordsOf(part)) await collected.add(batch);
    });
    return { options, result, collected };
  }
}

async function* nothing(): AsyncGenerator<RecordBatch> {}
