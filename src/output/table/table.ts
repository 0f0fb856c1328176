import { setImmediate } from 'node:timers/promises';
import CliTable from 'cli-table3';
import { DocumentReader } from '../../invoices/document-reader.ts';
import { validityOf } from '../../invoices/document-types.ts';
import { OPEN_ITEM_ROLES, isOverdue, openItemOf } from '../../invoices/open-items.ts';
import type { RecordBatch } from '../../json/records.ts';
import { columnWidth, fits, paint, truncate, type Style } from '../terminal/terminal-text.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { fitColumns, GAP, headOf, leftOutNote, withDistinct, type FittedTable } from './table-fit.ts';
import { dayOf, tableRows, type ShownColumn } from './table-rows.ts';

/** How many records decide the columns and their widths: where cells are cut to fit the terminal, and where they are whole. */
const SAMPLE = { cut: 500, whole: 10_000 };

/** The most cells of these records: thousands of columns would fill the memory. */
const MAX_SAMPLE_CELLS = 1_000_000;

/** Cells that are drawn before the event loop runs, so that signals are handled: a long table takes seconds. */
const CELLS_DRAWN = 3_000;

/** The width of the lines below a table, in display cells, where there is no terminal. */
const FOOTER_WIDTH = 100;

/** Marks a due date in the past if there are no colours. */
const PAST_DUE = '!';

/** The texts of a row by the index of their column, and the styles of some of them. */
interface Row {
  readonly texts: string[];
  readonly isPastDue: boolean;
  styles?: ReadonlyMap<number | undefined, Style>;
}

/**
 * Tables for people. On a terminal (`width`) the most important columns are shown as far as they fit, and the others are
 * named below. Off a terminal, and with `wide`, every column is shown whole. A single record is a sheet of its fields.
 * Memory does not grow with the records: the first ones decide the widths, and all others are drawn as they come.
 */
export const openTable: OpenWriter = (sink, layout) =>
  layout.single ? openRecordSheet(sink, layout) : openRows(sink, layout);

function openRows(sink: Sink, layout: Layout): Writer {
  const { width, color, today, isChosen = false } = layout;
  const rows = tableRows(layout);
  const pastDueOf = pastDueTest(layout);
  const cut = width !== undefined && layout.wide !== true;
  const sample = cut ? SAMPLE.cut : SAMPLE.whole;
  const marks = !color && layout.raw !== true && width !== undefined && today !== undefined;
  let waiting: Row[] = [];
  let hasMarked = false;
  let body: Awaited<ReturnType<typeof decideColumns>>;

  const decideColumns = async () => {
    const texts = waiting.map((row) => row.texts);
    const columns = rows.columns(texts);
    if (columns.length === 0) return undefined;
    const isMarked = ({ look }: ShownColumn): boolean => marks && look === 'due';
    const withRoom = columns.map((column) =>
      isMarked(column)
        ? { ...column, cells: column.cells + 1, width: Math.max(column.width, column.cells + 1) }
        : column,
    );
    const measured = withDistinct(withRoom, texts);
    const fitted: FittedTable = cut
      ? fitColumns(measured, width, isChosen)
      : { columns: measured.map((column) => ({ column, width: column.width })), gap: GAP };
    const shown = new Set(fitted.columns.map(({ column }) => column.index));
    const status = columns.flatMap(({ look, index }) => (look === 'status' ? index : []));
    rows.readOnly([...shown, ...status]);
    const drawing = tableDrawing(fitted, { color, cut });
    await sink.write(drawing.head());
    const style = rowStyle(columns, color);
    const due = fitted.columns.find(({ column }) => isMarked(column));
    const finish = (row: Row): Row => {
      style(row);
      if (due === undefined || !row.isPastDue) return row;
      hasMarked = true;
      const { index } = due.column;
      const text = `${row.texts[index] ?? ''}${PAST_DUE}`;
      // The mark replaces the ellipsis of a cut time; else the row would look as if it were not overdue.
      row.texts[index] = cut ? truncate(text, due.width).replace(/…$/u, PAST_DUE) : text;
      return row;
    };
    return { drawing, finish, shown };
  };

  /** Draws the rows read so far. The first time, they decide on columns and widths, and the head is drawn first. */
  const drawWaiting = async (): Promise<void> => {
    body ??= await decideColumns();
    if (body === undefined) return;
    const { drawing, finish, shown } = body;
    const step = Math.max(1, Math.floor(CELLS_DRAWN / Math.max(1, shown.size)));
    for (const all = waiting.splice(0); all.length > 0;) {
      await sink.write(drawing.rows(all.splice(0, step).map(finish)));
      await setImmediate();
    }
  };

  return {
    async write(batch) {
      const isPastDue = pastDueOf(batch);
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        waiting.push({ texts, isPastDue: isPastDue[index] === true });
        const isSampled = waiting.length === sample || waiting.length * texts.length > MAX_SAMPLE_CELLS;
        if (isSampled && body === undefined) await drawWaiting();
      }
      if (body !== undefined) await drawWaiting();
    },
    async end() {
      await drawWaiting();
      const isLeftOut = ({ index, look }: ShownColumn): boolean => !body?.shown.has(index) && look !== 'bar';
      const names = rows
        .columns()
        .filter(isLeftOut)
        .map(({ name }) => name);
      const left = leftOutNote(names, width ?? FOOTER_WIDTH, cut ? 'narrow' : 'late');
      const lines = [hasMarked ? `${PAST_DUE} past due` : '', left].filter((line) => line !== '');
      if (lines.length === 0) return;
      await sink.write(`\n${lines.map((line) => `${color ? paint(line, 'dim') : line}\n`).join('')}`);
    },
  };
}

/** Makes a function that tells for each record of a batch whether it is overdue, by the rule of `--overdue`. */
function pastDueTest({ today, fields, isChosen }: Layout): (batch: RecordBatch) => readonly boolean[] {
  if (today === undefined || fields === undefined) return () => [];
  const document = new DocumentReader({ fields }, { roles: OPEN_ITEM_ROLES, names: [] });
  return (batch) => {
    const isPastDue: boolean[] = [];
    document.fold(batch, () => isPastDue.push(isOverdue(openItemOf(document), today)));
    // Rows of chosen columns may lack the columns that mark credit notes and cancelled documents.
    const canTell = isChosen !== true || document.missingKinds.length === 0;
    return canTell ? isPastDue : [];
  };
}

/** Makes a function that styles a row: days without midnight, colours for the status and for overdue dates. */
function rowStyle(columns: readonly ShownColumn[], color: boolean): (row: Row) => void {
  const indexOf = (wanted: ShownColumn['look']): number | undefined =>
    columns.find(({ look }) => look === wanted)?.index;
  const days = columns.flatMap((column) => (column.days ? column.index : []));
  const [status, due, open] = [indexOf('status'), indexOf('due'), indexOf('open')];
  return (row) => {
    const { texts, isPastDue } = row;
    for (const index of days) texts[index] = dayOf(texts[index] ?? '');
    if (!color) return;
    const style = status === undefined ? undefined : statusStyle(texts[status] ?? '');
    const alarmed = isPastDue ? [due, open] : style === 'alarm' && open === undefined ? [due] : [];
    row.styles = new Map([
      ...(style === undefined ? [] : [[status, style] as const]),
      ...alarmed.map((index) => [index, 'alarm'] as const),
    ]);
  };
}

/** The styles of known statuses. Any other status is shown without colour. */
const STYLES = new Map<string, Style>([
  ['PAID', 'green'],
  ['MANUALLY_MARKED_AS_PAID', 'green'],
  ['PENDING', 'yellow'],
  ['PARTIALLY_PAID', 'yellow'],
  ['OVERDUE', 'alarm'],
]);

/** The style of a status, in any case: dim for cancelled or void documents; undefined for an unknown status. */
function statusStyle(status: string): Style | undefined {
  return validityOf(status, undefined) === 'valid' ? STYLES.get(status.toUpperCase()) : 'dim';
}

/** One record as a sheet: a line for each field, its name and its value, nothing cut. */
function openRecordSheet(sink: Sink, layout: Layout): Writer {
  const { color } = layout;
  const rows = tableRows(layout);
  const pastDueOf = pastDueTest(layout);
  return {
    async write(batch) {
      const isPastDue = pastDueOf(batch);
      for (let index = 0; index < batch.count; index++) {
        const row: Row = { texts: rows.read(batch, index), isPastDue: isPastDue[index] === true };
        const columns = rows.columns();
        rowStyle(columns, color)(row);
        const width = Math.max(...columns.map(({ name }) => columnWidth(name)));
        for (const { index: column, name } of columns) {
          const value = painted(row, column, row.texts[column] ?? '');
          const blanks = value === '' ? '' : ' '.repeat(width - columnWidth(name) + 2);
          await sink.write(`${color ? paint(name, 'bold') : name}${blanks}${value}\n`);
        }
      }
    },
    end: async () => undefined,
  };
}

/** The text of a cell, in its style. */
function painted({ styles }: Row, column: number, text: string): string {
  const style = text === '' ? undefined : styles?.get(column);
  return style === undefined ? text : paint(text, style);
}

/** Rows and columns that cli-table3 draws at once: its time grows with the square of either. */
const BLOCK = { rows: 10, columns: 40 };

/** Beside the cells, cli-table3 writes the line below the head, and blanks. */
const NO_LINES = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid right right-mid'
    .split(' ')
    .map((name) => [name, '']),
);

/**
 * cli-table3 gets cells that are cut already, but still cuts a copy of each to ten characters for its notes: a mark of ten leaves
 * nothing to cut.
 */
const CUT_BEFORE = '.'.repeat(10);

/**
 * Replaces a text that is wider than its column while cli-table3 draws, which takes seconds to measure 300,000 emoji. It
 * takes a cell, and no shown text has it (`visible`).
 */
const STAND_IN = '\u00ad';
const STAND_INS = /\u00ad+/g;

/**
 * Draws rows with cli-table3, a few at a time as one row of cells of so many lines: it takes as long for ten cells as for a
 * hundred lines of them.
 *
 * @param cut whether a cell that is too long is cut; else it pushes the rest of its row to the right
 */
function tableDrawing(
  { columns, gap }: FittedTable,
  { color, cut }: { readonly color: boolean; readonly cut: boolean },
) {
  const between = ' '.repeat(gap);

  /** The lines of a row of cells, with those of a head and a rule above it, if there is a head. */
  const draw = (cells: readonly string[], head: readonly string[] = []): string[] => {
    let lines: string[] = [];
    for (let from = 0; from < columns.length; from += BLOCK.columns) {
      const part = <T>(all: readonly T[]): T[] => all.slice(from, from + BLOCK.columns);
      const table = new CliTable({
        head: part(head),
        colWidths: part(columns).map(({ width }) => width),
        colAligns: part(columns).map(({ column }) => (column.numeric ? 'right' : 'left')),
        chars: { ...NO_LINES, mid: '─', 'mid-mid': between, middle: between },
        style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
        truncate: CUT_BEFORE,
      });
      table.push(part(cells));
      const drawn = table.toString().split('\n');
      lines = from === 0 ? drawn : lines.map((line, at) => line + between + drawn[at]!);
    }
    return lines;
  };

  const drawRows = (rows: readonly Row[]): string[] => {
    const wide: string[][] = rows.map(() => []);
    const cells = columns.map(({ column: { index }, width }) => {
      const shown = rows.map((row, nth) => {
        const sent = row.texts[index] ?? '';
        const text = cut ? truncate(sent, width) : sent;
        if (fits(text, width)) return painted(row, index, text);
        wide[nth]!.push(painted(row, index, text));
        return STAND_IN.repeat(width);
      });
      return shown.join('\n');
    });
    return draw(cells).map((line, nth) => line.replaceAll(STAND_INS, () => wide[nth]!.shift()!));
  };

  return {
    /** The names of the columns and the line below them, which cli-table3 draws only where there is a row. */
    head(): string {
      const head = columns.map((column) => (color ? paint(headOf(column), 'bold') : headOf(column)));
      const noCells = columns.map(() => '');
      return textOf(draw(noCells, head).slice(0, 2));
    },
    rows(rows: readonly Row[]): string {
      const lines: string[] = [];
      for (let from = 0; from < rows.length; from += BLOCK.rows)
        lines.push(...drawRows(rows.slice(from, from + BLOCK.rows)));
      return textOf(lines);
    },
  };
}

/** Joins the lines, without the trailing blanks, which are a nuisance in copied text. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
