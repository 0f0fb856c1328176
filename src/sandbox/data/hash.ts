/**
 * A well mixed 32-bit number for a place in the data: the same for the same three numbers, on every machine. Records
 * are made of such numbers when they are asked for, so that none has to be kept.
 */
export function hash32(seed: number, index: number, salt = 0): number {
  return mix(mix(mix(seed ^ 0x9e3779b9) ^ index) ^ Math.imul(salt + 1, 0x27d4eb2f)) >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

/** A sequence of numbers that follows from its seed (mulberry32). */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number, 0 <= n < limit; the limit at most 2^32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}
