import { setImmediate } from 'node:timers/promises';
import { validityOf } from '../../invoices/documents.ts';
import { fieldsOfColumns, ROLES } from '../../invoices/fields.ts';
import { Document, KIND_ROLES } from '../../invoices/document.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import { paint, columnWidth, type Style } from '../terminal/terminal-text.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { tableDrawing, type TableDrawing } from './table-drawing.ts';
import { fitColumns, GAP, leftOutNote, withTelling, type FittedTable } from './table-fit.ts';
import { dayOf, tableRows, type ShownColumn } from './table-rows.ts';

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
  layout.single ? openRecordSheet(sink, layout) : openRows(sink, layout);

function openRows(sink: Sink, layout: Layout): Writer {
  const { width, color, asked = false } = layout;
  const rows = tableRows(layout);
  const cut = width !== undefined && layout.wide !== true;
  /** Rows that are not drawn yet. */
  let held: string[][] = [];
  /** Undefined until the columns are decided on. */
  let body:
    | { readonly drawing: TableDrawing; readonly form: RowForm; readonly shown: Set<number> }
    | undefined;

  const decideColumns = async (): Promise<typeof body> => {
    const columns = rows.columns();
    if (columns.length === 0) return undefined;
    const form = rowForm(columns, layout);
    const marked = columns.map((column) => form.withRoomForMark(column));
    const measured = withTelling(marked, held);
    const fitted: FittedTable = cut
      ? fitColumns(measured, width, asked)
      : { columns: measured.map((column) => ({ column, width: column.width })), gap: GAP };
    const shown = new Set(fitted.columns.map(({ column }) => column.index));
    rows.readOnly([...shown, ...form.needed]);
    const drawing = tableDrawing(fitted, { color, cut });
    await sink.write(drawing.head());
    return { drawing, form, shown };
  };

  /** Draws the rows read so far. The first time, they decide on columns and widths, and the head comes before them. */
  const drawHeld = async (): Promise<void> => {
    body ??= await decideColumns();
    if (body === undefined) return;
    const { drawing, form, shown } = body;
    const waiting = held;
    held = [];
    const step = Math.max(1, Math.floor(CELLS_DRAWN / Math.max(1, shown.size)));
    for (let from = 0; from < waiting.length; from += step) {
      const drawn = waiting
        .slice(from, from + step)
        .map((texts) => ({ texts: form.shown(texts), styles: form.stylesOf(texts) }));
      await sink.write(drawing.rows(drawn));
      await setImmediate();
    }
  };

  return {
    async write(batch) {
      const sample = cut ? SAMPLE.cut : SAMPLE.whole;
      let cells = 0;
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        held.push(texts);
        cells += texts.length;
        const isSampled = held.length === sample || held.length * texts.length > MAX_SAMPLE_CELLS;
        if (body === undefined ? isSampled : cells > CELLS_A_TURN) await drawHeld();
        if (cells <= CELLS_A_TURN) continue;
        cells = 0;
        await setImmediate();
      }
      if (body !== undefined) await drawHeld();
    },
    async end() {
      await drawHeld();
      const names = rows.columns().flatMap(({ index, name }) => (body?.shown.has(index) ? [] : [name]));
      const left = leftOutNote(names, width ?? NOTES_WIDTH, cut ? 'narrow' : 'late');
      const { form, shown } = body ?? {};
      const isMarked = form?.hasMarked === true && shown?.has(form.markedAt!) === true;
      const pastDue = isMarked ? `${PAST_DUE} past due` : '';
      const notes = [pastDue, left].filter((note) => note !== '');
      if (notes.length === 0) return;
      await sink.write(`\n${notes.map((line) => `${color ? paint(line, 'dim') : line}\n`).join('')}`);
    },
  };
}

/** A result calls its columns by what they mean. */
const BY_ROLE = { usual: fieldsOfColumns(ROLES.map((role) => [role, 'text', role])) };

type RowForm = ReturnType<typeof rowForm>;

/** How a row looks: days without their midnight, a colour for each status, and a colour or a mark for what is past due. */
function rowForm(
  columns: readonly ShownColumn[],
  { color, today, width, raw, fields = BY_ROLE, asked }: Layout,
) {
  const placeOf = (wanted: ShownColumn['role']): number | undefined =>
    columns.find(({ role }) => role === wanted)?.index;
  const placeNamed = (wanted: string): number | undefined =>
    columns.find(({ column }) => column === wanted)?.index;
  const days = columns.flatMap((column) => (column.days ? column.index : []));
  const [status, due, open] = [placeOf('status'), placeOf('due'), placeOf('open')];
  let read: readonly string[] = [];
  const document = new Document({ fields }, { roles: KIND_ROLES }, (column): Cell | undefined => {
    const place = documentPlaces[column];
    const text = place === undefined ? '' : (read[place] ?? '');
    return text === '' ? undefined : { kind: 'string', text };
  });
  const documentPlaces = document.columns.map(placeNamed);
  // Among chosen columns, those that tell a credit note or a cancelled document may be missing.
  const knows = (role: 'documentType' | 'status'): boolean =>
    document.columnsOf(role).some((name) => placeNamed(name) !== undefined);
  const canTell = asked !== true || (knows('documentType') && knows('status'));
  const day = canTell && due !== undefined && open !== undefined ? today : undefined;
  const marks = !color && raw !== true && width !== undefined;
  /**
   * Whether an amount is still open and was due before today, as --overdue has it: whatever the status says, but for what is
   * cancelled, void or in no sum, and for credit notes, which nobody pays.
   */
  const isPastDue = (texts: readonly string[]): boolean => {
    if (day === undefined || !POSITIVE.test(texts[open!] ?? '')) return false;
    const dueDay = parseCalendarDay(dayOf(texts[due!] ?? ''));
    if (dueDay === undefined || dueDay >= day) return false;
    read = texts;
    document.show(0);
    const { isInSums, validity, family } = document;
    return isInSums && validity === 'valid' && family !== 'credit note';
  };
  const form = {
    hasMarked: false,
    /** The place of the column in which marks stand. */
    markedAt: due,
    /** The places of columns that decide how others look. */
    needed: [status, due, open, ...documentPlaces].filter((place) => place !== undefined),
    /** The column, with room for the mark where that may stand in it. */
    withRoomForMark(column: ShownColumn): ShownColumn {
      if (!marks || day === undefined || column.index !== due) return column;
      const cells = column.cells + PAST_DUE.length;
      return { ...column, cells, width: Math.max(column.width, cells) };
    },
    /** The texts as they are drawn. Changes them in place. */
    shown(texts: string[]): string[] {
      for (const place of days) texts[place] = dayOf(texts[place] ?? '');
      if (!marks || !isPastDue(texts)) return texts;
      form.hasMarked = true;
      texts[due!] += PAST_DUE;
      return texts;
    },
    stylesOf(texts: readonly string[]): ReadonlyMap<number, Style> | undefined {
      if (!color) return undefined;
      const styles = new Map<number, Style>();
      const style = status === undefined ? undefined : statusStyle(texts[status] ?? '');
      if (style !== undefined) styles.set(status!, style);
      if (isPastDue(texts)) for (const place of [due!, open!]) styles.set(place, 'alarm');
      else if (style === 'alarm' && due !== undefined && open === undefined) styles.set(due, 'alarm');
      return styles;
    },
  };
  return form;
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
  const rows = tableRows(layout);
  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        const columns = rows.columns();
        const form = rowForm(columns, { ...layout, raw: true });
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
