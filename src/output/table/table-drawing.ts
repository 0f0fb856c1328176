import CliTable from 'cli-table3';
import { paint, displayWidth, truncate, type Style } from '../terminal/terminal-text.ts';
import { headOf, type FittedTable } from './table-fit.ts';

interface DrawingOptions {
  readonly color: boolean;
  /** Whether a cell that is too long is cut; else it pushes the rest of its row to the right. */
  readonly cut: boolean;
}

/** A row that is to be drawn: its texts by the place of their column, and the styles of some of them. */
interface DrawnRow {
  readonly texts: readonly string[];
  readonly styles: ReadonlyMap<number, Style> | undefined;
}

interface DrawnCell {
  readonly text: string;
  readonly width: number;
  readonly style: Style | undefined;
}

/** Rows and columns that cli-table3 draws in one table: its time grows with the square of either. */
const BLOCK = { rows: 25, columns: 40 };

/**
 * Draws rows in columns whose widths are known, with cli-table3: a table for each few rows, of which only the first has a head. The
 * tables have no lines but the one below the head, and so they make one.
 */
export class TableDrawing {
  readonly #table: FittedTable;
  readonly #options: DrawingOptions;

  constructor(table: FittedTable, options: DrawingOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** The names of the columns and the line below them. */
  head(): string {
    const { columns } = this.#table;
    const style = this.#options.color ? 'bold' : undefined;
    const names = columns.map((column): DrawnCell => cellOf(headOf(column), style));
    const blank = columns.map((): DrawnCell => cellOf('', undefined));
    return textOf(this.#draw([names, blank], true).slice(0, 2));
  }

  /** The rows, a line each. */
  rows(rows: Iterable<DrawnRow>): string {
    const lines: string[] = [];
    let block: DrawnCell[][] = [];
    const flush = (): void => {
      if (block.length > 0) lines.push(...this.#draw(block));
      block = [];
    };
    for (const row of rows) {
      const cells = this.#cellsOf(row);
      const isWide = cells.some(({ width }, at) => width > this.#table.columns[at]!.width);
      // A row with a cell that is wider than its column has widths of its own.
      if (isWide || block.length === BLOCK.rows) flush();
      block.push(cells);
      if (isWide) flush();
    }
    flush();
    return textOf(lines);
  }

  #cellsOf({ texts, styles }: DrawnRow): DrawnCell[] {
    const { cut, color } = this.#options;
    return this.#table.columns.map(({ column: { index }, width }) => {
      const text = texts[index] ?? '';
      return cellOf(cut ? truncate(text, width) : text, color ? styles?.get(index) : undefined);
    });
  }

  /** The lines of the rows; of the first, as the head, with the line below it. */
  #draw(rows: readonly DrawnCell[][], hasHead = false): string[] {
    const { columns, gap } = this.#table;
    const between = ' '.repeat(gap);
    let lines: string[] = [];
    for (let from = 0; from < columns.length; from += BLOCK.columns) {
      const some = columns.slice(from, from + BLOCK.columns);
      const cells = rows.map((row) => row.slice(from, from + BLOCK.columns));
      const widths = some.map(({ width }, at) => Math.max(width, ...cells.map((row) => row[at]!.width)));
      const [head, ...body] = cells.map((row) => row.map(contentOf));
      const table = new CliTable({
        head: hasHead ? head! : [],
        colWidths: widths,
        colAligns: some.map(({ column }) => (column.numeric ? 'right' : 'left')),
        chars: { ...NO_LINES, mid: '─', 'mid-mid': between, middle: between },
        style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
      });
      table.push(...(hasHead ? body : [head!, ...body]));
      const drawn = withLongTexts(table.toString(), cells).split('\n');
      lines = from === 0 ? drawn : lines.map((line, at) => line + between + drawn[at]!);
    }
    return lines;
  }
}

const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);

/** Blanks at the end of a line are left out: they are a nuisance when it is copied. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${withoutBlanks(line)}\n`).join('');
}

function withoutBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  return line.slice(0, end);
}

function cellOf(text: string, style: Style | undefined): DrawnCell {
  return { text, width: displayWidth(text), style };
}

/** A character one cell wide that no shown text has: see `visible`. */
const STAND_IN = '\u00ad';
const STAND_INS = /\u00ad+/g;
/** Characters of a text that stands for itself. */
const SHORT = 100;

/** cli-table3 takes time with the square of a text some of whose characters are not one cell wide: a long one is put in afterwards. */
function isLong({ text, width }: DrawnCell): boolean {
  return text.length > SHORT && text.length !== width;
}

function contentOf(cell: DrawnCell): string {
  const { text, style } = cell;
  const shown = isLong(cell) ? STAND_IN.repeat(cell.width) : text;
  return style === undefined || text === '' ? shown : paint(shown, style);
}

function withLongTexts(drawn: string, rows: readonly (readonly DrawnCell[])[]): string {
  const long = rows.flat().filter(isLong);
  return long.length === 0 ? drawn : drawn.replace(STAND_INS, () => long.shift()!.text);
}
