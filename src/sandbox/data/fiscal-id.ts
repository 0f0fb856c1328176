/** The spelling in which the service resolves a fiscal ID: no dots, no dash, K in upper case (spec 2.4). */
export function normalizeFiscalId(text: string): string {
  return text.trim().replaceAll(/[.-]/g, '').toUpperCase();
}

/**
 * The fiscal IDs of one kind of party, each computed from the party's index and found again from it, so that a
 * filter over a large organization needs no table.
 */
export class FiscalIds {
  readonly #first: number;
  readonly #count: number;

  /** `first` is the lowest number before the check digit; each further one is 5 higher. */
  constructor(first: number, count: number) {
    this.#first = first;
    this.#count = count;
  }

  /** As the service writes it: `86345678-9`, `80765432-k`. */
  of(index: number): string {
    const number = this.#first + index * stride;
    return `${number}-${checkDigit(number)}`;
  }

  /** The party of a normalized fiscal ID, or -1 when nobody has it. */
  indexOf(normalized: string): number {
    const number = Number(normalized.slice(0, -1));
    const index = (number - this.#first) / stride;
    const known = Number.isInteger(index) && index >= 0 && index < this.#count;
    return known && normalizeFiscalId(this.of(index)) === normalized ? index : -1;
  }
}

const stride = 5;

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
