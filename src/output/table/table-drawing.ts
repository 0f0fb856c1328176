import CliTable from 'cli-table3';
import { fits, paint, truncate, type Style } from '../terminal/terminal-text.ts';
import { headOf, type FittedTable } from './table-fit.ts';

/** The texts of a row by the index of their column, and the styles of some of them. */
export interface DrawnRow {
  readonly texts: readonly string[];
  readonly styles: ReadonlyMap<number | undefined, Style>;
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
 * cli-table3 gets every cell cut already, and yet cuts a copy of each to ten cells, for its own notes: a mark of ten leaves nothing to
 * cut.
 */
const CUT_BEFORE = '.'.repeat(10);

/**
 * Stands for a text that is wider than its column until the rest is drawn: cli-table3 takes seconds to measure 300,000 emoji. It takes
 * a cell, and no shown text has it (`visible`).
 */
const STAND_IN = '\u00ad';
const STAND_INS = /\u00ad+/g;

/**
 * Draws rows with cli-table3, a few at a time as one row of cells of so many lines: it takes as long for ten cells as for a hundred
 * lines of them.
 *
 * @param cut whether a cell that is too long is cut; else it pushes the rest of its row to the right
 */
export function tableDrawing(
  { columns, gap }: FittedTable,
  { color, cut }: { readonly color: boolean; readonly cut: boolean },
) {
  const between = ' '.repeat(gap);

  /** The lines of a row of cells, and of a head above it with the line that parts them. */
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

  const drawRows = (rows: readonly DrawnRow[]): string[] => {
    const wide: string[][] = rows.map(() => []);
    const cells = columns.map(({ column: { index, cells: widest, short }, width }) => {
      const shown = rows.map(({ texts, styles }, nth) => {
        const sent = texts[index] ?? '';
        const whole = width < widest ? (short?.get(sent) ?? sent) : sent;
        const text = cut ? truncate(whole, width) : whole;
        const style = color && text !== '' ? styles.get(index) : undefined;
        const painted = style === undefined ? text : paint(text, style);
        if (fits(text, width)) return painted;
        wide[nth]!.push(painted);
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
    rows(rows: readonly DrawnRow[]): string {
      const lines: string[] = [];
      for (let from = 0; from < rows.length; from += BLOCK.rows)
        lines.push(...drawRows(rows.slice(from, from + BLOCK.rows)));
      return textOf(lines);
    },
  };
}

/** Without the blanks at the end of a line, a nuisance when it is copied. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
