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

/** Takes a record by its number in the listing, from 0 on. */
export type ShowRecord = (number: number, batch: RecordBatch, index: number) => void;

/** Records whose rows are in memory at a time. */
const RECORDS_TOGETHER = 200;

/**
 * A listing, without its signed links, that waits in a temporary file until it is complete. Each record must have a unique key.
 * Only hashes of keys and contents are in memory.
 */
export class SpooledListing {
  readonly index = new RecordIndex();
  readonly #spool = new RecordSpool();
  readonly #records: string;
  readonly #key: readonly string[];
  readonly #keys: RecordKeys;
  readonly #identity: DigestReader;
  readonly #wanted = new Uint32Array(DIGEST_WORDS);

  /**
   * @param records what its records are, for messages: `issued invoices`
   * @param key the columns that together tell records apart; undefined for `id`
   */
  constructor({ records, key }: { readonly records: string; readonly key: readonly string[] | undefined }) {
    this.#records = records;
    this.#key = key ?? ['id'];
    this.#keys = new RecordKeys({ named: key });
    this.#identity = new DigestReader({ named: key });
  }

  /** The number of the record that has the key, from 0 on, or -1. */
  find(key: string): number {
    digestInto(this.#wanted, 0, key);
    return this.index.find(this.#wanted);
  }

  /** Adds records. Throws UsageError for one without a key, or with the key of another. */
  async add(batch: RecordBatch): Promise<void> {
    const stored = withoutLinks(wholeRecords(batch));
    for (let at = 0; at < stored.count; at++) {
      const { hasKey, words } = this.#identity.read(stored, at);
      const first = hasKey ? this.index.find(words) : -1;
      if (!hasKey || first >= 0) throw this.#badKey(first, stored, at);
      this.index.add(words);
    }
    await this.#spool.add(stored);
  }

  /** Shows each record, in their order. May be called more than once. */
  async each(show: ShowRecord): Promise<void> {
    let number = 0;
    for await (const batch of this.#spool.read({ reuse: true }))
      for (let index = 0; index < batch.count; index++) show(number++, batch, index);
  }

  /**
   * The records with one of these actions, in their order, some at a time. May be called more than once.
   *
   * @param actions the action for each record
   */
  async *withAction(
    actions: Uint8Array,
    ...wanted: readonly number[]
  ): AsyncGenerator<readonly ListedRecord[]> {
    if (!wanted.some((action) => actions.includes(action))) return;
    let number = 0;
    for await (const batch of this.#spool.read({ reuse: true })) {
      let records: ListedRecord[] = [];
      for (let index = 0; index < batch.count; index++, number++) {
        if (!wanted.includes(actions[number]!)) continue;
        records.push({ key: this.#keys.read(batch, index)!, number, batch, index });
        if (records.length < RECORDS_TOGETHER) continue;
        yield records;
        records = [];
      }
      if (records.length > 0) yield records;
    }
  }

  async close(): Promise<void> {
    await this.#spool.close();
  }

  /** The error for a record without a key, or with that of the record `first`. */
  #badKey(first: number, batch: RecordBatch, at: number): UsageError {
    const [place, columns] = [this.index.count + 1, this.#key.join(', ')];
    const reason =
      first < 0
        ? `record ${place} of the ${this.#records} has no ${columns}: ${recordBytes(batch, at).toString('utf8', 0, 60)}…`
        : `the records ${first + 1} and ${place} of the ${this.#records} have the same ${columns}: ${this.#keys.read(batch, at)!.slice(0, 60)}`;
    return new UsageError(reason, { hint: KEY_HINT });
  }
}
