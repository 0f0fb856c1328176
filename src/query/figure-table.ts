import type { RecordBatch } from '../json/records.ts';
import type { Finding } from '../findings.ts';
import type { DeclaredType } from '../invoices/fields.ts';
import { shownInOrder, type ShownColumns } from '../output/column-looks.ts';
import { leastTableWidth } from '../output/table/table-fit.ts';
import type { Question } from './questions.ts';
import { batchOfRows, chosenColumns, type Row } from './result-rows.ts';

/** A column of a table of figures. */
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
  readonly items: readonly Item[];
  /** Columns that a narrow terminal replaces by one with their sum. */
  readonly together?: { readonly columns: readonly string[]; readonly as: FigureColumn<Item> };
}

interface WrittenTable {
  readonly batch: RecordBatch;
  /** The columns in their order, also where there are no rows. */
  readonly columns: readonly string[];
  /** All columns that can be chosen: those that are shown first. */
  readonly all: readonly string[];
}

/** The rows of all items. @param width of a terminal, in display cells; undefined for a file */
function writtenTable<Item>(table: FigureTable<Item>, width?: number): WrittenTable {
  const { columns, together, items } = table;
  const names = columns.map(({ name }) => name);
  const inRows = together === undefined || width === undefined ? columns : [...columns, together.as];
  const rows = items.map((item): Row => inRows.map(({ name, json }) => [name, json(item)]));
  const batch = batchOfRows(rows);
  if (width === undefined) return { batch, columns: names, all: names };
  const isZero = (at: number): boolean => rows.every((row) => /^-?0+(?:\.0*)?$/.test(row[at]![1]));
  const candidates = columns.filter(({ hidesZeros }, at) => hidesZeros !== true || !isZero(at));
  const looks = shownInOrder(
    candidates.map(({ name }) => name),
    shownOf(table),
  );
  const needed = looks.filter(({ rank }) => rank !== undefined);
  const isTight = together !== undefined && leastTableWidth(batch, needed) > width;
  const shown = candidates.flatMap(({ name }) => {
    const part = isTight ? together.columns.indexOf(name) : -1;
    return part === -1 ? name : part === 0 ? together!.as.name : [];
  });
  return { batch, columns: shown, all: [...new Set([...shown, ...names])] };
}

function shownOf<Item>({ columns, together }: FigureTable<Item>): ShownColumns {
  const all = together === undefined ? columns : [...columns, together.as];
  return Object.fromEntries(all.map(({ name, shown }) => [name, shown]));
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

/** The question whose answer is figures of all records, for a terminal of a width, if its table goes to one. */
export function figuresQuestion<Item>(figures: Figures<Item>, width: number | undefined): Question {
  let table: FigureTable<Item> = { columns: [], items: [] };
  let written: Omit<WrittenTable, 'batch'> = { columns: [], all: [] };
  return {
    sample: (batch) => figures.sample(batch),
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) figures.add(batch);
      table = figures.table(width !== undefined);
      const { batch, ...form } = writtenTable(table, width);
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
    findings: () => figures.findings(),
  };
}
