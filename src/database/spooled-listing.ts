import { UsageError } from '../errors.ts';
import { DIGEST_WORDS, DigestReader, digestInto } from '../json/digest-identity.ts';
import { RecordIndex } from '../json/record-index.ts';
import { KEY_HINT, RecordKeys } from '../json/identity.ts';
import { recordBytes, wholeRecords, type RecordBatch } from '../json/records.ts';
import { withoutLinks } from '../json/signed-links.ts';
import { RecordSpool } from '../output/spool.ts';

export interface ListedRecord {
  readonly key: string;
  /** Its number in the listing, from 0 on. */
  readonly number: number;
  readonly batch: RecordBatch;
  readonly index: number;
}

/** Records whose rows are in memory at a time. */
const RECORDS_TOGETHER = 50;

interface SpooledListingOptions {
  /** What its records are, for messages: `issued invoices`. */
  readonly records: string;
  /** The columns that together tell records apart; undefined for `id`. */
  readonly key: readonly string[] | undefined;
}

/**
 * A listing, without its signed links, that waits in a temporary file until all of it has come. Each record must have a key that
 * is its alone. Only hashes of keys and contents are in memory.
 */
export class SpooledListing {
  readonly index = new RecordIndex();
  readonly #records = new RecordSpool();
  readonly #options: SpooledListingOptions;
  readonly #keys: RecordKeys;
  readonly #identity: DigestReader;
  readonly #wanted = new Uint32Array(DIGEST_WORDS);

  constructor(options: SpooledListingOptions) {
    this.#options = options;
    this.#keys = new RecordKeys({ named: options.key });
    this.#identity = new DigestReader({ named: options.key });
  }

  /** The number of the record that has the key, from 0 on, or -1. */
  find(key: string): number {
    digestInto(this.#wanted, 0, key);
    return this.index.find(this.#wanted);
  }

  /** Adds records. Throws UsageError for one without a key, or with the key of another. */
  async add(batch: RecordBatch): Promise<void> {
    const stored = withoutLinks(wholeRecords(batch));
    for (let at = 0; at < stored.count; at++) this.#addKey(stored, at);
    await this.#records.add(stored);
  }

  /** All records, in their order; each batch stands until the next one is read. May be called more than once. */
  all(): AsyncIterable<RecordBatch> {
    return this.#records.read({ reuse: true });
  }

  /**
   * The records for which one of the actions is wanted, in their order, some at a time. May be called more than once.
   *
   * @param actions what is to be done with each record
   */
  async *withAction(
    actions: Uint8Array,
    ...wanted: readonly number[]
  ): AsyncGenerator<readonly ListedRecord[]> {
    if (!wanted.some((action) => actions.includes(action))) return;
    let number = 0;
    for await (const batch of this.all()) {
      let records: ListedRecord[] = [];
      for (let index = 0; index < batch.count; index++, number++) {
        if (wanted.includes(actions[number]!))
          records.push({ key: this.#keyOf(batch, index), number, batch, index });
        if (records.length < RECORDS_TOGETHER) continue;
        yield records;
        records = [];
      }
      if (records.length > 0) yield records;
    }
  }

  async close(): Promise<void> {
    await this.#records.close();
  }

  #keyOf(batch: RecordBatch, index: number): string {
    return this.#keys.read(batch, index)!;
  }

  #addKey(batch: RecordBatch, at: number): void {
    const { hasKey, words } = this.#identity.read(batch, at);
    const first = hasKey ? this.index.find(words) : -1;
    if (hasKey && first < 0) {
      this.index.add(words);
      return;
    }
    const { records, key = ['id'] } = this.#options;
    const [place, columns] = [this.index.count + 1, key.join(', ')];
    const reason = hasKey
      ? `the records ${first + 1} and ${place} of the ${records} have the same ${columns}: ${this.#keyOf(batch, at).slice(0, 60)}`
      : `record ${place} of the ${records} has no ${columns}: ${recordBytes(batch, at).toString('utf8', 0, 60)}…`;
    throw new UsageError(reason, { hint: `Nothing was written. ${KEY_HINT}` });
  }
}
