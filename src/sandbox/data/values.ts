/**
 * A well mixed 32-bit number for a position in the data: the same for the same three numbers, on every machine. Records
 * are made of such numbers when they are served, so that none has to be kept.
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

// All days are counted from 1970-01-01.
const MILLISECONDS_A_DAY = 86_400_000;

/** `2024-10-15` */
export function dayText(day: number): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10);
}

/** How many days the data reaches back from the day that is today in it, so that each of the last twelve months is whole. */
export const DAYS_OF_DATA = 400;

/** The day by the calendar of this machine. */
export function machineDay(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / MILLISECONDS_A_DAY;
}

/** The day of an ISO 8601 date, with its time as a fraction; undefined for other text and days that do not exist. */
export function parseServiceDay(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const [midnight, moment] = [Date.parse(`${form?.[1]}T00:00:00Z`), Date.parse(text)];
  if (form === null || Number.isNaN(midnight) || Number.isNaN(moment)) return undefined;
  // Date.parse makes 1 March of 30 February.
  if (new Date(midnight).toISOString().slice(0, 10) !== form[1]) return undefined;
  return moment / MILLISECONDS_A_DAY;
}

// All amounts are in hundredths.
export type Currency = 'CLP' | 'USD' | 'EUR';

/** A JSON number literal: whole in pesos, two decimals elsewhere (`1190.10`). */
export function moneyText(amount: number, currency: Currency): string {
  if (currency === 'CLP') return String(amount / 100);
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Pesos spelled in a way that a reader of exact literals must keep: `7E5` or `7.0e+05` of 700000; `712000.00`. */
export function oddMoneyText(amount: number, style: number): string {
  const plain = String(amount / 100);
  const form = /^(-?\d)(0{3,})$/.exec(plain);
  if (form === null) return `${plain}.00`;
  const [, digit, zeros] = form;
  return style % 2 === 0 ? `${digit}E${zeros!.length}` : `${digit}.0e+0${zeros!.length}`;
}

/** Rounded to what the currency has. */
export function roundMoney(amount: number, currency: Currency): number {
  const unit = currency === 'CLP' ? 100 : 1;
  return Math.round(amount / unit) * unit;
}

/** Value added tax of 19 %. */
export function taxOn(net: number, currency: Currency): number {
  return roundMoney(net * 0.19, currency);
}

/** What is left of an amount without its value added tax. */
export function netOf(total: number, currency: Currency): number {
  return roundMoney(total / 1.19, currency);
}

/** The part of an amount at a position from 0, the largest a few times the smallest. All `count` parts add up to it. */
export function splitMoney(
  amount: number,
  { count, seed, currency }: { count: number; seed: number; currency: Currency },
): (position: number) => number {
  const upTo = (part: number): number => {
    const offset = part === 0 || part === count ? 0 : (hash32(seed, part, 95) % 700) / 1000;
    return roundMoney((amount * (part + offset)) / count, currency);
  };
  return (position) => upTo(position + 1) - upTo(position);
}

/** The names of a text that has commas between them. */
export function list(text: string): string[] {
  return text.split(/,\s+/);
}
