import { setImmediate } from 'node:timers/promises';
import type { RecordBatch } from '../../json/records.ts';
import { paint } from '../terminal/colors.ts';
import { displayWidth } from '../terminal/display-width.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { TableRows } from './table-columns.ts';
import { statusStyle, TableDrawing } from './table-drawing.ts';
import { fitColumns, type FittedColumn } from './table-fit.ts';
import { leftOutNote } from './table-notes.ts';

/** How many records decide the columns and their widths: when rows are cut to fit, and when they are whole. */
const SAMPLE = { cut: 500, whole: 10_000 };

/** The width of the words below a table, in display cells, when there is no terminal. */
const WORDS = 100;

/**
 * Tables for people. On a terminal (`width`) the most important columns are shown as far as they fit, and the others are
 * named below. Off a terminal, and with `wide`, every column is shown whole. A single record is a sheet of its fields.
 * Time and memory are linear: the first records decide the widths, and all others are drawn as they come.
 */
export const openTable: OpenWriter = (sink, layout) =>
  layout.single ? openRecordSheet(sink, layout) : new TableWriter(sink, layout);

class TableWriter implements Writer {
  readonly #sink: Sink;
  readonly #layout: Layout;
  readonly #rows: TableRows;
  readonly #cut: boolean;
  /** Rows that are not drawn yet. */
  #held: string[][] = [];
  #drawing: TableDrawing | undefined;
  #shown = new Set<number>();

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#rows = new TableRows(layout);
    this.#cut = layout.width !== undefined && layout.wide !== true;
  }

  async write(batch: RecordBatch): Promise<void> {
    const sample = this.#cut ? SAMPLE.cut : SAMPLE.whole;
    for (let index = 0; index < batch.count; index++) {
      this.#held.push(this.#rows.read(batch, index));
      if (this.#drawing === undefined && this.#held.length === sample) await this.#settle();
    }
    if (this.#drawing !== undefined) await this.#draw(this.#drawing);
  }

  async end(): Promise<void> {
    if (this.#drawing === undefined) await this.#settle();
    const names = this.#rows.columns().flatMap(({ index, name }) => (this.#shown.has(index) ? [] : [name]));
    const note = leftOutNote(names, this.#layout.width ?? WORDS, this.#cut ? 'narrow' : 'late');
    if (note.length === 0) return;
    const lines = note.map((line) => `${this.#layout.color ? paint(line, 'dim') : line}\n`);
    await this.#sink.write(`\n${lines.join('')}`);
  }

  /** Decides on columns and widths; writes the head and the rows read so far. */
  async #settle(): Promise<void> {
    const columns = this.#rows.columns();
    if (columns.length === 0) return;
    const { width = Infinity, color, columns: asked } = this.#layout;
    const fitted: FittedColumn[] = this.#cut
      ? fitColumns(columns, width, asked !== undefined)
      : columns.map((column) => ({ column, width: column.width }));
    this.#shown = new Set(fitted.map(({ column }) => column.index));
    const status = columns.find(({ role }) => role === 'status')?.index;
    this.#drawing = new TableDrawing(fitted, status, { color, cut: this.#cut });
    await this.#sink.write(this.#drawing.head());
    await this.#draw(this.#drawing);
  }

  async #draw(drawing: TableDrawing): Promise<void> {
    const rows = this.#held;
    this.#held = [];
    for (const text of drawing.rows(rows)) {
      await this.#sink.write(text);
      // A long table takes seconds: a signal must be heard meanwhile.
      await setImmediate();
    }
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
