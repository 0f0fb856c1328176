import type { RecordBatch } from '../json/record-batch.ts';
import { barOf, longestOf, type BarStyle } from './bars.ts';
import type { Decimal } from './decimal.ts';
import { batchOfRows, type Row } from './rows.ts';
import { tableWidth } from './table-width.ts';

/** A result for a writer. */
export interface ResultRows {
  readonly batch: RecordBatch;
  /** The columns in the order in which they read best, also where there are no rows. */
  readonly columns: readonly string[];
}

/** A row, and the amount that its bar stands for; none for a row that is not to be compared with others. */
export interface MeasuredRow {
  readonly row: Row;
  readonly value: Decimal | undefined;
}

/** A terminal that bars are drawn on. */
export interface BarTerminal {
  /** Display cells across. */
  readonly width: number;
  /** Whether it has block characters. */
  readonly blocks: boolean;
}

/** The columns of a result, and which of them a terminal may do without where there is little room. */
export interface ResultColumns {
  readonly columns: readonly string[];
  readonly spare: readonly string[];
}

const BAR = 'bar';
/** Display cells of a bar. A table cuts text that has too little room to eight, and a bar that is cut tells a lie. */
const BAR_LEAST = 8;
const BAR_MOST = 30;

/**
 * The rows of all currencies; on a terminal with a bar behind each, in scale with those of its currency, where there is
 * room for bars beside the rest.
 */
export function resultRows(
  currencies: readonly (readonly MeasuredRow[])[],
  { columns, spare }: ResultColumns,
  terminal?: BarTerminal,
): ResultRows {
  const plain = currencies.flatMap((rows) => rows.map(({ row }) => row));
  if (terminal === undefined) return { batch: batchOfRows(plain), columns };
  const fewer = columns.filter((column) => !spare.includes(column));
  const shown = tableWidth(plain, columns).whole + BAR_LEAST <= terminal.width ? columns : fewer;
  const { whole, least } = tableWidth(plain, shown);
  if (least + BAR_LEAST > terminal.width) return { batch: batchOfRows(plain), columns: shown };
  const width = Math.max(BAR_LEAST, Math.min(BAR_MOST, terminal.width - whole));
  const style = { width, blocks: terminal.blocks };
  return {
    batch: batchOfRows(currencies.flatMap((rows) => withBars(rows, style))),
    columns: [...shown, BAR],
  };
}

/** Rows of one currency. */
function withBars(rows: readonly MeasuredRow[], style: BarStyle): Row[] {
  const longest = longestOf(rows.flatMap(({ value }) => value ?? []));
  return rows.map(({ row, value }): Row => {
    const bar = value === undefined ? '' : barOf(value, longest, style);
    return [...row, [BAR, JSON.stringify(bar)]];
  });
}
