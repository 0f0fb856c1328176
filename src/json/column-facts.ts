import { parseCalendarDay } from './calendar-day.ts';
import type { Cell } from './cells.ts';
import { fitsInt64, parseDecimal } from './decimal.ts';

/**
 * The kinds of the cells of a column so far. Null and missing are no cells. A file may lose no cell, so that empty text is text
 * there; a question takes empty text for nothing.
 */
export class ColumnFacts {
  /** How many cells are of each kind; empty texts are among the texts. */
  numbers = 0;
  texts = 0;
  booleans = 0;
  nested = 0;
  empty = 0;

  /** Numbers of more digits than are ever written out: 1E999999. The facts below are of the others. */
  tooLong = 0;
  exponents = 0;
  /** The most digits before and after the point. */
  before = 1;
  after = 0;
  fits64Bits = true;

  /** Texts that begin with a day of the calendar, whatever follows. */
  dated = 0;
  days = 0;
  /** Texts that are the midnight with which a day begins, in the zone UTC and in no zone. */
  midnights = 0;
  localMidnights = 0;
  /** Texts that are a day and a time, midnights included, and the zones that they name, as written; '' for none. */
  times = 0;
  readonly zones = new Set<string>();
  /** Those of them that have a blank before the time, which RFC 3339 has not. */
  blanks = 0;
  /** The most digits of a fraction of a second, zeros at its end apart. */
  fraction = 0;

  add({ kind, text }: Cell): void {
    if (kind === 'string') this.addText(text);
    else if (kind === 'number') this.addNumber(text);
    else if (kind === 'boolean') this.booleans++;
    else this.nested++;
  }

  addText(text: string): void {
    this.texts++;
    if (text === '') this.empty++;
    this.#addDate(text);
  }

  addNumber(literal: string): void {
    this.numbers++;
    const [, whole, fraction = ''] = SHORT_NUMBER.exec(literal) ?? [];
    if (whole === undefined) this.#addLong(literal);
    else this.#addDigits(whole.length, fraction.length);
  }

  get cells(): number {
    return this.numbers + this.texts + this.booleans + this.nested;
  }

  /** The only kind of the cells; `mixed` where there are several, and `none` without cells. */
  get kind(): Cell['kind'] | 'mixed' | 'none' {
    const { cells } = this;
    if (cells === 0) return 'none';
    if (this.numbers === cells) return 'number';
    if (this.texts === cells) return 'string';
    if (this.booleans === cells) return 'boolean';
    return this.nested === cells ? 'array' : 'mixed';
  }

  /** Whether all numbers are whole, as they are written, and 64 bits hold them. */
  get areWhole(): boolean {
    return this.after === 0 && this.exponents === 0 && this.fits64Bits && this.tooLong === 0;
  }

  #addDigits(before: number, after: number): void {
    if (before > this.before) this.before = before;
    if (after > this.after) this.after = after;
  }

  #addLong(literal: string): void {
    if (/[eE]/.test(literal)) this.exponents++;
    const value = parseDecimal(literal);
    if (typeof value === 'string') {
      this.tooLong++;
      return;
    }
    const { coefficient, scale } = value;
    const digits = (coefficient < 0n ? -coefficient : coefficient).toString().length;
    this.#addDigits(digits - scale, scale);
    this.fits64Bits &&= fitsInt64(coefficient);
  }

  #addDate(text: string): void {
    if (text[4] !== '-' || parseCalendarDay(text) === undefined) return;
    this.dated++;
    if (text.length === DAY_LENGTH) {
      this.days++;
      return;
    }
    const match = TIME.exec(text);
    if (match === null) return;
    const [, clock, fraction = '', zone = ''] = match;
    this.times++;
    if (text[DAY_LENGTH] === ' ') this.blanks++;
    if (!this.zones.has(zone) && this.zones.size < MAX_ZONES) this.zones.add(zone);
    if (fraction.length > this.fraction) this.fraction = fraction.length;
    if (clock !== 'T00:00:00' || fraction !== '') return;
    if (zone === '') this.localMidnights++;
    else if (UTC.test(zone)) this.midnights++;
  }
}

const DAY_LENGTH = '2024-10-15'.length;
/** A number of no more than 18 characters surely fits in 64 bits, with and without its point. */
const SHORT_NUMBER = /^-?(?=.{1,18}$)(\d+)(?:\.(\d+))?$/;
const UTC = /^(?:Z|[+-]00:?00)$/;
/** Zones that are counted: more are as good as several. */
const MAX_ZONES = 8;
/** A time of day behind a day: `T10:00:00.125Z`. */
const TIME =
  /^.{10}([T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d*?)0*)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;
