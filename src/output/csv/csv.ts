import { UsageError } from '../../errors.ts';
import type { OpenWriter } from '../writer.ts';
import { PlainRows } from './plain-csv.ts';
import { RowWriter, type RowEncoder } from './row-writer.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * csv by RFC 4180, but with LF at the end of lines. Quotes stand only where they are needed, and a quote within a cell is
 * doubled. Null and missing are empty, booleans true and false, arrays compact JSON, numbers as sent. `delimiter` and
 * `excel` of the layout make dialects. `RowWriter` writes the header and the rows, which an encoder has made. Throws
 * UsageError for a delimiter with which rows could not be read back.
 */
export const openCsv: OpenWriter = (sink, layout) => {
  const { excel, delimiter = ',' } = layout;
  if (/^(?:["\r\n]|)$|^..+$/su.test(delimiter)) {
    throw new UsageError(`the delimiter ${JSON.stringify(delimiter)} cannot stand between cells`, {
      hint: 'Give one character other than a quote or a line break, such as ";".',
    });
  }
  return new RowWriter({
    sink,
    layout,
    delimiter,
    preamble: excel ? BYTE_ORDER_MARK : '',
    openEncoder: async (columns): Promise<RowEncoder> => {
      if (delimiter === ',' && !excel) return new PlainRows(columns);
      return new (await import('./csv-dialect.ts')).DialectRows({ columns, delimiter, excel });
    },
  });
};
