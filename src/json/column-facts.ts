import { parseCalendarDay } from './calendar-day.ts';
import type { Cell } from './cells.ts';
import { parseDecimal } from './decimal.ts';

/**
 * What the cells of a column are, so far. Null and missing are not cells. Empty texts are counted apart: a question takes them for
 * nothing, and a file keeps them.
 */
export class ColumnFacts {
  /** How many cells are of each kind; empty texts are among the texts. */
  numbers = 0;
  texts = 0;
  booleans = 0;
  nested = 0;
  empty = 0;

  /** Numbers of more digits than are ever written out: 1E999999. */
  tooLong = 0;

  /** Texts that begin with a day of the calendar, whatever follows, and those of them that are the day alone. */
  dated = 0;
  /** Whether one of them is in the year 0, which PostgreSQL does not have. */
  hasYearZero = false;
  days = 0;
  /** Texts that are the midnight with which a day begins, in the zone UTC and in no zone. */
  midnights = 0;
  localMidnights = 0;
  /** Texts that are a day and a time, midnights included, and those of them that name no zone. */
  times = 0;
  localTimes = 0;

  add({ kind, text }: Cell): void {
    if (kind === 'string') this.#addText(text);
    else if (kind === 'number') this.#addNumber(text);
    else if (kind === 'boolean') this.booleans++;
    else this.nested++;
  }

  get cells(): number {
    return this.numbers + this.texts + this.booleans + this.nested;
  }

  #addNumber(literal: string): void {
    this.numbers++;
    if (!SHORT_NUMBER.test(literal) && typeof parseDecimal(literal) === 'string') this.tooLong++;
  }

  #addText(text: string): void {
    this.texts++;
    if (text === '') this.empty++;
    if (text[4] !== '-' || parseCalendarDay(text) === undefined) return;
    this.dated++;
    this.hasYearZero ||= text.startsWith('0000');
    if (text.length === DAY_LENGTH) {
      this.days++;
      return;
    }
    const match = TIME.exec(text);
    if (match === null) return;
    const [, clock, fraction = '', zone = ''] = match;
    this.times++;
    if (zone === '') this.localTimes++;
    if (clock !== 'T00:00:00' || fraction !== '') return;
    if (zone === '') this.localMidnights++;
    else if (UTC.test(zone)) this.midnights++;
  }
}

const DAY_LENGTH = '2024-10-15'.length;
/** Most numbers: their digits are few, and need not be counted. */
const SHORT_NUMBER = /^[-\d.]{1,18}$/;
const UTC = /^(?:Z|[+-]00:?00)$/;
/** A time of day behind a day: `T10:00:00.125Z`. */
const TIME =
  /^.{10}([T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d*?)0*)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;
