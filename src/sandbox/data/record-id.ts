import { hash32 } from './hash.ts';

/**
 * The ids of one kind of record in one organization: 24 hexadecimal digits, of which 16 follow from the seed and 8
 * hold the index, masked. An id of another organization or kind therefore leads nowhere.
 */
export class RecordIds {
  readonly #seed: number;
  readonly #mask: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#mask = hash32(seed, 0, 1);
  }

  of(index: number): string {
    const head = hex(hash32(this.#seed, index, 2)) + hex(hash32(this.#seed, index, 3));
    return head + hex((index ^ this.#mask) >>> 0);
  }

  /** The index of the record with this id among the first `count`, or -1. */
  indexOf(id: string, count: number): number {
    const index = (Number.parseInt(id.slice(16), 16) ^ this.#mask) >>> 0;
    return index < count && this.of(index) === id ? index : -1;
  }
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
