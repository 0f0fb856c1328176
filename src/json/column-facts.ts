import { DIGIT_NINE, MINUS, POINT } from './ascii.ts';
import { parseCalendarDay } from './calendar-day.ts';
import {
  ABSENT,
  BOOLEAN_LITERAL,
  ESCAPED_TEXT,
  JSON_TEXT,
  NUMBER_LITERAL,
  Projection,
  textOfSpan,
  type Cell,
  type CellSpan,
} from './cells.ts';
import { fitsInt64, parseDecimal } from './decimal.ts';
import type { RecordBatch } from './records.ts';

/**
 * Of which kind a column is, as far as its cells have come. Null and missing are no cells. Who asks decides what follows from it:
 * a file may lose no cell, so that empty text is text there; a question takes empty text for nothing.
 */
export class ColumnFacts {
  /** How many cells are of each kind; empty texts are among the texts. */
  numbers = 0;
  texts = 0;
  booleans = 0;
  /** Lists and whole objects. */
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
  /** Texts that are nothing but a day. */
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

  /** Takes in a cell where it stands, for which most cells need no string of their own. */
  addSpan(span: CellSpan): void {
    const { view, kind, start, end } = span;
    if (kind === NUMBER_LITERAL) this.#addNumberAt(view.bytes, start, end);
    else if (kind === BOOLEAN_LITERAL) this.booleans++;
    else if (kind === JSON_TEXT) this.nested++;
    else if (kind === ESCAPED_TEXT) this.addText(textOfSpan(span));
    else if (mayBeDate(view.bytes, start, end)) this.addText(view.bytes.toString('latin1', start, end));
    else {
      this.texts++;
      if (start === end) this.empty++;
    }
  }

  addText(text: string): void {
    this.texts++;
    if (text === '') this.empty++;
    this.#addDate(text);
  }

  /** Takes in a number as it was sent. */
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

  #addNumberAt(bytes: Buffer, start: number, end: number): void {
    let point = end;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === POINT) point = at;
      else if (byte > DIGIT_NINE) return this.addNumber(bytes.toString('latin1', start, end));
    }
    if (end - start > MANY_CHARACTERS) return this.addNumber(bytes.toString('latin1', start, end));
    this.numbers++;
    const first = bytes[start] === MINUS ? start + 1 : start;
    this.#addDigits(point - first, point === end ? 0 : end - point - 1);
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
    if (parseCalendarDay(text) === undefined) return;
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
/** Numbers of no more characters surely fit in 64 bits, with and without their point. */
const MANY_CHARACTERS = 18;
const SHORT_NUMBER = /^-?(?=.{1,18}$)(\d+)(?:\.(\d+))?$/;
const UTC = /^(?:Z|[+-]00:?00)$/;
/** Zones that are told apart: who asks wants to know of one, or of several. */
const MAX_ZONES = 8;
/** A time of day behind a day: `T10:00:00.125Z`. */
const TIME =
  /^.{10}([T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d*?)0*)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

function mayBeDate(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= DAY_LENGTH && bytes[start + 4] === MINUS && bytes[start + 7] === MINUS;
}

/** Notes of which kind the columns of records are, while the records pass. */
export class ColumnSurvey {
  readonly #projection: Projection;
  readonly #facts: ColumnFacts[] = [];
  readonly #span: { -readonly [Member in keyof CellSpan]: CellSpan[Member] };

  /**
   * @param columns which columns, in which order; without them all columns, in the order in which they first appear
   * @param stable as for `Columns`
   */
  constructor(columns?: readonly string[], stable = false) {
    this.#projection = new Projection(columns, stable);
    this.#span = { view: this.#projection.view, spaced: false, kind: ABSENT, start: 0, end: 0 };
  }

  get columns(): readonly string[] {
    return this.#projection.columns.names;
  }

  /** Takes in record `index`. Throws ServiceError when the records have too many columns or levels. */
  add(batch: RecordBatch, index: number): void {
    const projection = this.#projection;
    projection.project(batch, index);
    const { kinds, starts, ends } = projection.cells;
    const { length } = projection.columns.names;
    const span = this.#span;
    span.view = projection.view;
    span.spaced = batch.spaced;
    for (let column = 0; column < length; column++) {
      const kind = kinds[column]!;
      if (kind === ABSENT) continue;
      span.kind = kind;
      span.start = starts[column]!;
      span.end = ends[column]!;
      this.factsOf(column).addSpan(span);
    }
  }

  factsOf(column: number): ColumnFacts {
    return (this.#facts[column] ??= new ColumnFacts());
  }
}
