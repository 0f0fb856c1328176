import { formatDecimal, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Finding } from '../findings.ts';
import type { DeclaredType } from '../invoices/fields.ts';
import { shownInOrder, type ShownColumns } from '../output/column-looks.ts';
import { GAP, leastTableWidth } from '../output/table/table-fit.ts';
import type { Question } from './questions.ts';
import { BAR, batchOfRows, chosenColumns, type Row } from './result-rows.ts';

export interface FigureColumn<Item> {
  readonly name: string;
  readonly type: DeclaredType;
  /** The cell in the row of an item, as JSON. */
  readonly json: (item: Item) => string;
  /** Without a rank it is shown only where room is left. */
  readonly shown?: ShownColumns[string];
  /** Whether a terminal leaves it out where all its cells are zero. It can still be chosen. */
  readonly hidesZeros?: boolean;
}

/** Figures of all records: a row for each item. */
export interface FigureTable<Item> {
  readonly columns: readonly FigureColumn<Item>[];
  /** The items of each currency, in their order. */
  readonly currencies: readonly (readonly Item[])[];
  /** The amount that the bar of an item shows; undefined for an item without one, such as a total. */
  readonly barOf: (item: Item) => Decimal | undefined;
  /** Columns that a narrow terminal replaces by one with their sum. */
  readonly together?: { readonly columns: readonly string[]; readonly as: FigureColumn<Item> };
}

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
  /** All columns that can be chosen: those that are shown first. */
  readonly all: readonly string[];
  /** Whether a terminal has room for bars beside all columns that matter. */
  readonly hasBars?: boolean;
  /** Columns in whose place their sum is shown. */
  readonly replaced?: readonly string[];
}

/** Where there is room for bars, they come before the columns that are shown only where room is left. */
const LAST_RANK = 1000;
/** Display cells of the longest bar. */
const BAR_CELLS = 20;

/** The rows of all currencies. On a terminal each has a bar, in scale with the other bars of its currency. */
function writtenTable<Item>(table: FigureTable<Item>, terminal?: BarTerminal): WrittenTable {
  const { columns, together, currencies, barOf } = table;
  const names = columns.map(({ name }) => name);
  const inRows = together === undefined ? columns : [...columns, together.as];
  const rows = currencies.flatMap((items) => {
    const bars = terminal === undefined ? undefined : barsOf(items.map(barOf), terminal.blocks);
    return items.map((item, at): Row => {
      const row = inRows.map(({ name, json }) => [name, json(item)] as const);
      return bars === undefined ? row : [...row, [BAR, JSON.stringify(bars[at])]];
    });
  });
  const batch = batchOfRows(rows);
  if (terminal === undefined) return { batch, columns: names, all: inRows.map(({ name }) => name) };
  const isZero = (at: number): boolean => rows.every((row) => /^-?0+(?:\.0*)?$/.test(row[at]![1]));
  const candidates = columns.filter(({ hidesZeros }, at) => hidesZeros !== true || !isZero(at));
  const looks = shownInOrder(
    candidates.map(({ name }) => name),
    shownOf(table),
  );
  const needed = looks.filter(({ rank }) => rank !== undefined);
  const room = terminal.width - leastTableWidth(batch, needed);
  const isTight = together !== undefined && room < 0;
  const shown = candidates.flatMap(({ name }) => {
    const part = isTight ? together.columns.indexOf(name) : -1;
    return part === -1 ? name : part === 0 ? together!.as.name : [];
  });
  const all = [...new Set([...shown, BAR, ...inRows.map(({ name }) => name)])];
  const hasBars = room >= GAP + BAR_CELLS;
  return { batch, columns: [...shown, BAR], all, hasBars, replaced: isTight ? together.columns : [] };
}

function shownOf<Item>({ columns, together }: FigureTable<Item>, hasBars = false): ShownColumns {
  const all = together === undefined ? columns : [...columns, together.as];
  const bar = { look: 'bar', rank: hasBars ? LAST_RANK : undefined } as const;
  return { ...Object.fromEntries(all.map(({ name, shown }) => [name, shown])), [BAR]: bar };
}

/** The bars of the values of one currency: at least a cell, unless a value is zero or undefined; shaded if it is negative. */
function barsOf(values: readonly (Decimal | undefined)[], blocks: boolean): string[] {
  const sizes = values.map((value) => (value === undefined ? 0 : Number(formatDecimal(value))));
  const longest = sizes.reduce((long, size) => Math.max(long, Math.abs(size)), 0);
  const [positive, negative] = blocks ? ['█', '░'] : ['#', '-'];
  return sizes.map((size) => {
    const cells = size === 0 ? 0 : Math.max(1, Math.round((Math.abs(size) / longest) * BAR_CELLS));
    return (size < 0 ? negative : positive).repeat(cells);
  });
}

/** Figures of all records. */
interface Figures<Item> {
  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void;
  add(batch: RecordBatch): void;
  /** The table, once all records were added. */
  table(isTerminal: boolean): FigureTable<Item>;
  findings(): readonly Finding[];
}

/** The question whose answer is figures of all records, for a terminal, if its table goes to one. */
export function figuresQuestion<Item>(figures: Figures<Item>, terminal: BarTerminal | undefined): Question {
  let table: FigureTable<Item> = { columns: [], currencies: [], barOf: () => undefined };
  let written: Omit<WrittenTable, 'batch'> = { columns: [], all: [] };
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
        return shownOf(table, written.hasBars);
      },
      typeOf: (column) => table.columns.find(({ name }) => name === column)?.type ?? 'text',
    },
    findings: () => {
      const { replaced = [] } = written;
      const text = `${table.together?.as.name} is the sum of ${replaced.join(', ')} · --columns, --wide`;
      return [...figures.findings(), ...(replaced.length === 0 ? [] : [{ level: 'remark', text } as const])];
    },
  };
}
