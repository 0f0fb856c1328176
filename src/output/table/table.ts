import type { RecordBatch } from '../../json/records.ts';
import { paint } from '../terminal/colors.ts';
import { displayWidth } from '../terminal/display-width.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { TableRows } from './table-columns.ts';
import { statusStyle, TablePrinter } from './table-drawing.ts';
import { fitColumns, type FittedColumn } from './table-fit.ts';
import { leftOutNote } from './table-notes.ts';

/** Records whose cells decide the columns and their widths, where each row is cut to fit, and where none is. */
const SAMPLE = { cut: 500, whole: 10_000 };

/** Cells across that the words under a table take where no terminal sets a limit. */
const WORDS = 100;

/**
 * Tables for reading. On a terminal (`width`) the columns that matter most are shown as far as they fit, and the rest
 * is named below; off one, and with `wide`, every column is shown whole. A single record is a sheet of its fields.
 * Time and memory are linear: the first records settle the widths, all others are printed as they come.
 */
export const openTable: OpenWriter = (sink, layout) =>
  layout.single ? openRecordSheet(sink, layout) : new TableWriter(sink, layout);

class TableWriter implements Writer {
  readonly #sink: Sink;
  readonly #layout: Layout;
  readonly #rows: TableRows;
  readonly #cut: boolean;
  /** Rows read before the widths are settled. */
  #held: string[][] = [];
  #printer: TablePrinter | undefined;
  #shown = new Set<number>();

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#rows = new TableRows(layout);
    this.#cut = layout.width !== undefined && layout.wide !== true;
  }

  async write(batch: RecordBatch): Promise<void> {
    let text = '';
    for (let index = 0; index < batch.count; index++) {
      const row = this.#rows.read(batch, index);
      if (this.#printer !== undefined) {
        text += this.#printer.row(row);
        continue;
      }
      this.#held.push(row);
      if (this.#held.length >= (this.#cut ? SAMPLE.cut : SAMPLE.whole)) text += this.#settle();
    }
    if (text !== '') await this.#sink.write(text);
  }

  async end(): Promise<void> {
    let text = this.#printer === undefined ? this.#settle() : '';
    const names = this.#rows.columns().flatMap(({ index, name }) => (this.#shown.has(index) ? [] : [name]));
    const note = leftOutNote(names, this.#layout.width ?? WORDS, this.#cut ? 'narrow' : 'late');
    for (const [index, line] of note.entries()) {
      text += `${index === 0 ? '\n' : ''}${this.#layout.color ? paint(line, 'dim') : line}\n`;
    }
    if (text !== '') await this.#sink.write(text);
  }

  /** Decides on columns and widths; returns the head and the rows held until now. */
  #settle(): string {
    const columns = this.#rows.columns();
    if (columns.length === 0) return '';
    const { width = Infinity, color, columns: asked } = this.#layout;
    const fitted: FittedColumn[] = this.#cut
      ? fitColumns(columns, width, asked !== undefined)
      : columns.map((column) => ({ column, width: column.width }));
    this.#shown = new Set(fitted.map(({ column }) => column.index));
    const status = columns.find(({ role }) => role === 'status')?.index;
    const printer = new TablePrinter(fitted, status, { color, cut: this.#cut });
    const text = printer.head() + this.#held.map((row) => printer.row(row)).join('');
    this.#printer = printer;
    this.#held = [];
    return text;
  }
}

/** One record as a sheet: a line for each field, its name and its value, nothing cut. */
function openRecordSheet(sink: Sink, layout: Layout): Writer {
  const rows = new TableRows(layout);
  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        const columns = rows.columns();
        const width = Math.max(...columns.map(({ name }) => displayWidth(name)));
        for (const { index, name, role } of columns) {
          const blanks = ' '.repeat(width - displayWidth(name));
          const text = texts[index] ?? '';
          const style = role === 'status' ? statusStyle(text) : undefined;
          const value = layout.color && style !== undefined ? paint(text, style) : text;
          await sink.write(
            `${layout.color ? paint(name, 'bold') : name}${value === '' ? '' : `${blanks}  ${value}`}\n`,
          );
        }
      }
    },
    end: async () => undefined,
  };
}
