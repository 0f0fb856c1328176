import { UsageError, errorCode } from '../../errors.ts';
import { recordBytes, type RecordBatch } from '../../json/records.ts';
import { scanRecord } from '../../json/scan-records.ts';
import { ColumnWatch } from '../column-watch.ts';
import { ExportFile } from '../exports/export-file.ts';
import { deliveredForm } from '../exports/read-receipt.ts';
import { KeyReader, type KeyedRecord } from './record-key.ts';

/** Which earlier export to compare with. */
export interface EarlierExportOptions {
  /** The file, jsonl or json. */
  readonly path: string;
  /** The columns that together tell records apart. */
  readonly key: readonly string[];
  /** Selects the records that count; without it all do. */
  readonly keep?: ((batch: RecordBatch) => RecordBatch) | undefined;
  /** True where the file need not exist: then it counts as an export without records. */
  readonly missingOk?: boolean;
}

/** What a record was in the earlier export: missing, the same, or the other record that is returned. */
type EarlierRecord = 'none' | 'same' | { readonly record: RecordBatch };

/** Finds the records of an earlier export by their key. They stay in the file; a changed one is read again. */
export class EarlierExport {
  /** Records that lack a part of the key. */
  withoutKey = 0;
  /** Records that share their key with an earlier one. */
  repeatedKeys = 0;
  /** Undefined where there is none. */
  readonly #file: ExportFile | undefined;
  readonly #keys: KeyReader;
  readonly #index = new RecordIndex();
  readonly #path: string;
  /** A member of its first record that is named as a column within an object is: `customer.name`. */
  #flat: string | undefined;

  private constructor(file: ExportFile | undefined, { path, key }: EarlierExportOptions) {
    this.#file = file;
    this.#path = path;
    this.#keys = new KeyReader(key);
  }

  /** Reads the file once. Throws UsageError when it is no export, or when no record of it has the key. */
  static async open(options: EarlierExportOptions): Promise<EarlierExport> {
    const { path, key, keep, missingOk } = options;
    const file = await ExportFile.open(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      if (missingOk) return undefined;
      throw new UsageError(error.message, {
        hint: 'On a first night, add --changes-since-missing-ok: all records count as added then.',
        cause: error.cause,
      });
    });
    const earlier = new EarlierExport(file, options);
    const watch = new ColumnWatch(key);
    try {
      if (file !== undefined) await refuseHeadings(path);
      for await (const { batch, offset } of file?.parts() ?? [])
        earlier.#add(keep?.(batch) ?? batch, offset, watch);
      for (const column of watch.neverFound()) {
        throw new UsageError(`cannot compare with ${path}: ${watch.sentence(column)}`, {
          hint: 'Name the columns that tell records apart with --key <columns>.',
        });
      }
    } catch (error) {
      await earlier.close();
      throw error;
    }
    return earlier;
  }

  /** Whether there is no such file. */
  get isMissing(): boolean {
    return this.#file === undefined;
  }

  /** Throws UsageError where the records of --columns would be compared with whole ones: what is in an object would look changed. */
  refuseColumns(listed: RecordBatch): void {
    if (this.#flat === undefined || listed.count === 0) return;
    const members = membersOf(listed);
    if (members.includes(this.#flat) || !members.includes(this.#flat.split('.')[0]!)) return;
    throw new UsageError(
      `cannot compare with ${this.#path}: it has the column ${this.#flat}, and not whole records`,
      {
        hint: WHOLE_RECORDS,
      },
    );
  }

  /** Finds the earlier record with this key, and takes it: the second record of a key finds the second earlier one. */
  take({ key, hashes }: KeyedRecord): EarlierRecord {
    for (const candidate of this.#index.candidates(hashes)) {
      if (this.#index.isTaken(candidate)) continue;
      if (this.#index.hasContent(candidate, hashes)) {
        this.#index.take(candidate);
        return 'same';
      }
      const record = this.#read(candidate);
      if (this.#keys.read(record, 0).key !== key) continue;
      this.#index.take(candidate);
      return { record };
    }
    return 'none';
  }

  /** The records that were not taken, in their order. */
  *rest(): Generator<RecordBatch> {
    for (let record = 0; record < this.#index.count; record++) {
      if (!this.#index.isTaken(record)) yield this.#read(record);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #add(batch: RecordBatch, offset: number, watch: ColumnWatch): void {
    watch.sample(batch);
    if (this.#index.count === 0 && batch.count > 0)
      this.#flat = membersOf(batch).find((name) => name.includes('.'));
    for (let index = 0; index < batch.count; index++) {
      const { cells, key, hashes } = this.#keys.read(batch, index);
      watch.see(cells);
      const [start, end] = [batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!];
      const repeated = this.#index.add(hashes, offset + start, end - start);
      if (key === undefined) this.withoutKey++;
      else if (repeated) this.repeatedKeys++;
    }
  }

  #read(record: number): RecordBatch {
    return scanRecord(this.#file!.read(...this.#index.span(record)));
  }
}

const WHOLE_RECORDS = 'Keep an export without --columns to compare with: its records are whole.';

/** The names of the members of the first record. */
function membersOf(batch: RecordBatch): readonly string[] {
  return Object.keys(JSON.parse(recordBytes(batch, 0).toString()) as object);
}

/** Throws UsageError for an export with headings of its own: none of its records has the names that the listing has. */
async function refuseHeadings(path: string): Promise<void> {
  const [heading] = (await deliveredForm(path))?.headings ?? [];
  if (heading === undefined) return;
  throw new UsageError(
    `cannot compare with ${path}: it has headings of its own, as ${heading[0]} for ${heading[1]}`,
    { hint: WHOLE_RECORDS },
  );
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && errorCode(error.cause) === 'ENOENT';
}

/** Words of a record: two of its key's hash, two of its content's, its length, and its offset in two words. */
const WORDS = 7;
const LENGTH = 4;
const OFFSET_LOW = 5;
const OFFSET_HIGH = 6;
const FREE = -1;
const WORD = 2 ** 32;
/** Records in one block. The index grows by blocks, so that it is never copied. */
const BLOCK = 1024;

/**
 * Finds the places of a file's records by the hash of their key, in about 40 bytes a record: a million take 40 MB, and the
 * file itself stays on disk. Records of one key keep their order.
 */
export class RecordIndex {
  readonly #blocks: Uint32Array[] = [];
  readonly #taken: Uint8Array[] = [];
  #slots = new Int32Array(2 * BLOCK).fill(FREE);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a record by its hashes and its place in the file. Returns whether its key was there before. */
  add(hashes: Uint32Array, start: number, length: number): boolean {
    const at = (this.#count % BLOCK) * WORDS;
    if (at === 0) this.#grow();
    const block = this.#blocks.at(-1)!;
    block.set(hashes, at);
    block[at + LENGTH] = length;
    block[at + OFFSET_LOW] = start % WORD;
    block[at + OFFSET_HIGH] = Math.floor(start / WORD);
    return this.#place(this.#count++);
  }

  /** The records with the key's hash, in their order. */
  *candidates(hashes: Uint32Array): Generator<number> {
    const mask = this.#slots.length - 1;
    for (let slot = hashes[0]! & mask; this.#slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const record = this.#slots[slot]!;
      if (this.#hasKey(record, hashes)) yield record;
    }
  }

  /** Whether the record's content has the hash. */
  hasContent(record: number, hashes: Uint32Array): boolean {
    return this.#word(record, 2) === hashes[2] && this.#word(record, 3) === hashes[3];
  }

  /** Marks the record: another record was matched with it. */
  take(record: number): void {
    this.#taken[Math.floor(record / BLOCK)]![record % BLOCK] = 1;
  }

  isTaken(record: number): boolean {
    return this.#taken[Math.floor(record / BLOCK)]![record % BLOCK] === 1;
  }

  /** The record's place in the file. */
  span(record: number): [start: number, end: number] {
    const start = this.#word(record, OFFSET_HIGH) * WORD + this.#word(record, OFFSET_LOW);
    return [start, start + this.#word(record, LENGTH)];
  }

  #word(record: number, word: number): number {
    return this.#blocks[Math.floor(record / BLOCK)]![(record % BLOCK) * WORDS + word]!;
  }

  #hasKey(record: number, hashes: ArrayLike<number>): boolean {
    return this.#word(record, 0) === hashes[0] && this.#word(record, 1) === hashes[1];
  }

  #place(record: number): boolean {
    const mask = this.#slots.length - 1;
    const hashes = [this.#word(record, 0), this.#word(record, 1)];
    let known = false;
    let slot = hashes[0]! & mask;
    for (; this.#slots[slot] !== FREE; slot = (slot + 1) & mask)
      known ||= this.#hasKey(this.#slots[slot]!, hashes);
    this.#slots[slot] = record;
    return known;
  }

  /** Half of the slots stay free, so that a search is short. */
  #grow(): void {
    this.#blocks.push(new Uint32Array(BLOCK * WORDS));
    this.#taken.push(new Uint8Array(BLOCK));
    if (this.#blocks.length * BLOCK <= this.#slots.length / 2) return;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(FREE);
    for (let record = 0; record < this.#count; record++) this.#place(record);
  }
}
