import { xmlAttribute } from './workbook-xml.ts';

/** The most decimals that a number is shown with: a double holds no more digits than that. */
const MAX_DECIMALS = 15;

/** The most formats of a workbook: a listing has a few currencies, but a column of that name may hold anything. */
const MAX_FORMATS = 400;

/** The indexes of the styles that every workbook has. */
const GENERAL = 0;
export const HEADER_STYLE = 1;
export const TEXT_STYLE = 2;
export const DATE_STYLE = 3;
export const BOOLEAN_STYLE = 4;

/** The index of a font. */
const BOLD = 1;

/** Numbers of formats (ECMA-376, 18.8.30): up to 163 they are built in, from 164 on a workbook has its own. */
const TEXT_FORMAT = 49;
const FIRST_FORMAT = 164;

/** The styles of a workbook's cells: each format that a cell asks for has one. */
export class CellStyles {
  // Without a format LibreOffice takes a truth value for a number.
  readonly #formats = ['yyyy\\-mm\\-dd', '"TRUE";"TRUE";"FALSE"'];
  readonly #indexes = new Map<string, number>();

  /**
   * The style that shows a number with so many decimals and all its digits: the general style rounds from 12 digits on.
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

  /** The style that shows a point in time, to the second or the thousandth of it, in the zone as it was written. */
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
   * The part of the workbook that has them, once all cells are there. Text cells have the format of text, so that a cell of
   * digits, or one that begins with `=`, is still text after somebody has edited it.
   */
  xml(): string {
    const formats = this.#formats.map(
      (code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${xmlAttribute(code)}"/>`,
    );
    const styles = [
      style(0),
      style(TEXT_FORMAT, BOLD),
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

function style(numberFormat: number, font = 0): string {
  const fontApplies = font === BOLD ? ' applyFont="1"' : '';
  return `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${fontApplies}/>`;
}
