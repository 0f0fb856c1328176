import { parseDayAlone } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import { BOOLEAN_STYLE, DATE_STYLE, TEXT_STYLE, type CellStyles } from './cell-styles.ts';
import { inlineString } from './workbook-xml.ts';

/** Characters across that `2024-10-15` takes, and `2024-10-15 13:30:07.939Z`. */
const DATE_WIDTH = 10;
const TIME_WIDTH = 24;

interface CellXml {
  readonly xml: string;
  /** Characters across. */
  readonly width: number;
}

/** How the cells of a column are written. */
export interface CellForm {
  /** Its numbers are IDs, and become text. */
  readonly identifies: boolean;
  /** Thousands are set apart. */
  readonly grouped: boolean;
  /** Numbers are amounts, in the currency of their record. */
  readonly isAmount: boolean;
  /** The zone of its points in time, as it is written; undefined where the column does not hold points in time of one zone. */
  readonly zone: string | undefined;
}

interface CellPlace {
  /** The cell's name, `B7`. */
  readonly at: string;
  readonly form: CellForm;
  readonly styles: CellStyles;
  /** The currency of the record: three capital letters. */
  readonly currency: string | undefined;
}

/**
 * A cell of a sheet. Numbers keep their literal and are shown with as many decimals as it has. Numbers that a spreadsheet
 * would round, and those of a column that identifies, become text with every digit. Dates become dates, other strings text.
 */
export function cellXml({ kind, text }: Cell, { at, form, styles, currency }: CellPlace): CellXml {
  if (kind === 'number' && !form.identifies) {
    const decimals = decimalsOf(text);
    if (decimals !== undefined) {
      const shown = form.isAmount ? currency : undefined;
      const style = styles.number(decimals, form.grouped, shown);
      const width = text.length + (form.grouped ? Math.floor(text.length / 3) : 0) + (shown ? 4 : 0);
      return { xml: `<c r="${at}" s="${style}"><v>${text}</v></c>`, width };
    }
  }
  if (kind === 'boolean') {
    return {
      xml: `<c r="${at}" s="${BOOLEAN_STYLE}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`,
      width: text.length,
    };
  }
  const time = kind === 'string' && form.zone !== undefined ? timeOf(text) : undefined;
  if (time !== undefined && time.zone === form.zone) {
    const style = styles.time(time.isFine, time.zone);
    return { xml: `<c r="${at}" s="${style}"><v>${time.serial}</v></c>`, width: TIME_WIDTH };
  }
  const serial = kind === 'string' ? dateSerial(text) : undefined;
  if (serial !== undefined)
    return { xml: `<c r="${at}" s="${DATE_STYLE}"><v>${serial}</v></c>`, width: DATE_WIDTH };
  return {
    xml: `<c r="${at}" s="${TEXT_STYLE}" t="inlineStr">${inlineString(text)}</c>`,
    width: text.length,
  };
}

const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const LEADING_ZEROS = /^0+/;
const TRAILING_ZEROS = /0+$/;

/** Every number of a spreadsheet is a double, which keeps so many significant digits for certain. */
const EXACT_DIGITS = 15;
/** The largest power of ten that is written as a number; doubles hold a little more. */
const MAX_EXPONENT = 300;

/**
 * How many decimals a JSON number literal has. Undefined when a spreadsheet would not keep it exactly, because it has more
 * than 15 significant digits or is larger than any amount: then it must be text.
 */
export function decimalsOf(literal: string): number | undefined {
  const match = LITERAL.exec(literal);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(LEADING_ZEROS, '').replace(TRAILING_ZEROS, '');
  const power = Number(exponent);
  if (significant.length > EXACT_DIGITS) return undefined;
  if (significant !== '' && Math.abs(power) + whole.length + fraction.length > MAX_EXPONENT) return undefined;
  return Math.max(0, fraction.length - power);
}

/** Day 0 of 1970 as spreadsheets count days. */
const ORIGIN = 25_569;
/** The first of March 1900. Before it, spreadsheets count a 29th of February that did not exist. */
const FIRST_DAY = 61;

/** The day of `2024-10-15` or `2024-10-15T00:00:00Z` as spreadsheets count days; undefined for any other text. */
export function dateSerial(text: string): number | undefined {
  const day = parseDayAlone(text);
  return day !== undefined && day + ORIGIN >= FIRST_DAY ? day + ORIGIN : undefined;
}

/** Digits of a fraction of a second that a spreadsheet shows. */
export const MAX_FRACTION = 3;
const TIME =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3})0*)?(Z|[+-]\d{2}:\d{2})?$/;
const SECONDS_A_DAY = 86_400;

interface TimeCell {
  /** Days as spreadsheets count them, with the part of the day that is gone. */
  readonly serial: number;
  /** As it was written: `Z`, `-03:00`, or nothing. */
  readonly zone: string;
  /** Whether it has thousandths of a second. */
  readonly isFine: boolean;
}

/** The point in time as it was written, in no other zone; undefined for any other text, and for finer ones. */
function timeOf(text: string): TimeCell | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, day = '', hours, minutes, seconds, fraction, zone = ''] = match;
  const date = dateSerial(day);
  if (date === undefined) return undefined;
  const gone = Number(hours) * 3600 + Number(minutes) * 60 + Number(`${seconds}.${fraction ?? 0}`);
  return { serial: date + gone / SECONDS_A_DAY, zone, isFine: fraction !== undefined };
}
