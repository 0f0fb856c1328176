import { BACKSLASH, CARRIAGE_RETURN, COMMA, LETTER_U, LINE_FEED, QUOTE } from '../../json/ascii.ts';
import {
  compactInto,
  endOfPlainText,
  firstMarked,
  type Span,
  WordView,
  zeroBytes,
} from '../../json/bytes.ts';
import { ABSENT, BOOLEAN_LITERAL, CellReader, ESCAPED_TEXT } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { Spool } from '../spool.ts';
import type { OpenWriter } from '../writer.ts';
import type { RowEncoder } from './csv-dialect.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * csv by RFC 4180, but with LF at the end of lines, and quotes only where they are needed. Null and missing are empty, booleans
 * true and false, arrays compact JSON, numbers as sent. `delimiter` and `excel` make dialects.
 *
 * With named columns, rows stream. Without, the header is the union over all records: rows wait in a spool, and at the end those
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
    // Before anything is written, since headings may be refused.
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

/** Bytes of rows that are written at a time. */
const CHUNK = 512 * 1024;

/** Bytes of a row besides its cells: its end, and the rest of a word, since words are copied whole. */
const SLACK = 8;

/**
 * Plain csv (commas, LF) made from the bytes of the page, without a JavaScript string for any cell: 100,000 records of 1.2 KB in
 * 29 columns take 0.53 s of processor, and 1.63 s with csv-stringify, which writes every other dialect (Node 20, both with 0.17 s
 * of scanning). The bytes are those that csv-stringify would write: `test/output/csv/csv.test.ts` compares them.
 */
class PlainRows implements RowEncoder {
  readonly #reader: CellReader;
  #text = new CsvText(0);
  /** Text that cannot be copied from the page is decoded here. */
  #scratch = new WordView(Buffer.allocUnsafeSlow(4096));

  constructor(columns?: readonly string[]) {
    this.#reader = new CellReader(columns);
  }

  get columns(): readonly string[] {
    return this.#reader.columns;
  }

  *encode(batch: RecordBatch): Generator<{ readonly bytes: Buffer; readonly columns: number }> {
    let columns = this.columns.length;
    let waiting = false;
    for (let index = 0; index < batch.count; index++) {
      this.#reader.moveTo(batch, index);
      const room = this.#roomForRow();
      const fits = this.#text.hasRoomFor(room);
      if (waiting && !(fits && columns === this.columns.length)) yield { bytes: this.#text.take(), columns };
      if (!this.#text.hasRoomFor(room)) this.#text = new CsvText(Math.max(CHUNK, room));
      columns = this.columns.length;
      this.#putRow(batch.spaced);
      waiting = true;
    }
    if (waiting) yield { bytes: this.#text.take(), columns };
  }

  #roomForRow(): number {
    const { kinds, starts, ends } = this.#reader.spans;
    let room = SLACK;
    for (let column = 0; column < this.columns.length; column++) {
      room += kinds[column] === ABSENT ? 1 : 2 * (ends[column]! - starts[column]!) + 3;
    }
    return room;
  }

  #putRow(spaced: boolean): void {
    const { view } = this.#reader;
    const { kinds, starts, ends } = this.#reader.spans;
    const text = this.#text;
    const count = this.columns.length;
    for (let column = 0; column < count; column++) {
      const kind = kinds[column]!;
      if (kind === ABSENT) text.putByte(COMMA);
      else {
        if (kind <= BOOLEAN_LITERAL) text.putPlain(view, starts[column]!, ends[column]!);
        else if (kind === ESCAPED_TEXT || spaced) this.#putDecoded(kind, [starts[column]!, ends[column]!]);
        else text.putAny(view, starts[column]!, ends[column]!);
        text.putByte(COMMA);
      }
    }
    // In place of the last comma.
    if (count > 0) text.at--;
    text.putByte(LINE_FEED);
  }

  #putDecoded(kind: number, span: Span): void {
    const { bytes } = this.#reader.view;
    if (this.#scratch.bytes.length < span[1] - span[0]) {
      this.#scratch = new WordView(Buffer.allocUnsafeSlow(2 * (span[1] - span[0])));
    }
    const decode = kind === ESCAPED_TEXT ? unescapeInto : compactInto;
    this.#text.putAny(this.#scratch, 0, decode(bytes, span, this.#scratch.bytes));
  }
}

/** The control characters by the letters that stand for them behind a backslash. */
const CONTROLS: Readonly<Record<number, number>> = {
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};

/** Writes the text of a string as UTF-8. Returns the number of bytes, which is never more than the span has. */
function unescapeInto(bytes: Buffer, span: Span, to: Buffer): number {
  let end = 0;
  for (let at = span[0]; at < span[1]; at++) {
    let byte = bytes[at]!;
    if (byte === BACKSLASH) {
      const letter = bytes[++at]!;
      if (letter === LETTER_U) return to.write(JSON.parse(`"${bytes.toString('utf8', ...span)}"`) as string);
      byte = CONTROLS[letter] ?? letter;
    }
    to[end++] = byte;
  }
  return end;
}

const COMMAS = 0x2c2c2c2c;
const QUOTES = 0x22222222;

/**
 * A buffer of csv. Each `put` copies the text of a cell to `at`, in quotes where it has a comma, a quote, CR or LF (RFC 4180).
 * The caller makes sure that there is room for twice the text and 6 bytes.
 */
class CsvText {
  readonly view: WordView;
  at = 0;

  constructor(size: number) {
    this.view = new WordView(Buffer.allocUnsafeSlow(size));
  }

  hasRoomFor(size: number): boolean {
    return this.at + size <= this.view.bytes.length;
  }

  /** The bytes written since the last call, valid until the next `put`. */
  take(): Buffer {
    const end = this.at;
    this.at = 0;
    return this.view.bytes.subarray(0, end);
  }

  putByte(byte: number): void {
    this.view.bytes[this.at++] = byte;
  }

  /** Text that may have a comma, but no quote and no control character, as most: copied in words of four bytes. */
  putPlain(source: WordView, start: number, end: number): void {
    if (end + 3 > source.bytes.length) return this.putAny(source, start, end);
    const from = source.words;
    const to = this.view.words;
    let at = this.at;
    let commas = 0;
    let next = start;
    for (; next + 4 <= end; next += 4, at += 4) {
      const word = from.getInt32(next, true);
      to.setInt32(at, word, true);
      commas |= zeroBytes(word ^ COMMAS);
    }
    if (next < end) {
      const word = from.getInt32(next, true);
      to.setInt32(at, word, true);
      // Of the last word, only the bytes before `end` count.
      commas |= zeroBytes(word ^ COMMAS) & ((1 << (8 * (end - next))) - 1);
    }
    if (commas === 0) this.at += end - start;
    else this.#putQuoted(source, start, end);
  }

  putAny(source: WordView, start: number, end: number): void {
    const { bytes } = source;
    const to = this.view.bytes;
    let at = this.at;
    for (let next = start; next < end; next++) {
      const byte = bytes[next]!;
      if (byte === QUOTE || byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        return this.#putQuoted(source, start, end);
      }
      to[at++] = byte;
    }
    this.at = at;
  }

  #putQuoted(source: WordView, start: number, end: number): void {
    const to = this.view;
    let at = this.at;
    let next = start;
    to.bytes[at++] = QUOTE;
    while (next + 4 <= end) {
      const word = source.words.getInt32(next, true);
      to.words.setInt32(at, word, true);
      const quotes = zeroBytes(word ^ QUOTES);
      const taken = quotes === 0 ? 4 : firstMarked(quotes) + 1;
      next += taken;
      at += taken;
      if (quotes !== 0) to.bytes[at++] = QUOTE;
    }
    for (; next < end; next++) {
      to.bytes[at++] = source.bytes[next]!;
      if (source.bytes[next] === QUOTE) to.bytes[at++] = QUOTE;
    }
    to.bytes[at++] = QUOTE;
    this.at = at;
  }
}
