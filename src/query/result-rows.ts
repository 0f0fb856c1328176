import {
  DECIMAL_ZERO,
  absoluteDecimal,
  compareDecimals,
  formatDecimal,
  type Decimal,
} from '../json/decimal.ts';
import { batchWithoutIds, type RecordBatch } from '../json/records.ts';
import { UsageError } from '../errors.ts';
import { shownInOrder, type ShownColumns } from '../output/column-roles.ts';
import { GAP, tableWidth } from '../output/table/table-fit.ts';
import { nearestNames } from './nearest-names.ts';
import type { PlaceOf } from '../invoices/document-reader.ts';
import type { Finding } from '../findings.ts';
import type { Question, ResultForm } from './questions.ts';

/** One field of a row: its name, and its value as JSON text, so that a number keeps all its digits. */
export type RowField = readonly [name: string, json: string];
export type Row = readonly RowField[];

export function textJson(text: string | undefined): string {
  return JSON.stringify(text ?? null);
}

/** An amount as JSON, with every digit; null where there is none. */
export function amountJson(amount: Decimal | undefined): string {
  return amount === undefined ? 'null' : formatDecimal(amount);
}

/** Rows that are passed on together. */
const ROWS_AT_ONCE = 1_000;

/** Rows as records, a thousand at a time; at least one batch, which may be empty. Each row is written as it comes, and not kept. */
export function* batchesOfRows(rows: Iterable<Row>): Generator<RecordBatch> {
  const all = rows[Symbol.iterator]();
  let isOver = false;
  function* some(): Generator<Row> {
    for (let count = 0; count < ROWS_AT_ONCE; count++) {
      const { value, done } = all.next();
      if (done === true) {
        isOver = true;
        return;
      }
      yield value;
    }
  }
  while (!isOver) yield batchOfRows(some());
}

/** The rows of a result as records, so that every writer can write them. A column `a.b` stays one member of that name. */
export function batchOfRows(rows: Iterable<Row>): RecordBatch {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    let text = names.get(name);
    if (text === undefined) names.set(name, (text = `${JSON.stringify(name)}:`));
    return text;
  };
  const bounds: number[] = [];
  let lines = '';
  let at = 0;
  for (const row of rows) {
    let text = '{';
    for (const [name, json] of row) text += `${text === '{' ? '' : ','}${nameOf(name)}${json}`;
    lines += `${text}}\n`;
    bounds.push(at, (at += Buffer.byteLength(text) + 1));
    at++;
  }
  return batchWithoutIds(Buffer.from(lines), Int32Array.from(bounds), false);
}

export interface ResultRows {
  readonly batch: RecordBatch;
  /** The columns in their order, also where there are no rows. */
  readonly columns: readonly string[];
  /** Columns for which a narrow terminal had no room; the rows have them. */
  readonly leftOut: readonly string[];
}

/** A row, and the amount that its bar shows; undefined for a row without a bar, such as a total. */
export interface MeasuredRow {
  readonly row: Row;
  readonly value: Decimal | undefined;
}

/** Where bars are drawn: a terminal, or the room that one has for them. */
export interface BarTerminal {
  /** Display cells across. */
  readonly width: number;
  /** Whether it has block characters; else a bar is made of `#`. */
  readonly blocks: boolean;
}

/** What a result is made for: a terminal, if its table goes to one, and the positions of records in the listing. */
export interface ResultContext {
  readonly terminal: BarTerminal | undefined;
  readonly placeOf: PlaceOf | undefined;
}

/** The columns of a result, and those that a narrow terminal may leave out. */
interface ResultColumns {
  readonly columns: readonly string[];
  readonly shown: ShownColumns;
  /** Left out together where the table has too little room to show every cell whole. */
  readonly spare?: readonly string[];
  /** Columns replaced by their sum (`as`) where the table is still too wide; then no bar is drawn. */
  readonly together?: { readonly columns: readonly string[]; readonly as: string };
  /** Left out after these, one by one in this order, as long as the table has no room even with cut columns. */
  readonly last?: readonly string[];
}

const BAR = 'bar';
/** Display cells of a bar: at least as many as a table leaves of any text, since a bar must not be cut. */
const BAR_MIN = 8;
const BAR_MAX = 30;

/** The rows of all currencies. On a terminal with enough room each has a bar, in scale with the other bars of its currency. */
export function resultRows(
  currencies: readonly (readonly MeasuredRow[])[],
  choice: ResultColumns,
  terminal?: BarTerminal,
): ResultRows {
  const plain = currencies.flatMap((rows) => rows.map(({ row }) => row));
  const { columns, shown: roles } = choice;
  if (terminal === undefined) return { batch: batchOfRows(plain), columns, leftOut: [] };
  const widthOf: WidthOf = (some) => tableWidth(batchOfRows(plain), shownInOrder(some, roles));
  const shown = shownColumns(widthOf, choice, terminal.width);
  const leftOut = columns.filter((column) => !shown.includes(column));
  const { whole, least } = widthOf(shown);
  const isTight = choice.together !== undefined && shown.includes(choice.together.as);
  if (isTight || least + GAP + BAR_MIN > terminal.width)
    return { batch: batchOfRows(plain), columns: shown, leftOut };
  const width = Math.max(BAR_MIN, Math.min(BAR_MAX, terminal.width - whole - GAP));
  return {
    batch: batchOfRows(currencies.flatMap((rows) => withBars(rows, { ...terminal, width }))),
    columns: [...shown, BAR],
    leftOut,
  };
}

/** The display cells of a table of some columns. */
type WidthOf = (columns: readonly string[]) => ReturnType<typeof tableWidth>;

function shownColumns(
  widthOf: WidthOf,
  { columns, spare = [], together, last = [] }: ResultColumns,
  room: number,
): readonly string[] {
  if (widthOf(columns).whole + GAP + BAR_MIN <= room) return columns;
  let shown = columns.filter((column) => !spare.includes(column));
  const isRoom = (): boolean => widthOf(shown).least <= room;
  const parts = shown.filter((column) => together?.columns.includes(column));
  if (together !== undefined && parts.length > 1 && !isRoom()) {
    shown = shown.flatMap((column) =>
      column === parts[0] ? together.as : parts.includes(column) ? [] : column,
    );
  }
  for (const column of last) {
    if (isRoom()) break;
    shown = shown.filter((other) => other !== column);
  }
  return shown;
}

/** Adds bars to the rows of one currency. */
function withBars(rows: readonly MeasuredRow[], room: BarTerminal): Row[] {
  const longest = longestOf(rows.flatMap(({ value }) => value ?? []));
  return rows.map(({ row, value }): Row => {
    const bar = value === undefined ? '' : barOf(value, longest, room);
    return [...row, [BAR, JSON.stringify(bar)]];
  });
}

/** Whether a column is zero in all rows, however many digits it has; what is not there is zero, too. */
export function isZeroIn(currencies: readonly (readonly MeasuredRow[])[], column: string): boolean {
  return currencies.every((rows) =>
    rows.every(({ row }) => /^-?0*(?:\.0*)?$/.test(row.find(([name]) => name === column)?.[1] ?? '')),
  );
}

/** Figures of all records, in rows. */
export interface Figures extends Required<Pick<ResultForm, 'shown' | 'typeOf'>> {
  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void;
  add(batch: RecordBatch, placeOf: PlaceOf | undefined): void;
  /** The rows, once all records were added. */
  rows(terminal: BarTerminal | undefined): ResultRows;
  /** @param leftOut the columns for which a terminal had no room */
  findings(leftOut: readonly string[]): readonly Finding[];
}

/** The question whose answer is figures of all records. */
export function resultQuestion(figures: Figures, { terminal, placeOf }: ResultContext): Question {
  let made: Pick<ResultRows, 'columns' | 'leftOut'> = { columns: [], leftOut: [] };
  return {
    sample: (batch) => figures.sample(batch),
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) figures.add(batch, placeOf);
      const { batch, ...form } = figures.rows(terminal);
      made = form;
      yield batch;
    },
    result: {
      columns: (chosen) =>
        chosen === undefined
          ? made.columns
          : chosenColumns([...made.columns, ...made.leftOut], chosen, '--columns'),
      shown: figures.shown,
      typeOf: figures.typeOf,
    },
    findings: () => figures.findings(made.leftOut),
  };
}

/** The columns that a flag names. Throws UsageError for one that the result does not have. */
export function chosenColumns(
  all: readonly string[],
  chosen: readonly string[],
  flag: string,
): readonly string[] {
  const unknown = chosen.find((column) => !all.includes(column));
  if (unknown === undefined) return chosen;
  const [near] = nearestNames(unknown, all);
  const columns = all.length === 1 ? 'Its only column is' : 'Its columns are';
  throw new UsageError(`${flag}: the result has no column ${unknown}`, {
    hint: near === undefined ? `${columns} ${all.join(', ')}.` : `Did you mean ${near}?`,
  });
}

/** Groups items by currency, in order of first appearance: amounts of different currencies are never compared. */
export function byCurrency<T>(items: readonly T[], currencyOf: (item: T) => string | undefined): T[][] {
  const groups = new Map<string | undefined, T[]>();
  for (const item of items) {
    const currency = currencyOf(item);
    const known = groups.get(currency);
    if (known) known.push(item);
    else groups.set(currency, [item]);
  }
  return [...groups.values()];
}

/** A cell that is filled from the left by one to eight eighths. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/** The bar of a value, where `longest` fills the room: at least an eighth of a cell, unless it is zero; shaded if negative. */
export function barOf(value: Decimal, longest: Decimal, { width, blocks }: BarTerminal): string {
  const eighths = eighthsOf(value, longest, width);
  const cells = Math.ceil(eighths / 8);
  if (!blocks) return (value.coefficient < 0n ? '-' : '#').repeat(cells);
  if (value.coefficient < 0n) return '░'.repeat(cells);
  return eighths === 0 ? '' : '█'.repeat(cells - 1) + EIGHTHS[(eighths - 1) % 8]!;
}

/** The value whose bar is the longest: the largest without its sign. */
export function longestOf(values: readonly Decimal[]): Decimal {
  return values.reduce(
    (longest, value) =>
      compareDecimals(absoluteDecimal(longest), absoluteDecimal(value)) < 0 ? value : longest,
    DECIMAL_ZERO,
  );
}

/** The length of a bar in eighths of a cell. Computed in whole numbers, so that no amount is too large. */
function eighthsOf(value: Decimal, longest: Decimal, width: number): number {
  const part = absoluteDecimal(value).coefficient * 10n ** BigInt(longest.scale) * BigInt(width * 8);
  const whole = absoluteDecimal(longest).coefficient * 10n ** BigInt(value.scale);
  if (part === 0n || whole === 0n) return 0;
  return Math.min(width * 8, Math.max(1, Number((part + whole / 2n) / whole)));
}
