import CliTable, { type HorizontalAlignment } from 'cli-table3';
import { paint, type Style } from '../terminal/colors.ts';
import { displayWidth, isNarrow, truncate } from '../terminal/display-width.ts';
import { isDueDate } from './table-columns.ts';
import { GAP, type FittedColumn } from './table-fit.ts';

interface DrawingOptions {
  readonly color: boolean;
  /** Whether a cell that is too long is cut; else it pushes the rest of its row to the right. */
  readonly cut: boolean;
}

/** The most that cli-table3 draws at a time: its time grows with the square of the cells in one table. */
const BLOCK = { columns: 40, rows: 25 };

/** Draws rows with cli-table3, in columns whose widths are known. */
export class TableDrawing {
  readonly #columns: readonly FittedColumn[];
  readonly #options: DrawingOptions;
  readonly #status: number | undefined;

  /** @param status the index of the column that says whether a row is overdue, even if it is not shown */
  constructor(columns: readonly FittedColumn[], status: number | undefined, options: DrawingOptions) {
    this.#columns = columns;
    this.#options = options;
    this.#status = status;
  }

  /** The names of the columns and the line below them. */
  head(): string {
    const block = new Block();
    const names = this.#columns.map((fitted) => this.#cell(block, fitted, fitted.column.name, 'bold'));
    // A table without rows has no line below its head.
    const nothing = this.#columns.map(() => '');
    const lines = sideBySide(this.#columns, (columns, from) =>
      draw(columns, [nothing.slice(0, columns.length)], names.slice(from, from + columns.length)).slice(0, 2),
    );
    return block.textOf(lines);
  }

  /** The rows as lines, a block at a time. */
  *rows(rows: readonly (readonly string[])[]): Generator<string> {
    for (let from = 0; from < rows.length; from += BLOCK.rows) {
      const block = new Block();
      const cells = rows.slice(from, from + BLOCK.rows).map((texts) => this.#row(block, texts));
      yield block.textOf(
        sideBySide(this.#columns, (columns, at) =>
          draw(
            columns,
            cells.map((row) => row.slice(at, at + columns.length)),
          ),
        ),
      );
    }
  }

  #row(block: Block, texts: readonly string[]): string[] {
    const style = this.#status === undefined ? undefined : statusStyle(texts[this.#status] ?? '');
    return this.#columns.map((fitted) => {
      const { index, role, name } = fitted.column;
      const shown = role === 'status' || (style === 'alarm' && isDueDate(name)) ? style : undefined;
      return this.#cell(block, fitted, texts[index] ?? '', shown);
    });
  }

  /** What cli-table3 gets for a cell. */
  #cell(block: Block, { width }: FittedColumn, text: string, style: Style | undefined): string {
    const fitting = this.#options.cut ? truncate(text, width) : text;
    if (fitting === '') return '';
    const isPainted = this.#options.color && style !== undefined;
    if (!isPainted && fitting.length <= width && isNarrow(fitting)) return fitting;
    const cells = Math.min(width, Math.max(1, displayWidth(fitting)));
    return block.hold(isPainted ? paint(fitting, style) : fitting, cells);
  }
}

/** A character one cell wide that no shown text has: see `visible`. */
const STAND_IN = '\u2028';

/**
 * cli-table3 measures by an older Unicode, so cells of many languages would not line up, and it cuts text that is too long.
 * So it draws stand-ins of the right width for all but plain text, and the texts take their place afterwards.
 */
class Block {
  readonly #held: string[] = [];

  hold(text: string, width: number): string {
    this.#held.push(text);
    return STAND_IN.repeat(width);
  }

  /** The lines with the held texts. Blanks at the end of a line are removed: they are a nuisance when a line is copied. */
  textOf(lines: readonly string[]): string {
    let next = 0;
    return lines.map((line) => `${trimEnd(line.replace(/\u2028+/g, () => this.#held[next++]!))}\n`).join('');
  }
}

function trimEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  return line.slice(0, end);
}

/** Lines of many columns, drawn some columns at a time. */
function sideBySide(
  columns: readonly FittedColumn[],
  drawn: (columns: readonly FittedColumn[], from: number) => string[],
): string[] {
  let lines: string[] | undefined;
  for (let from = 0; from < columns.length; from += BLOCK.columns) {
    const more = drawn(columns.slice(from, from + BLOCK.columns), from);
    lines = lines?.map((line, index) => line + gap + more[index]!) ?? more;
  }
  return lines ?? [];
}

const NONE = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'right',
  'right-mid',
] as const;

const gap = ' '.repeat(GAP);
const chars = {
  ...Object.fromEntries(NONE.map((name) => [name, ''])),
  mid: '─',
  'mid-mid': gap,
  middle: gap,
};

function draw(columns: readonly FittedColumn[], rows: readonly string[][], head: string[] = []): string[] {
  const table = new CliTable({
    head,
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ column }): HorizontalAlignment => (column.numeric ? 'right' : 'left')),
    chars,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows);
  return table.toString().split('\n');
}

/** The known states of invoices. Any other state is shown without colour. */
const STYLES = new Map<string, Style>(
  Object.entries({
    PAID: 'green',
    MANUALLY_MARKED_AS_PAID: 'green',
    PENDING: 'yellow',
    PARTIALLY_PAID: 'yellow',
    OVERDUE: 'alarm',
    NULLIFIED: 'dim',
  } as const),
);

/** The style of a status, in any case; undefined for an unknown one. */
export function statusStyle(status: string): Style | undefined {
  return STYLES.get(status.toUpperCase());
}
