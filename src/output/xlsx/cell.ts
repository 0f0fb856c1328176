import type { Cell } from '../../json/cells.ts';

/** Characters across that `2024-10-15` takes. */
const DATE_WIDTH = 10;

interface CellXml {
  readonly xml: string;
  /** Characters across. */
  readonly width: number;
}

/**
 * A cell of a sheet. Numbers keep their literal and are shown with as many decimals as it has. Numbers that a spreadsheet
 * would round, and those of a column that `identifies`, become text with every digit. Dates become dates, other strings text.
 *
 * @param at the cell's name, `B7`
 */
export function cellXml(cell: Cell, at: string, identifies: boolean): CellXml {
  const { kind, text } = cell;
  if (kind === 'number' && !identifies) {
    const decimals = decimalsOf(text);
    if (decimals !== undefined) {
      return { xml: `<c r="${at}" s="${numberStyle(decimals)}"><v>${text}</v></c>`, width: text.length };
    }
  }
  if (kind === 'boolean') {
    return {
      xml: `<c r="${at}" s="${BOOLEAN_STYLE}"><v>${text === 'true' ? 1 : 0}</v></c>`,
      width: text.length,
    };
  }
  const serial = kind === 'string' ? dateSerial(text) : undefined;
  if (serial !== undefined)
    return { xml: `<c r="${at}" s="${DATE_STYLE}"><v>${serial}</v></c>`, width: DATE_WIDTH };
  return {
    xml: `<c r="${at}" s="${TEXT_STYLE}" t="inlineStr">${inlineString(text)}</c>`,
    width: text.length,
  };
}

/** Whether numbers of the column name something rather than count it: `id`, `customer.id`, `trackingId`. */
export function identifies(column: string): boolean {
  return /(?:^|[._])id$|[a-z]I[dD]$/.test(column);
}

const LITERAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const LEADING_ZEROS = /^0+/;
const TRAILING_ZEROS = /0+$/;

/** Every number of a spreadsheet is a double, which keeps so many significant digits for certain. */
const SURE_DIGITS = 15;
/** The largest power of ten; doubles and spreadsheets hold more. */
const FARTHEST_EXPONENT = 300;

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
  if (significant.length > SURE_DIGITS) return undefined;
  if (significant !== '' && Math.abs(power) + whole.length + fraction.length > FARTHEST_EXPONENT)
    return undefined;
  return Math.max(0, fraction.length - power);
}

/** A calendar day, alone or as its midnight in UTC. */
const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[+-]00:00))?$/;
const MILLISECONDS_A_DAY = 86_400_000;
/** Day 0 of spreadsheets. */
const ORIGIN = Date.UTC(1899, 11, 30);
/** The first of March 1900. Before it spreadsheets count a 29th of February that did not exist. */
const FIRST_SURE_DAY = 61;

/** The day of `2024-10-15` or `2024-10-15T00:00:00Z` as spreadsheets count days; undefined for any other text. */
export function dateSerial(text: string): number | undefined {
  const match = DAY.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const serial = (date.getTime() - ORIGIN) / MILLISECONDS_A_DAY;
  return date.getUTCFullYear() === year && serial >= FIRST_SURE_DAY ? serial : undefined;
}

/** The most decimals that a number is shown with: a double holds no more digits than that. */
const MOST_DECIMALS = 15;

/** The index of each style in `stylesXml`. */
const GENERAL = 0;
export const HEADER_STYLE = 1;
const TEXT_STYLE = 2;
const DATE_STYLE = 3;
/** Shows 1 and 0 as TRUE and FALSE. LibreOffice makes a formula, =TRUE(), of a real truth value. */
const BOOLEAN_STYLE = 4;
const NUMBER = 5;
/** The index of a font in `stylesXml`. */
const BOLD = 1;

/** Built-in formats of ECMA-376, 18.8.30; from 164 on they are one's own. */
const TEXT_FORMAT = 49;
const DATE_FORMAT = 164;
const BOOLEAN_FORMAT = 165;
const FIRST_NUMBER_FORMAT = 166;

/** The style that shows a number with so many decimals and all its digits: the general style rounds from 12 digits on. */
function numberStyle(decimals: number): number {
  return decimals <= MOST_DECIMALS ? NUMBER + decimals : GENERAL;
}

/**
 * Text cells have the format of text, so that a cell of digits, or one that begins with `=`, is still text after
 * somebody has edited it.
 */
export function stylesXml(): string {
  const decimals = Array.from({ length: MOST_DECIMALS + 1 }, (_, index) => index);
  const formats = [
    format(DATE_FORMAT, 'yyyy\\-mm\\-dd'),
    format(BOOLEAN_FORMAT, '&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;'),
    ...decimals.map((count) =>
      format(FIRST_NUMBER_FORMAT + count, count === 0 ? '0' : `0.${'0'.repeat(count)}`),
    ),
  ];
  const styles = [
    style(0),
    style(TEXT_FORMAT, BOLD),
    style(TEXT_FORMAT),
    style(DATE_FORMAT),
    style(BOOLEAN_FORMAT),
    ...decimals.map((count) => style(FIRST_NUMBER_FORMAT + count)),
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

function format(id: number, code: string): string {
  return `<numFmt numFmtId="${id}" formatCode="${code}"/>`;
}

function style(numberFormat: number, font = 0): string {
  const fontApplies = font === BOLD ? ' applyFont="1"' : '';
  return `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${fontApplies}/>`;
}

/**
 * What cannot stand in XML as it is: markup; characters that XML 1.0 does not allow (in Unicode mode the surrogates are
 * lone ones); a carriage return, which readers turn into a line feed; and text that looks like an escape of the format.
 */
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n])\p{Cc}|_x[0-9A-Fa-f]{4}_/gu;

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

/** Text for an attribute in double quotes. */
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
