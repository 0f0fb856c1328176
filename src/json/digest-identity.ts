import { createHash, hash } from 'node:crypto';
import { CellReader } from './cells.ts';
import {
  keyText,
  linksOf,
  LinkSearch,
  type IdentityReader,
  type KeyColumns,
  type Sequence,
} from './identity.ts';
import type { RecordBatch } from './records.ts';

/**
 * Reads identities as 128 bits of SHA-256 each, for listings whose records no total counts. It is loaded only for those:
 * the runtime takes 3 ms to load what makes digests.
 */
export class DigestReader implements IdentityReader {
  hasKey = false;
  readonly #words = new Uint32Array(4);
  /** Digests are numbered, so that 64 bits hold them. */
  readonly #numbers = new DigestNumbers();
  readonly #named: CellReader | undefined;
  readonly #natural: CellReader | undefined;
  readonly #links = new LinkSearch();
  #key = '';
  #content = '';

  constructor({ named, natural }: KeyColumns = {}) {
    this.#named = named === undefined ? undefined : new CellReader(named);
    this.#natural = natural === undefined ? undefined : new CellReader(natural);
  }

  get words(): Readonly<Uint32Array> {
    this.#words[0] = this.#numbers.numberOf(this.#key);
    this.#words[2] = this.#numbers.numberOf(this.#content);
    return this.#words;
  }

  read(batch: RecordBatch, index: number): this {
    const { bytes, bounds, ids } = batch;
    const parts: Buffer[] = [];
    let at = bounds[2 * index]!;
    const end = bounds[2 * index + 1]!;
    const links = linksOf(batch);
    for (let link = this.#links.firstBehind(at, links); links[link]! < end; link += 2) {
      parts.push(bytes.subarray(at, links[link]));
      at = links[link + 1]!;
    }
    this.#content = digestOf(...parts, bytes.subarray(at, end));
    const id = ids[2 * index] === -1 ? undefined : bytes.subarray(ids[2 * index], ids[2 * index + 1]);
    const key = keyText(this.#named, batch, index) ?? id ?? keyText(this.#natural, batch, index);
    this.hasKey = key !== undefined;
    this.#key = key === undefined ? this.#content : digestOf(key);
    return this;
  }

  key(): string {
    return this.#key;
  }

  content(): string {
    return this.#content;
  }

  extend(sequence: Sequence): Sequence {
    return digestOf(`${sequence}`, this.#content);
  }
}

/** Characters of a digest, of 8 bits each. */
const LENGTH = 16;
/** Between parts: no JSON text has this byte. */
const BETWEEN = Buffer.of(0);

/** 128 bits of the SHA-256 of the parts, with a byte between them: a text of 16 characters, each of which is one byte. */
export function digestOf(...parts: readonly (Buffer | string)[]): string {
  const [first = '', ...more] = parts;
  if (more.length === 0) return hash('sha256', first, 'binary').slice(0, LENGTH);
  const sum = createHash('sha256').update(first);
  for (const part of more) sum.update(BETWEEN).update(part);
  return sum.digest('binary').slice(0, LENGTH);
}

const FIRST_CAPACITY = 1024;

/**
 * Numbers digests, from 1 on, in the order in which they first come. Holds 16 bytes of each and a slot in a table that is
 * at least a third full.
 */
export class DigestNumbers {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  /** Four words of each, in the order of the numbers. */
  #words = new Uint32Array(4 * FIRST_CAPACITY);
  /** Open addressing; a slot is free when it is 0. */
  #slots = new Uint32Array(FIRST_CAPACITY);
  readonly #wanted = new Uint32Array(4);

  /** The same number for the same digest. */
  numberOf(digest: string): number {
    const wanted = this.#wanted;
    for (let at = 0; at < 4; at++) wanted[at] = wordAt(digest, 4 * at);
    let slot = wanted[0]! & this.#mask;
    for (let number = this.#slots[slot]!; number !== 0; number = this.#slots[slot]!) {
      if (this.#isWanted(number)) return number;
      slot = (slot + 1) & this.#mask;
    }
    const number = ++this.#count;
    this.#slots[slot] = number;
    this.#words.set(wanted, 4 * (number - 1));
    if (this.#count * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  #isWanted(number: number): boolean {
    const [from, words, wanted] = [4 * (number - 1), this.#words, this.#wanted];
    return (
      words[from] === wanted[0] &&
      words[from + 1] === wanted[1] &&
      words[from + 2] === wanted[2] &&
      words[from + 3] === wanted[3]
    );
  }

  #grow(): void {
    const words = this.#words;
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(this.#mask + 1);
    for (let number = 1; number <= this.#count; number++) {
      let slot = words[4 * (number - 1)]! & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = number;
    }
  }
}

function wordAt(digest: string, at: number): number {
  const low = digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8);
  return (low | (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24)) >>> 0;
}
