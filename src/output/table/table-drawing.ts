import CliTable from 'cli-table3';
import { paint, columnWidth, truncate, type Style } from '../terminal/terminal-text.ts';
import { headOf, type FittedTable } from './table-fit.ts';

interface DrawingOptions {
  readonly color: boolean;
  /** Whether a cell that is too long is cut; else it pushes the rest of its row to the right. */
  readonly cut: boolean;
}

/**
 * Draws rows in columns whose widths are known. cli-table3 lays out the head, the line below it and one row, of stand-ins as
 * wide as the columns; what stands between those is the same in every row, which then takes a thousandth of the time:
 * cli-table3 measures each cell several times, and by an older Unicode than the terminal's.
 */
export class TableDrawing {
  readonly #table: FittedTable;
  readonly #options: DrawingOptions;
  readonly #form: TableForm;

  constructor(table: FittedTable, options: DrawingOptions) {
    this.#table = table;
    this.#options = options;
    this.#form = layOut(table);
  }

  /** The names of the columns and the line below them. */
  head(): string {
    const names = this.#table.columns.map(headOf);
    const { color } = this.#options;
    return `${this.#line(names, () => (color ? 'bold' : undefined))}${this.#form.rule}\n`;
  }

  /** A row as a line. Blanks at its end are left out: they are a nuisance when a line is copied. */
  row(texts: readonly string[], styles: ReadonlyMap<number, Style> | undefined): string {
    const { columns } = this.#table;
    const { cut, color } = this.#options;
    return this.#line(
      columns.map(({ column: { index }, width }) =>
        cut ? truncate(texts[index] ?? '', width) : (texts[index] ?? ''),
      ),
      (place) => (color ? styles?.get(columns[place]!.column.index) : undefined),
    );
  }

  #line(texts: readonly string[], styleOf: (place: number) => Style | undefined): string {
    const { columns } = this.#table;
    let line = '';
    /** Blanks that are not written unless something comes after them. */
    let blanks = 0;
    for (const [place, text] of texts.entries()) {
      const { column, width } = columns[place]!;
      const gap = place === 0 ? '' : this.#form.gaps[place - 1]!;
      const pad = Math.max(0, width - columnWidth(text));
      blanks += gap.length + (column.numeric ? pad : 0);
      if (text !== '') {
        const style = styleOf(place);
        line += ' '.repeat(blanks) + (style === undefined ? text : paint(text, style));
        blanks = 0;
      }
      if (!column.numeric) blanks += pad;
    }
    return `${line}\n`;
  }
}

/** What cli-table3 puts around the cells of a row, and below the head. */
interface TableForm {
  readonly rule: string;
  /** What stands after each column but the last: blanks. */
  readonly gaps: readonly string[];
}

/** A character one cell wide that no shown text has: see `visible`. */
const STAND_IN = '\u2028';
const STAND_INS = /\u2028+/;

/** So many columns are laid out at a time: cli-table3's time grows with the square of the cells in one table. */
const BLOCK = 40;

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

function layOut({ columns, gap }: FittedTable): TableForm {
  const between = ' '.repeat(gap);
  const rules: string[] = [];
  const gaps: string[] = [];
  for (let from = 0; from < columns.length; from += BLOCK) {
    const block = columns.slice(from, from + BLOCK);
    const cells = block.map(({ width }) => STAND_IN.repeat(width));
    const table = new CliTable({
      head: cells,
      colWidths: block.map(({ width }) => width),
      chars: {
        ...Object.fromEntries(NONE.map((name) => [name, ''])),
        mid: '─',
        'mid-mid': between,
        middle: between,
      },
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(cells);
    const [, rule = '', row = ''] = table.toString().split('\n');
    rules.push(rule);
    gaps.push(...row.split(STAND_INS).slice(1, -1), between);
  }
  return { rule: rules.join(between), gaps };
}
