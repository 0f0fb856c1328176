/** The most decimals that a number is shown with: a double holds no more digits than that. */
const MOST_DECIMALS = 15;

/** Where the styles are in `stylesXml`. */
const GENERAL = 0;
export const HEADER = 1;
export const TEXT = 2;
export const DATE = 3;
/** Of 1 and 0, shown as TRUE and FALSE: of a cell of the type for truth values, LibreOffice makes the formula =TRUE(). */
export const BOOLEAN = 4;
const NUMBER = 5;
/** Of the fonts in `stylesXml`. */
const BOLD = 1;

/** Built-in formats of ECMA-376, 18.8.30; from 164 on they are one's own. */
const TEXT_FORMAT = 49;
const DATE_FORMAT = 164;
const BOOLEAN_FORMAT = 165;
const FIRST_NUMBER_FORMAT = 166;

/** The style that shows a number with so many decimals, and with all its digits: the general one rounds from 12 on. */
export function numberStyle(decimals: number): number {
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
