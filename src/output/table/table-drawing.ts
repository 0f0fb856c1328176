import CliTable from 'cli-table3';
import { fits, paint, truncate, type Style } from '../terminal/terminal-text.ts';
import { headOf, type FittedTable } from './table-fit.ts';

/** A row that is to be drawn: its texts by the place of their column, and the styles of some of them. */
interface DrawnRow {
  readonly texts: readonly string[];
  readonly styles: ReadonlyMap<number, Style> | undefined;
}

/** Rows and columns that cli-table3 draws at once: its time grows with the square of either. */
const BLOCK = { rows: 10, columns: 40 };

/** All that cli-table3 writes beside the cells is the line below the head, and blanks. */
const NO_LINES = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid right right-mid'
    .split(' ')
    .map((name) => [name, '']),
);

/**
 * What cli-table3 would put at the end of a cell that it cuts. It gets every cell cut already, and yet cuts each to ten cells, for
 * notes of its own that nobody asks for: a mark of ten leaves nothing to cut.
 */
const CUT_BEFORE = '.'.repeat(10);

/**
 * Stands for a text that is wider than its column, which is put in when the rest is drawn: cli-table3 takes seconds to learn how wide
 * 300,000 emoji are. It takes a cell, and no text that is shown has it (`visible`).
 */
const STAND_IN = '\u00ad';
const STAND_INS = /\u00ad+/g;

export type TableDrawing = ReturnType<typeof tableDrawing>;

/**
 * Draws rows in columns whose widths are known, with cli-table3: a few rows at a time, as one row of cells of so many lines, since it
 * takes as long for ten cells as for a hundred lines of them. Only the head has a line below it.
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
        const style = color && text !== '' ? styles?.get(index) : undefined;
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
    /** The names of the columns and the line below them. */
    head(): string {
      const head = columns.map((column) => (color ? paint(headOf(column), 'bold') : headOf(column)));
      // There is no line below a head without rows.
      return textOf(
        draw(
          columns.map(() => ''),
          head,
        ).slice(0, 2),
      );
    },
    /** The rows, a line each. */
    rows(rows: readonly DrawnRow[]): string {
      const lines: string[] = [];
      for (let from = 0; from < rows.length; from += BLOCK.rows)
        lines.push(...drawRows(rows.slice(from, from + BLOCK.rows)));
      return textOf(lines);
    },
  };
}

/** Blanks at the end of a line are left out: they are a nuisance when it is copied. */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
