import { UsageError } from '../errors.ts';
import { BACKSLASH, QUOTE } from '../json/bytes.ts';
import { CellReader } from '../json/cells.ts';
import { compactRecord, withoutLinks } from '../json/signed-links.ts';
import { recordBytes, wholeRecords, type RecordBatch } from '../json/records.ts';
import { Collected } from '../output/collected.ts';
import { HashedKeyIndex, hash128 } from './key-index.ts';

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
  readonly index = new HashedKeyIndex();
  readonly #options: ListingKeysOptions;
  readonly #keys: RecordKeys;

  constructor(options: ListingKeysOptions) {
    this.#options = options;
    this.#keys = new RecordKeys(options.key);
  }

  /** Adds a record, and what it says as a hash. Throws KeyRefused for one without a key, or with the key of another. */
  add(batch: RecordBatch, at: number, content = ''): void {
    const key = this.#keys.read(batch, at);
    if (key === undefined) throw this.#missingKey(batch, at);
    const first = this.index.add(hash128(key), content);
    if (first >= 0) throw this.#repeatedKey(key, first);
  }

  /** The key of a record that was added before. */
  keyOf(batch: RecordBatch, at: number): string {
    return this.#keys.read(batch, at)!;
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

  constructor({ name, records, key }: SpooledListingOptions) {
    const hint = `Nothing was written. Name the columns that tell records apart with --key ${name}=<columns>.`;
    this.#keys = new ListingKeys({ records, key, hint });
  }

  get index(): HashedKeyIndex {
    return this.#keys.index;
  }

  /** Adds records. Throws KeyRefused as `ListingKeys.add` does. */
  async add(batch: RecordBatch): Promise<void> {
    const stored = withoutLinks(wholeRecords(batch));
    for (let at = 0; at < stored.count; at++) this.#keys.add(stored, at, contentHash(stored, at));
    await this.#records.add(stored);
  }

  /** All records, in their order. May be called more than once. */
  read(): AsyncGenerator<RecordBatch> {
    return this.#records.read();
  }

  /** The key of a record that was read back. */
  keyOf(batch: RecordBatch, at: number): string {
    return this.#keys.keyOf(batch, at);
  }

  async close(): Promise<void> {
    await this.#records.close();
  }
}

/** 128 bits of what the record says. White space between its tokens is not part of it. */
function contentHash(batch: RecordBatch, at: number): string {
  return hash128(compactRecord(batch, at));
}

/** Reads the text that tells a record from all others. */
class RecordKeys {
  readonly #reader: CellReader | undefined;

  constructor(columns: readonly string[] | undefined) {
    this.#reader = columns && new CellReader(columns);
  }

  /** Undefined where the record lacks a part of it. Of several columns the texts are put into a JSON array. */
  read(batch: RecordBatch, at: number): string | undefined {
    const key = this.#reader === undefined ? idOf(batch, at) : cellsOf(this.#reader, batch, at);
    // PostgreSQL cannot hold NUL, and half a character has no UTF-8: there, keys that differ in nothing else would be equal.
    return key === undefined || /^[\x01-\xFF]*$/.test(key)
      ? key
      : Buffer.from(key.replaceAll('\0', '\uFFFD')).toString('utf8');
  }
}

function idOf({ bytes, ids }: RecordBatch, at: number): string | undefined {
  const [start, end] = [ids[2 * at]!, ids[2 * at + 1]!];
  if (start < 0) return undefined;
  if (bytes[start] !== QUOTE) return bytes.toString('latin1', start, end);
  const escape = bytes.indexOf(BACKSLASH, start);
  if (escape < 0 || escape >= end) return bytes.toString('utf8', start + 1, end - 1);
  return JSON.parse(bytes.toString('utf8', start, end)) as string;
}

function cellsOf(reader: CellReader, batch: RecordBatch, at: number): string | undefined {
  const texts: string[] = [];
  for (const cell of reader.read(batch, at)) {
    if (cell === undefined || cell.text === '') return undefined;
    texts.push(cell.text);
  }
  return texts.length === 1 ? texts[0] : JSON.stringify(texts);
}
