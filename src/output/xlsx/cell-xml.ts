import type { Cell } from '../../json/cells.ts';
import { BOOLEAN, DATE, numberStyle, TEXT } from './cell-styles.ts';
import { dateSerial } from './date-serial.ts';
import { decimalsOf } from './spreadsheet-number.ts';
import { inlineString } from './xml-text.ts';

/** Characters across that `2024-10-15` takes. */
const DATE_WIDTH = 10;

export interface CellXml {
  readonly xml: string;
  /** Characters across. */
  readonly width: number;
}

/**
 * A cell of a sheet. Numbers keep their literal and are shown with as many decimals as it has; those that a spreadsheet
 * would round, and those of a column that `identifies`, are text with every digit, as all strings are, but for dates.
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
    return { xml: `<c r="${at}" s="${BOOLEAN}"><v>${text === 'true' ? 1 : 0}</v></c>`, width: text.length };
  }
  const serial = kind === 'string' ? dateSerial(text) : undefined;
  if (serial !== undefined)
    return { xml: `<c r="${at}" s="${DATE}"><v>${serial}</v></c>`, width: DATE_WIDTH };
  return { xml: `<c r="${at}" s="${TEXT}" t="inlineStr">${inlineString(text)}</c>`, width: text.length };
}

/** Whether numbers of the column name something rather than count it: `id`, `customer.id`, `trackingId`. */
export function identifies(column: string): boolean {
  return /(?:^|[._])id$|[a-z]I[dD]$/.test(column);
}
