import { hash32 } from './values.ts';

/** The spelling in which the service resolves a fiscal ID: no dots, no dash, K in upper case (spec 2.4). */
export function normalizeFiscalId(text: string): string {
  return text.trim().replaceAll(/[.-]/g, '').toUpperCase();
}

const STRIDE = 5;

/** The fiscal IDs of one kind of party, computed from the party's index and found again without a table. */
export class FiscalIds {
  readonly #first: number;
  readonly #count: number;

  /** `first` is the lowest number before the check digit; each one after it is 5 higher. */
  constructor(first: number, count: number) {
    this.#first = first;
    this.#count = count;
  }

  /** As the service writes it: `86345678-9`, `80765432-k`. */
  of(index: number): string {
    const number = this.#first + index * STRIDE;
    return `${number}-${checkDigit(number)}`;
  }

  /** The party of a normalized fiscal ID, or -1. */
  indexOf(normalized: string): number {
    const index = (Number(normalized.slice(0, -1)) - this.#first) / STRIDE;
    const known = Number.isInteger(index) && index >= 0 && index < this.#count;
    return known && normalizeFiscalId(this.of(index)) === normalized ? index : -1;
  }
}

/** Modulo 11 with the weights 2 to 7 from the right, as Chilean fiscal IDs have it. */
function checkDigit(number: number): string {
  let sum = 0;
  for (let rest = number, weight = 2; rest > 0; rest = Math.floor(rest / 10)) {
    sum += (rest % 10) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  const digit = 11 - (sum % 11);
  return digit === 11 ? '0' : digit === 10 ? 'k' : String(digit);
}

/**
 * The ids of one kind of record in one organization: 24 hexadecimal digits, of which 16 follow from the seed and 8
 * hold the index, masked. An id of another organization or kind therefore leads nowhere.
 */
export class RecordIds {
  readonly seed: number;
  readonly #mask: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#mask = hash32(seed, 0, 1);
  }

  of(index: number): string {
    return [hash32(this.seed, index, 2), hash32(this.seed, index, 3), (index ^ this.#mask) >>> 0]
      .map((part) => part.toString(16).padStart(8, '0'))
      .join('');
  }

  /** The index of the record with this id among the first `count`, or -1. */
  indexOf(id: string, count: number): number {
    const index = (Number.parseInt(id.slice(16), 16) ^ this.#mask) >>> 0;
    return index < count && this.of(index) === id ? index : -1;
  }
}
