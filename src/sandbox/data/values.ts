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

const MILLISECONDS_A_DAY = 86_400_000;
const dayTexts = new Map<number, string>();

/** A day as `2024-10-15`; `day` counts from 1970-01-01. */
export function dayText(day: number): string {
  let text = dayTexts.get(day);
  if (text === undefined) {
    text = new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10);
    dayTexts.set(day, text);
  }
  return text;
}

/** How many days the data reaches back from the day that is today in it, so that each of the last twelve months is whole. */
export const DAYS_OF_DATA = 400;

/** The day by the calendar of this machine, in days since 1970-01-01. */
export function machineDay(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / MILLISECONDS_A_DAY;
}

/**
 * An ISO 8601 date, or date with time, as days since 1970-01-01 (with a fraction for the time); undefined when the
 * text is neither, or no such day exists.
 */
export function parseServiceDay(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const [midnight, moment] = [Date.parse(`${form?.[1]}T00:00:00Z`), Date.parse(text)];
  if (form === null || Number.isNaN(midnight) || Number.isNaN(moment)) return undefined;
  // Date.parse makes 1 March of 30 February.
  if (new Date(midnight).toISOString().slice(0, 10) !== form[1]) return undefined;
  return moment / MILLISECONDS_A_DAY;
}

export type Currency = 'CLP' | 'USD' | 'EUR';

/** An amount in hundredths as a JSON number literal: whole in pesos, two decimals elsewhere (`1190.10`). */
export function moneyText(hundredths: number, currency: Currency): string {
  if (currency === 'CLP') return String(hundredths / 100);
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * The same amount spelled in a way that a reader of exact literals must keep: `7E5`, `7.0e+05`, `700000.00`.
 * For pesos that are one digit and zeros; others are left as they are.
 */
export function oddMoneyText(hundredths: number, style: number): string {
  const plain = String(hundredths / 100);
  const form = /^(-?\d)(0{3,})$/.exec(plain);
  if (form === null) return `${plain}.00`;
  const [, digit, zeros] = form;
  return style % 2 === 0 ? `${digit}E${zeros!.length}` : `${digit}.0e+0${zeros!.length}`;
}

/** Rounded to what the currency has. Both in hundredths. */
export function roundMoney(hundredths: number, currency: Currency): number {
  const unit = currency === 'CLP' ? 100 : 1;
  return Math.round(hundredths / unit) * unit;
}

/** Value added tax of 19 %, in hundredths. */
export function taxOn(net: number, currency: Currency): number {
  return roundMoney(net * 0.19, currency);
}

/** What is left of an amount without its value added tax of 19 %, in hundredths. */
export function netOf(total: number, currency: Currency): number {
  return roundMoney(total / 1.19, currency);
}

/**
 * The part at `place` of an amount that is split into `count` parts, the largest a few times the smallest. All together are the
 * amount, to the last unit.
 */
export function shareOf(amount: number, { place, count, seed, currency }: SharePlace): number {
  const upTo = (part: number): number => {
    const offset = part === 0 || part === count ? 0 : (hash32(seed, part, 95) % 700) / 1000;
    return roundMoney((amount * (part + offset)) / count, currency);
  };
  return upTo(place + 1) - upTo(place);
}

interface SharePlace {
  readonly place: number;
  readonly count: number;
  /** The same for all parts of an amount. */
  readonly seed: number;
  readonly currency: Currency;
}
