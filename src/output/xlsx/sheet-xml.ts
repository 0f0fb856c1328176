import { HEADER } from './cell-styles.ts';
import { columnLetters } from './column-letters.ts';
import { inlineString } from './xml-text.ts';

/** Of a column, in characters. */
const WIDTH = { least: 6, most: 60, beside: 2, filterButton: 2 };

/**
 * A sheet's XML up to its second row: columns as wide as what is in them, and the header, bold and always in sight.
 *
 * @param widths characters of the widest cell of each column, where there is one
 */
export function sheetHead(columns: readonly string[], widths: readonly (number | undefined)[]): string {
  const columnWidths = columns.map((name, index) => {
    const wanted = Math.max(name.length + WIDTH.filterButton, widths[index] ?? 0) + WIDTH.beside;
    const width = Math.min(WIDTH.most, Math.max(WIDTH.least, wanted));
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  const header = columns.map(
    (name, index) => `<c r="${columnLetters(index)}1" s="${HEADER}" t="inlineStr">${inlineString(name)}</c>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    (columns.length === 0 ? '' : `<cols>${columnWidths.join('')}</cols>`) +
    `<sheetData>${columns.length === 0 ? '' : `<row r="1">${header.join('')}</row>`}`
  );
}

/** The XML behind the last row. `range` is that of the filter. Digits that are text are meant to be: no warning in the corner of each. */
export function sheetTail(range: string | undefined): string {
  const rest =
    range === undefined
      ? ''
      : `<autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${rest}</worksheet>`;
}
