import { CARRIAGE_RETURN, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import { endOfPlainText, WordView } from '../../json/bytes.ts';
import { Spool } from '../spool.ts';
import type { OpenWriter } from '../writer.ts';
import { PlainRows, type RowEncoder } from './plain-csv.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * csv by RFC 4180, but with LF at the end of lines, and quotes only where they are needed. Null and missing are empty, booleans
 * true and false, arrays compact JSON, numbers as sent. `delimiter` and `excel` make dialects.
 *
 * With columns given, rows stream. Without, the header is the union over all records: rows wait in a spool, and at the end those
 * that were made before a column appeared get their missing delimiters.
 */
export const openCsv: OpenWriter = (sink, layout) => {
  const { columns: named, delimiter = ',', excel, header, headings } = layout;
  const spool = new Spool({ path: sink.spare });
  /** How many columns the rows of each spooled chunk have. */
  const widths: number[] = [];
  let begun = false;
  let opened: RowEncoder | undefined;
  const open = async (): Promise<RowEncoder> =>
    (opened ??=
      delimiter === ',' && !excel
        ? new PlainRows(named)
        : (await import('./csv-dialect.ts')).dialectRows(named, delimiter, excel));

  const headerOf = ({ columns, guard = String }: RowEncoder): Buffer => {
    const marks = ['"', '\r', '\n', delimiter];
    const cells = (headings?.(columns) ?? columns)
      .map(guard)
      .map((name) => (marks.some((mark) => name.includes(mark)) ? `"${name.replaceAll('"', '""')}"` : name));
    return Buffer.from(`${cells.join(delimiter)}${excel ? '\r\n' : '\n'}`);
  };

  /** Writes rows that were made when `width` columns were known. */
  const put = async (rows: Buffer, width: number): Promise<void> => {
    const columns = opened!.columns.length;
    // A row without columns has no delimiter, like a row of one column.
    const missing = columns - Math.max(1, width);
    // A row whose only cell is empty would be an empty line, which readers of csv skip.
    const tail = columns === 1 ? '""' : delimiter.repeat(missing);
    await sink.write(tail === '' ? rows : appendToRows(rows, tail));
  };

  const begin = async (encoder: RowEncoder): Promise<void> => {
    if (begun) return;
    begun = true;
    // Headings may be refused: before anything is written.
    const names = headerOf(encoder);
    if (excel) await sink.write(BYTE_ORDER_MARK);
    if (header) await put(names, encoder.columns.length);
  };

  return {
    async write(batch) {
      const encoder = await open();
      if (named !== undefined) await begin(encoder);
      for (const { bytes, columns } of encoder.encode(batch)) {
        if (begun) await put(bytes, columns);
        else {
          widths.push(columns);
          await spool.append(bytes);
        }
      }
    },
    async end() {
      const encoder = await open();
      // Records without any column leave nothing to write.
      if (encoder.columns.length === 0) return spool.close();
      try {
        await begin(encoder);
        let chunk = 0;
        for await (const rows of spool.read({ reuse: true })) await put(rows, widths[chunk++]!);
      } finally {
        await spool.close();
      }
    },
  };
};

/**
 * Adds `tail` to the end of each row: the delimiters of columns that were not known when the rows were made. A `tail` of `""` is
 * added to empty rows only, because readers skip them.
 */
function appendToRows(rows: Buffer, tail: string): Buffer {
  const view = new WordView(rows);
  const parts: Buffer[] = [];
  const added = Buffer.from(tail);
  let [copied, start, inQuotes] = [0, 0, false];
  // The search stops at quotes and controls and skips everything else, which is most of the text.
  for (let at = endOfPlainText(view, 0); at < rows.length; at = endOfPlainText(view, at + 1)) {
    // A quote within a cell is doubled: the first leaves the quotes, the second enters them again.
    if (rows[at] === QUOTE) inQuotes = !inQuotes;
    if (rows[at] !== LINE_FEED || inQuotes) continue;
    const end = rows[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
    if (tail !== '""' || end === start) {
      parts.push(rows.subarray(copied, end), added);
      copied = end;
    }
    start = at + 1;
  }
  return Buffer.concat([...parts, rows.subarray(copied)]);
}
