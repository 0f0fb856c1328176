import { DECIMAL_ZERO, absoluteDecimal, compareDecimals, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Finding } from '../findings.ts';
import type { DeclaredType } from '../invoices/fields.ts';
import { shownInOrder, type ShownColumns } from '../output/column-looks.ts';
import { GAP, tableWidth } from '../output/table/table-fit.ts';
import type { Question } from './questions.ts';
import { batchOfRows, chosenColumns, type Row } from './result-rows.ts';

/** A column of a table of figures. */
export interface FigureColumn<Item> {
  readonly name: string;
  readonly type: DeclaredType;
  /** The cell in the row of an item, as JSON. */
  readonly json: (item: Item) => string;
  readonly shown?: ShownColumns[string];
  /** Whether a terminal leaves it out with all others that are spare, where it has too little room for every cell whole. */
  readonly isSpare?: boolean;
  /** Where all its cells are zero: a terminal never shows it, or takes it for spare. It can still be chosen. */
  readonly zeros?: 'hidden' | 'spare';
}

/** Figures of all records: a row for each item, and what becomes of the columns on a narrow terminal. */
export interface FigureTable<Item> {
  readonly columns: readonly FigureColumn<Item>[];
  /** The items of each currency, in their order. */
  readonly currencies: readonly (readonly Item[])[];
  /** The amount that the bar of an item shows; undefined for an item without one, such as a total. */
  readonly barOf: (item: Item) => Decimal | undefined;
  /** Columns that are replaced by their sum where the table is still too wide; then no bar is drawn. */
  readonly together?: { readonly columns: readonly string[]; readonly as: FigureColumn<Item> };
  /** Left out after these, one by one in this order, as long as the table has no room even with cut columns. */
  readonly last?: readonly string[];
}

/** Where bars are drawn: a terminal, or the room that one has for them. */
export interface BarTerminal {
  /** Display cells across. */
  readonly width: number;
  /** Whether it has block characters; else a bar is made of `#`. */
  readonly blocks: boolean;
}

interface WrittenTable {
  readonly batch: RecordBatch;
  /** The columns in their order, also where there are no rows. */
  readonly columns: readonly string[];
  /** Columns for which a narrow terminal had no room. */
  readonly leftOut: readonly string[];
  /** All columns that the rows have: those that are shown first. */
  readonly all: readonly string[];
}

const BAR = 'bar';
/** Display cells of a bar: at least as many as a table leaves of any text, since a bar must not be cut. */
const BAR_MIN = 8;
const BAR_MAX = 30;

/** The rows of all currencies. On a terminal with enough room each has a bar, in scale with the other bars of its currency. */
function writtenTable<Item>(table: FigureTable<Item>, terminal?: BarTerminal): WrittenTable {
  const { columns, together, currencies, barOf } = table;
  const names = columns.map(({ name }) => name);
  const inRows = together === undefined || terminal === undefined ? columns : [...columns, together.as];
  const rows = currencies.map((items) =>
    items.map((item): Row => inRows.map(({ name, json }) => [name, json(item)])),
  );
  const batch = batchOfRows(rows.flat());
  if (terminal === undefined) return { batch, columns: names, leftOut: [], all: names };
  const isZero = (at: number): boolean =>
    rows.every((some) => some.every((row) => /^-?0+(?:\.0*)?$/.test(row[at]![1])));
  const zeros = columns.filter((column, at) => column.zeros !== undefined && isZero(at));
  const candidates = columns.filter((column) => column.zeros !== 'hidden' || !zeros.includes(column));
  const shownAs = shownOf(table);
  const widthOf: WidthOf = (some) => tableWidth(batch, shownInOrder(some, shownAs));
  const spare = candidates.filter((column) => column.isSpare || (batch.count > 0 && zeros.includes(column)));
  const shown = fitting(table, { candidates, spare, widthOf, room: terminal.width });
  const { whole, least } = widthOf(shown);
  const isTight = together !== undefined && shown.includes(together.as.name);
  const hasBars = !isTight && least + GAP + BAR_MIN <= terminal.width;
  const room = { ...terminal, width: Math.max(BAR_MIN, Math.min(BAR_MAX, terminal.width - whole - GAP)) };
  const withBar = hasBars ? [...shown, BAR] : shown;
  return {
    batch: hasBars
      ? batchOfRows(rows.flatMap((some, at) => withBars(some, currencies[at]!.map(barOf), room)))
      : batch,
    columns: withBar,
    leftOut: candidates.map(({ name }) => name).filter((name) => !shown.includes(name)),
    all: [...new Set([...withBar, ...names])],
  };
}

function shownOf<Item>({ columns, together }: FigureTable<Item>): ShownColumns {
  const all = together === undefined ? columns : [...columns, together.as];
  return Object.fromEntries(all.map(({ name, shown }) => [name, shown]));
}

type WidthOf = (columns: readonly string[]) => ReturnType<typeof tableWidth>;

interface Fit<Item> {
  readonly candidates: readonly FigureColumn<Item>[];
  readonly spare: readonly FigureColumn<Item>[];
  readonly widthOf: WidthOf;
  readonly room: number;
}

/** The columns for which there is room, and for a bar beside them where none has to go for it. */
function fitting<Item>(
  { together, last = [] }: FigureTable<Item>,
  { candidates, spare, widthOf, room }: Fit<Item>,
): readonly string[] {
  const all = candidates.map(({ name }) => name);
  if (widthOf(all).whole + GAP + BAR_MIN <= room) return all;
  let shown = candidates.filter((column) => !spare.includes(column)).map(({ name }) => name);
  const isRoom = (): boolean => widthOf(shown).least <= room;
  const parts = shown.filter((name) => together?.columns.includes(name));
  if (together !== undefined && parts.length > 1 && !isRoom()) {
    shown = shown.flatMap((name) =>
      name === parts[0] ? together.as.name : parts.includes(name) ? [] : name,
    );
  }
  for (const name of last) {
    if (isRoom()) break;
    shown = shown.filter((other) => other !== name);
  }
  return shown;
}

function withBars(rows: readonly Row[], values: readonly (Decimal | undefined)[], room: BarTerminal): Row[] {
  const longest = values.reduce<Decimal>(
    (long, value = DECIMAL_ZERO) =>
      compareDecimals(absoluteDecimal(long), absoluteDecimal(value)) < 0 ? value : long,
    DECIMAL_ZERO,
  );
  return rows.map((row, at): Row => {
    const value = values[at];
    return [...row, [BAR, JSON.stringify(value === undefined ? '' : barOf(value, longest, room))]];
  });
}

/** A cell that is filled from the left by one to eight eighths. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/** The bar of a value, where `longest` fills the room: at least an eighth of a cell, unless it is zero; shaded if negative. */
function barOf(value: Decimal, longest: Decimal, { width, blocks }: BarTerminal): string {
  const eighths = eighthsOf(value, longest, width);
  const cells = Math.ceil(eighths / 8);
  if (!blocks) return (value.coefficient < 0n ? '-' : '#').repeat(cells);
  if (value.coefficient < 0n) return '░'.repeat(cells);
  return eighths === 0 ? '' : '█'.repeat(cells - 1) + EIGHTHS[(eighths - 1) % 8]!;
}

/** The length of a bar in eighths of a cell. Computed in whole numbers, so that no amount is too large. */
function eighthsOf(value: Decimal, longest: Decimal, width: number): number {
  const part = absoluteDecimal(value).coefficient * 10n ** BigInt(longest.scale) * BigInt(width * 8);
  const whole = absoluteDecimal(longest).coefficient * 10n ** BigInt(value.scale);
  if (part === 0n || whole === 0n) return 0;
  return Math.min(width * 8, Math.max(1, Number((part + whole / 2n) / whole)));
}

/** Figures of all records. */
interface Figures<Item> {
  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void;
  add(batch: RecordBatch): void;
  /** The table, once all records were added. */
  table(isTerminal: boolean): FigureTable<Item>;
  /** @param leftOut the columns for which a terminal had no room */
  findings(leftOut: readonly string[]): readonly Finding[];
}

/** The question whose answer is figures of all records, for a terminal, if its table goes to one. */
export function figuresQuestion<Item>(figures: Figures<Item>, terminal: BarTerminal | undefined): Question {
  let table: FigureTable<Item> = { columns: [], currencies: [], barOf: () => undefined };
  let written: Omit<WrittenTable, 'batch'> = { columns: [], leftOut: [], all: [] };
  return {
    sample: (batch) => figures.sample(batch),
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) figures.add(batch);
      table = figures.table(terminal !== undefined);
      const { batch, ...form } = writtenTable(table, terminal);
      written = form;
      yield batch;
    },
    result: {
      columns: (chosen) =>
        chosen === undefined ? written.columns : chosenColumns(written.all, chosen, '--columns'),
      get shown() {
        return shownOf(table);
      },
      typeOf: (column) => table.columns.find(({ name }) => name === column)?.type ?? 'text',
    },
    findings: () => figures.findings(written.leftOut),
  };
}
