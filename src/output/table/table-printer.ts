import { isDueDate } from './column-role.ts';
import { paint, type Style } from '../colors.ts';
import { displayWidth, truncate } from './display-width.ts';
import { statusStyle } from './status-style.ts';
import type { Fitted } from './table-fit.ts';
import { drawFrame, type Frame } from './table-frame.ts';

export interface PrintOptions {
  readonly color: boolean;
  /** Whether a cell that is too long is cut; else it pushes the rest of its row to the right. */
  readonly cut: boolean;
}

/** Prints rows into columns whose widths are settled. */
export class TablePrinter {
  readonly #columns: readonly Fitted[];
  readonly #options: PrintOptions;
  readonly #frame: Frame;
  readonly #status: number | undefined;

  /** @param status the place in the rows of the column that says whether one is overdue, also when it is not shown */
  constructor(columns: readonly Fitted[], status: number | undefined, options: PrintOptions) {
    this.#columns = columns;
    this.#options = options;
    this.#frame = drawFrame(columns.map(({ width }) => width));
    this.#status = status;
  }

  /** The names of the columns and the line below them. */
  head(): string {
    const names = this.#columns.map((fitted) => this.#cell(fitted, fitted.column.name, 'bold'));
    return `${this.#line(names)}${this.#frame.rule}\n`;
  }

  /** One row as a line. */
  row(texts: readonly string[]): string {
    const style = this.#status === undefined ? undefined : statusStyle(texts[this.#status] ?? '');
    return this.#line(
      this.#columns.map((fitted) => {
        const { index, role, name } = fitted.column;
        const shown = role === 'status' || (style === 'alarm' && isDueDate(name)) ? style : undefined;
        return this.#cell(fitted, texts[index] ?? '', shown);
      }),
    );
  }

  /** Without blanks at the end, which are only in the way of who copies the line. */
  #line(cells: readonly string[]): string {
    const { joints } = this.#frame;
    const line = cells.map((cell, index) => joints[index]! + cell).join('') + joints.at(-1)!;
    return `${line.replace(/ +$/, '')}\n`;
  }

  #cell({ column, width }: Fitted, text: string, style: Style | undefined): string {
    const fitting = this.#options.cut ? truncate(text, width) : text;
    const blanks = ' '.repeat(Math.max(0, width - displayWidth(fitting)));
    const painted =
      this.#options.color && style !== undefined && fitting !== '' ? paint(fitting, style) : fitting;
    return column.numeric ? blanks + painted : painted + blanks;
  }
}
