import { UsageError } from '../errors.ts';
import { DIGEST_WORDS, DigestReader, digestInto } from '../json/digest-identity.ts';
import { RecordIndex } from '../json/record-index.ts';
import { RecordKeys } from '../json/record-key.ts';
import { recordBytes, wholeRecords, type RecordBatch } from '../json/records.ts';
import { withoutLinks } from '../json/signed-links.ts';
import { Collected } from '../output/collected.ts';

interface ListingKeysOptions {
  /** What its records are, for messages: `issued invoices`. */
  readonly records: string;
  /** The columns that together tell records apart; undefined for `id`. */
  readonly key: readonly string[] | undefined;
  /** What the user can do where they do not. */
  readonly hint: string;
}

/** Some record of a listing has no key, or that of another. */
export class KeyRefused extends UsageError {}

/** The keys of a listing's records, each of which must be there and be that of one record alone. Only hashes are in memory. */
export class ListingKeys {
  readonly index = new RecordIndex();
  readonly #options: ListingKeysOptions;
  readonly #keys: RecordKeys;
  readonly #identity: DigestReader;

  constructor(options: ListingKeysOptions) {
    this.#options = options;
    this.#keys = new RecordKeys({ named: options.key });
    this.#identity = new DigestReader({ named: options.key });
  }

  /** Adds a record's key. Throws KeyRefused for a record without a key, or with the key of another. */
  add(batch: RecordBatch, at: number): void {
    this.#add(this.#identity.readKey(batch, at), batch, at);
  }

  /** Adds a record's key, and what it says. Throws as `add` does. */
  addWhole(batch: RecordBatch, at: number): void {
    this.#add(this.#identity.read(batch, at), batch, at);
  }

  /** The key of a record that was added before. */
  keyOf(batch: RecordBatch, at: number): string {
    return this.#keys.read(batch, at)!;
  }

  #add({ hasKey, words }: DigestReader, batch: RecordBatch, at: number): void {
    if (!hasKey) throw this.#missingKey(batch, at);
    const first = this.index.find(words);
    if (first >= 0) throw this.#repeatedKey(this.keyOf(batch, at), first);
    this.index.add(words);
  }

  #missingKey(batch: RecordBatch, at: number): KeyRefused {
    const { records, key, hint } = this.#options;
    const start = recordBytes(batch, at).toString('utf8', 0, 60);
    const columns = key === undefined ? 'id' : key.join(', ');
    const place = this.index.count + 1;
    return new KeyRefused(`record ${place} of the ${records} has no ${columns}: ${start}…`, { hint });
  }

  #repeatedKey(key: string, first: number): KeyRefused {
    const { records, key: columns, hint } = this.#options;
    const [one, other] = [first + 1, this.index.count + 1];
    return new KeyRefused(
      `the records ${one} and ${other} of the ${records} have the same ${columns?.join(', ') ?? 'id'}: ${key.slice(0, 60)}`,
      { hint },
    );
  }
}

/** Some records of a listing. */
interface ListedRecords {
  readonly batch: RecordBatch;
  /** Of the records that are wanted. */
  readonly indices: readonly number[];
  /** The number of the batch's first record. */
  readonly first: number;
}

/** Records whose rows are in memory at a time. */
const RECORDS_TOGETHER = 200;

interface SpooledListingOptions extends Pick<ListingKeysOptions, 'records' | 'key'> {
  /** How the command line names the listing: `issued`. */
  readonly name: string;
}

/**
 * A listing, without its signed links, that waits in a temporary file until all of it has come. Only hashes of keys and contents
 * are in memory.
 */
export class SpooledListing {
  readonly #records = new Collected();
  readonly #keys: ListingKeys;
  readonly #wanted = new Uint32Array(DIGEST_WORDS);

  constructor({ name, records, key }: SpooledListingOptions) {
    const hint = `Nothing was written. Name the columns that tell records apart with --key ${name}=<columns>.`;
    this.#keys = new ListingKeys({ records, key, hint });
  }

  get index(): RecordIndex {
    return this.#keys.index;
  }

  /** The number of the record that has the key, from 0 on, or -1. */
  find(key: string): number {
    digestInto(this.#wanted, 0, key);
    return this.index.find(this.#wanted);
  }

  /** Adds records. Throws KeyRefused as `ListingKeys.add` does. */
  async add(batch: RecordBatch): Promise<void> {
    const stored = withoutLinks(wholeRecords(batch));
    for (let at = 0; at < stored.count; at++) this.#keys.addWhole(stored, at);
    await this.#records.add(stored);
  }

  /** All records, in their order. May be called more than once. */
  read(): AsyncGenerator<RecordBatch> {
    return this.#records.read();
  }

  /** The records whose numbers are wanted, some at a time. */
  async *some(isWanted: (record: number) => boolean): AsyncGenerator<ListedRecords> {
    let first = 0;
    for await (const batch of this.read()) {
      let indices: number[] = [];
      for (let index = 0; index < batch.count; index++) {
        if (isWanted(first + index)) indices.push(index);
        if (indices.length < RECORDS_TOGETHER) continue;
        yield { batch, indices, first };
        indices = [];
      }
      if (indices.length > 0) yield { batch, indices, first };
      first += batch.count;
    }
  }

  /** The key of a record that was read back. */
  keyOf(batch: RecordBatch, at: number): string {
    return this.#keys.keyOf(batch, at);
  }

  async close(): Promise<void> {
    await this.#records.close();
  }
}
