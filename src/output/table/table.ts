import { setImmediate } from 'node:timers/promises';
import { validityOf } from '../../invoices/documents.ts';
import { fieldsOfColumns, ROLES } from '../../invoices/fields.ts';
import { Document } from '../../invoices/document.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { paint, columnWidth, type Style } from '../terminal/terminal-text.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { TableDrawing } from './table-drawing.ts';
import { fitColumns, GAP, leftOutNote, withTelling, type FittedTable } from './table-fit.ts';
import { dayOf, TableRows, type ShownColumn } from './table-rows.ts';

/** How many records decide the columns and their widths: where cells are cut to fit the terminal, and where they are whole. */
const SAMPLE = { cut: 500, whole: 10_000 };

/** The most cells that are kept for that: records of thousands of columns would fill the memory. */
const MAX_SAMPLE_CELLS = 1_000_000;

/** Cells that are read, and drawn, before the event loop gets a turn, in which a signal is heard: a long table takes seconds. */
const CELLS_A_TURN = 20_000;
const CELLS_DRAWN = 3_000;

/** The width of the notes below a table, in display cells, where there is no terminal. */
const NOTES_WIDTH = 100;

/** Stands behind a due date that is past, where there are no colours. */
const PAST_DUE = '!';

/** A number with a digit that is not zero before any exponent, however its digits are grouped. */
const POSITIVE = /^[\d.,\s]*[1-9]/;

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
  /** Undefined until the columns are decided on. */
  #body: { readonly drawing: TableDrawing; readonly form: RowForm } | undefined;
  #shown = new Set<number>();

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#rows = new TableRows(layout);
    this.#cut = layout.width !== undefined && layout.wide !== true;
  }

  async write(batch: RecordBatch): Promise<void> {
    const sample = this.#cut ? SAMPLE.cut : SAMPLE.whole;
    let cells = 0;
    for (let index = 0; index < batch.count; index++) {
      const texts = this.#rows.read(batch, index);
      this.#held.push(texts);
      cells += texts.length;
      const isSampled = this.#held.length === sample || this.#held.length * texts.length > MAX_SAMPLE_CELLS;
      if (this.#body === undefined ? isSampled : cells > CELLS_A_TURN) await this.#drawHeld();
      if (cells <= CELLS_A_TURN) continue;
      cells = 0;
      await setImmediate();
    }
    if (this.#body !== undefined) await this.#drawHeld();
  }

  async end(): Promise<void> {
    await this.#drawHeld();
    const names = this.#rows.columns().flatMap(({ index, name }) => (this.#shown.has(index) ? [] : [name]));
    const { width = NOTES_WIDTH, color } = this.#layout;
    const left = leftOutNote(names, width, this.#cut ? 'narrow' : 'late');
    const pastDue = this.#body?.form.hasMarked === true ? `${PAST_DUE} past due` : '';
    const notes = [pastDue, left].filter((note) => note !== '');
    if (notes.length === 0) return;
    await this.#sink.write(`\n${notes.map((line) => `${color ? paint(line, 'dim') : line}\n`).join('')}`);
  }

  /** Draws the rows read so far. The first time, they decide on columns and widths, and the head comes before them. */
  async #drawHeld(): Promise<void> {
    this.#body ??= await this.#decideColumns();
    if (this.#body === undefined) return;
    const { drawing, form } = this.#body;
    const rows = this.#held;
    this.#held = [];
    const step = Math.max(1, Math.floor(CELLS_DRAWN / Math.max(1, this.#shown.size)));
    for (let from = 0; from < rows.length; from += step) {
      const drawn = rows.slice(from, from + step).map((texts) => ({
        texts: form.shown(texts),
        styles: form.stylesOf(texts),
      }));
      await this.#sink.write(drawing.rows(drawn));
      await setImmediate();
    }
  }

  async #decideColumns(): Promise<{ drawing: TableDrawing; form: RowForm } | undefined> {
    const columns = this.#rows.columns();
    if (columns.length === 0) return undefined;
    const { width = Infinity, color, asked = false } = this.#layout;
    const form = new RowForm(columns, this.#layout);
    const marked = columns.map((column) => form.withRoomForMark(column));
    const measured = withTelling(marked, this.#held);
    const fitted: FittedTable = this.#cut
      ? fitColumns(measured, width, asked)
      : { columns: measured.map((column) => ({ column, width: column.width })), gap: GAP };
    this.#shown = new Set(fitted.columns.map(({ column }) => column.index));
    this.#rows.readOnly([...this.#shown, ...form.needed]);
    const drawing = new TableDrawing(fitted, { color, cut: this.#cut });
    await this.#sink.write(drawing.head());
    return { drawing, form };
  }
}

/** A result calls its columns by what they mean. */
const BY_ROLE = { usual: fieldsOfColumns(ROLES.map((role) => [role, 'text', role])) };

/** How a row looks: days without their midnight, a colour for each status, and a colour or a mark for what is past due. */
class RowForm {
  hasMarked = false;
  readonly #today: number | undefined;
  readonly #marks: boolean;
  readonly #color: boolean;
  readonly #days: readonly number[];
  readonly #status: number | undefined;
  readonly #due: number | undefined;
  readonly #open: number | undefined;
  #texts: readonly string[] = [];
  readonly #document: Document;
  /** The places of the columns that `#document` reads. */
  readonly #documentColumns: readonly (number | undefined)[];

  constructor(columns: readonly ShownColumn[], { color, today, width, raw, fields, asked }: Layout) {
    const placeOf = (wanted: ShownColumn['role']): number | undefined =>
      columns.find(({ role }) => role === wanted)?.index;
    const placeNamed = (wanted: string): number | undefined =>
      columns.find(({ column }) => column === wanted)?.index;
    this.#days = columns.filter(({ days }) => days).map(({ index }) => index);
    [this.#status, this.#due, this.#open] = [placeOf('status'), placeOf('due'), placeOf('open')];
    const roles = ['documentType', 'status', 'cancelled'] as const;
    this.#document = new Document({ fields: fields ?? BY_ROLE }, { roles }, (column) => this.#cellOf(column));
    this.#documentColumns = this.#document.columns.map(placeNamed);
    // Among chosen columns, those that tell a credit note or a cancelled document may be missing.
    const knows = (role: 'documentType' | 'status'): boolean =>
      this.#document.columnsOf(role).some((name) => placeNamed(name) !== undefined);
    const canTell = asked !== true || (knows('documentType') && knows('status'));
    this.#today = canTell && this.#due !== undefined && this.#open !== undefined ? today : undefined;
    this.#color = color;
    this.#marks = !color && raw !== true && width !== undefined;
  }

  /** The places of columns that decide how others look. */
  get needed(): readonly number[] {
    const places = [this.#status, this.#due, this.#open, ...this.#documentColumns];
    return places.filter((place) => place !== undefined);
  }

  /** The column, with room for the mark where that may stand in it. */
  withRoomForMark(column: ShownColumn): ShownColumn {
    if (!this.#marks || this.#today === undefined || column.index !== this.#due) return column;
    const cells = column.cells + PAST_DUE.length;
    return { ...column, cells, width: Math.max(column.width, cells) };
  }

  /** The texts as they are drawn. Changes them in place. */
  shown(texts: string[]): string[] {
    for (const place of this.#days) texts[place] = dayOf(texts[place] ?? '');
    if (!this.#marks || !this.#isPastDue(texts)) return texts;
    this.hasMarked = true;
    texts[this.#due!] += PAST_DUE;
    return texts;
  }

  stylesOf(texts: readonly string[]): ReadonlyMap<number, Style> | undefined {
    if (!this.#color) return undefined;
    const styles = new Map<number, Style>();
    const status = this.#status === undefined ? undefined : statusStyle(texts[this.#status] ?? '');
    if (status !== undefined) styles.set(this.#status!, status);
    if (this.#isPastDue(texts)) for (const place of [this.#due!, this.#open!]) styles.set(place, 'alarm');
    else if (status === 'alarm' && this.#due !== undefined && this.#open === undefined)
      styles.set(this.#due, 'alarm');
    return styles;
  }

  /**
   * Whether an amount is still open and was due before today, as --overdue has it: whatever the status says, but for what is
   * cancelled, void or in no sum, and for credit notes, which nobody pays.
   */
  #isPastDue(texts: readonly string[]): boolean {
    if (this.#today === undefined || !POSITIVE.test(texts[this.#open!] ?? '')) return false;
    const day = parseCalendarDay(dayOf(texts[this.#due!] ?? ''));
    if (day === undefined || day >= this.#today) return false;
    this.#texts = texts;
    this.#document.show(0);
    const { isInSums, validity, family } = this.#document;
    return isInSums && validity === 'valid' && family !== 'credit note';
  }

  #cellOf(column: number): Cell | undefined {
    const place = this.#documentColumns[column];
    const text = place === undefined ? '' : (this.#texts[place] ?? '');
    return text === '' ? undefined : { kind: 'string', text };
  }
}

/** The known states of invoices that count. Any other state is shown without colour. */
const STYLES = new Map<string, Style>([
  ['PAID', 'green'],
  ['MANUALLY_MARKED_AS_PAID', 'green'],
  ['PENDING', 'yellow'],
  ['PARTIALLY_PAID', 'yellow'],
  ['OVERDUE', 'alarm'],
]);

/** The style of a status, in any case: dim for what is cancelled or void; undefined for an unknown one. */
function statusStyle(status: string): Style | undefined {
  return validityOf(status, undefined) === 'valid' ? STYLES.get(status.toUpperCase()) : 'dim';
}

/** One record as a sheet: a line for each field, its name and its value, nothing cut. */
function openRecordSheet(sink: Sink, layout: Layout): Writer {
  const rows = new TableRows(layout);
  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        const columns = rows.columns();
        const form = new RowForm(columns, { ...layout, raw: true });
        const styles = form.stylesOf(texts);
        const shown = form.shown(texts);
        const width = Math.max(...columns.map(({ name }) => columnWidth(name)));
        for (const { index, name } of columns) {
          const text = shown[index] ?? '';
          const style = styles?.get(index);
          const value = style === undefined ? text : paint(text, style);
          const blanks = value === '' ? '' : ' '.repeat(width - columnWidth(name) + 2);
          await sink.write(`${layout.color ? paint(name, 'bold') : name}${blanks}${value}\n`);
        }
      }
    },
    end: async () => undefined,
  };
}
