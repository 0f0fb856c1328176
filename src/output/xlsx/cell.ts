import { parseDayAlone } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import { EXACT_DIGITS } from '../../json/decimal.ts';

/** Characters across that `2024-10-15` takes, and `2024-10-15 13:30:07.939Z`. */
const DATE_WIDTH = 10;
const TIME_WIDTH = 24;

export interface CellForm {
  readonly identifies: boolean;
  readonly grouped: boolean;
  /** Numbers are amounts, in the currency of their record. */
  readonly isAmount: boolean;
}

interface CellPlace {
  readonly at: string;
  readonly form: CellForm;
  readonly styles: CellStyles;
  readonly currency: string | undefined;
}

/**
 * A cell of a sheet, and how many characters across it takes. Numbers keep their literal and are shown with its decimals. Numbers
 * that a spreadsheet would round, and IDs, become text with every digit. Dates and times become such, as they are written, with
 * their zone; other strings text.
 */
export function cellXml(
  { kind, text }: Cell,
  { at, form, styles, currency }: CellPlace,
): { readonly xml: string; readonly width: number } {
  const element = (style: number, content: string, width: number, type = '') => ({
    xml: `<c r="${at}" s="${style}"${type}>${content}</c>`,
    width,
  });
  const decimals = kind === 'number' && !form.identifies ? decimalsOf(text) : undefined;
  if (decimals !== undefined) {
    const shown = form.isAmount ? currency : undefined;
    const style = styles.number(decimals, form.grouped, shown);
    const width = text.length + (form.grouped ? Math.floor(text.length / 3) : 0) + (shown ? 4 : 0);
    return element(style, `<v>${text}</v>`, width);
  }
  if (kind === 'boolean')
    return element(BOOLEAN_STYLE, `<v>${text === 'true' ? 1 : 0}</v>`, text.length, ' t="b"');
  const day = kind === 'string' ? dateSerial(text) : undefined;
  if (day !== undefined) return element(DATE_STYLE, `<v>${day}</v>`, DATE_WIDTH);
  const time = kind === 'string' ? timeOf(text) : undefined;
  if (time !== undefined)
    return element(styles.time(time.isFine, time.zone), `<v>${time.serial}</v>`, TIME_WIDTH);
  return element(TEXT_STYLE, inlineString(text), text.length, ' t="inlineStr"');
}

const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The largest power of ten that is written as a number; doubles hold a little more. */
const MAX_EXPONENT = 300;

/** How many decimals a number has; undefined if a spreadsheet would not keep it exactly, so that it must be text. */
function decimalsOf(literal: string): number | undefined {
  const match = LITERAL.exec(literal);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '');
  const power = Number(exponent);
  if (significant.length > EXACT_DIGITS) return undefined;
  if (significant !== '' && Math.abs(power) + whole.length + fraction.length > MAX_EXPONENT) return undefined;
  return Math.max(0, fraction.length - power);
}

/** Day 0 of 1970 as spreadsheets count days. */
const ORIGIN = 25_569;
/** 1 March 1900. Before it, spreadsheets count a 29 February that did not exist. */
const FIRST_DAY = 61;

/** The day of `2024-10-15` or `2024-10-15T00:00:00Z` as spreadsheets count days; undefined for any other text. */
function dateSerial(text: string): number | undefined {
  const day = parseDayAlone(text);
  return day !== undefined && day + ORIGIN >= FIRST_DAY ? day + ORIGIN : undefined;
}

/** A spreadsheet shows three digits of a fraction of a second. */
const TIME =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3})0*)?(Z|[+-]\d{2}:\d{2})?$/;
const SECONDS_A_DAY = 86_400;

/** The point in time as written, in no other zone; its zone, which may be empty; and whether it has thousandths of a second. */
function timeOf(text: string): { serial: number; zone: string; isFine: boolean } | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, day = '', hours, minutes, seconds, fraction, zone = ''] = match;
  const date = dateSerial(day);
  if (date === undefined) return undefined;
  const gone = Number(hours) * 3600 + Number(minutes) * 60 + Number(`${seconds}.${fraction ?? 0}`);
  return { serial: date + gone / SECONDS_A_DAY, zone, isFine: fraction !== undefined };
}

const MAX_DECIMALS = 15;

/** The most formats of a workbook: a listing has a few currencies, but a column of that name may hold anything. */
const MAX_FORMATS = 400;

const GENERAL = 0;
export const HEADER_STYLE = 1;
const TEXT_STYLE = 2;
const DATE_STYLE = 3;
const BOOLEAN_STYLE = 4;

/** Of formats (ECMA-376, 18.8.30): up to 163 they are built in, from 164 on a workbook has its own. */
const TEXT_FORMAT = 49;
const FIRST_FORMAT = 164;

export class CellStyles {
  // Without a format, LibreOffice shows a boolean as a number.
  readonly #formats = ['yyyy\\-mm\\-dd', '"TRUE";"TRUE";"FALSE"'];
  readonly #indexes = new Map<string, number>();

  /**
   * The style that shows a number with this many decimals and all its digits: the general style rounds from 12 digits on.
   *
   * @param grouped whether thousands are set apart
   * @param currency three capital letters, to stand before it
   */
  number(decimals: number, grouped: boolean, currency?: string): number {
    if (decimals > MAX_DECIMALS) return GENERAL;
    const whole = grouped ? '#,##0' : '0';
    const digits = decimals === 0 ? whole : `${whole}.${'0'.repeat(decimals)}`;
    const plain = this.#style(digits);
    return currency === undefined ? plain : this.#style(`[$${currency}]\\ ${digits}`, plain);
  }

  /** The style that shows a point in time, to the second or its thousandth. */
  time(isFine: boolean, zone: string): number {
    const written = zone === '' ? '' : `"${zone}"`;
    return this.#style(`yyyy\\-mm\\-dd\\ hh:mm:ss${isFine ? '.000' : ''}${written}`, DATE_STYLE);
  }

  #style(code: string, otherwise = GENERAL): number {
    const known = this.#indexes.get(code);
    if (known !== undefined) return known;
    if (this.#formats.length === MAX_FORMATS) return otherwise;
    const index = DATE_STYLE + this.#formats.length;
    this.#formats.push(code);
    this.#indexes.set(code, index);
    return index;
  }

  /**
   * The file of the workbook, once all cells are there. Text cells have the format of text, so that digits, or a beginning with
   * `=`, are still text after somebody has edited them.
   */
  xml(): string {
    const formats = this.#formats.map(
      (code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${xmlAttribute(code)}"/>`,
    );
    const style = (format: number, font = 'fontId="0"'): string =>
      `<xf numFmtId="${format}" ${font} fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`;
    const styles = [
      style(0),
      style(TEXT_FORMAT, 'fontId="1" applyFont="1"'),
      style(TEXT_FORMAT),
      ...formats.map((_, index) => style(FIRST_FORMAT + index)),
    ];
    return (
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
      `<numFmts count="${formats.length}">${formats.join('')}</numFmts>` +
      '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${styles.length}">${styles.join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    );
  }
}

/**
 * Characters to escape in XML: markup; characters that XML 1.0 does not allow (in Unicode mode the surrogates are
 * lone ones); a carriage return, which readers turn into a line feed; and text that looks like an escape of the format.
 */
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n\u0080-\u009f])\p{Cc}|_x[0-9A-Fa-f]{4}_/gu;

/** A space, tab or line feed that XML readers would leave out. */
const SPACE_TO_KEEP = /^\s|\s$|\n|\t| {2}/;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text for the content of an element. Characters that XML cannot hold become `_x001B_` (ECMA-376, ST_Xstring). */
export function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (found) => MARKUP[found] ?? (found.length > 1 ? `_x005F${found}` : hexEscape(found)),
  );
}

export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;');
}

/** A string of a cell as an element of its own. It is never a formula, whatever it begins with. */
export function inlineString(text: string): string {
  return `<is><t${SPACE_TO_KEEP.test(text) ? ' xml:space="preserve"' : ''}>${xmlText(text)}</t></is>`;
}

function hexEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
