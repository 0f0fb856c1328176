import { OutputError } from '../../errors.ts';
import { isFilled, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { isId, isIdentifier, knownOfRows, roleOf, screenOrder } from '../column-roles.ts';
import { Spool } from '../spool.ts';
import type { Layout } from '../writer.ts';
import { cellXml, HEADER_STYLE, inlineString, MAX_FRACTION, type CellForm, type CellStyles } from './cell.ts';

export type SheetRow = readonly (Cell | undefined)[];

/** Rows of a sheet, with the header. */
export const MAX_ROWS = 1_048_576;
const MAX_CHARACTERS = 32_767;
const PIECE = 1 << 18;

/** One sheet, whose rows wait in a spool until all columns and their widths are known, which stand before them. */
export class Sheet {
  readonly name: string;
  readonly #columns: SheetColumns;
  readonly #styles: CellStyles;
  readonly #spool = new Spool();
  readonly #letters: string[] = [];
  readonly #widths: number[] = [];
  #text = '';
  rows = 1;

  constructor(name: string, columns: SheetColumns, styles: CellStyles) {
    this.name = name;
    this.#columns = columns;
    this.#styles = styles;
  }

  /** The cells of the filter, as a formula names them. Undefined without columns. */
  range(columns: readonly string[]): string | undefined {
    return columns.length === 0 ? undefined : `$A$1:$${columnLetters(columns.length - 1)}$${this.rows}`;
  }

  /**
   * Adds a row, whose cells are aligned with the columns so far. Rejects with OutputError for text that no cell can hold, or without
   * room for temporary files.
   *
   * @param place the record's number, from 1
   */
  async addRow(cells: SheetRow, place: number): Promise<void> {
    const columns = this.#columns;
    const row = ++this.rows;
    const currency = columns.currencyOf(cells);
    let xml = `<row r="${row}">`;
    for (const [position, index] of columns.order(cells.length).entries()) {
      const cell = cells[index];
      if (!isFilled(cell)) continue;
      if (cell.text.length > MAX_CHARACTERS) {
        throw new OutputError(
          `record ${place} has ${cell.text.length.toLocaleString('en')} characters in ${columns.name(index)}; a cell of a spreadsheet holds 32,767`,
          { hint: 'Write csv or jsonl, or leave the column out: name the ones you want with --columns.' },
        );
      }
      const at = (this.#letters[position] ??= columnLetters(position)) + row;
      const styled = { at, form: columns.form(index), styles: this.#styles, currency };
      const { xml: text, width } = cellXml(cell, styled);
      if (width > (this.#widths[position] ?? 0)) this.#widths[position] = width;
      xml += text;
    }
    this.#text += `${xml}</row>`;
    if (this.#text.length >= PIECE) await this.#putAside();
  }

  /** The sheet's XML, when all rows are there. May be read once. */
  async *xml(columns: readonly string[]): AsyncGenerator<Buffer> {
    await this.#putAside();
    yield Buffer.from(sheetHead(columns, this.#widths));
    yield* this.#spool.read();
    await this.#spool.close();
    yield Buffer.from(sheetTail(this.range(columns)?.replaceAll('$', '')));
  }

  async #putAside(): Promise<void> {
    await this.#spool.append(Buffer.from(this.#text));
    this.#text = '';
  }
}

const WIDTH = { least: 6, most: 60, beside: 2, filterButton: 2 };

/** The XML of a sheet up to its second row. `widths` are characters of the widest cell of each column, where there is one. */
function sheetHead(columns: readonly string[], widths: readonly (number | undefined)[]): string {
  const columnWidths = columns.map((name, index) => {
    const wanted = Math.max(name.length + WIDTH.filterButton, widths[index] ?? 0) + WIDTH.beside;
    const width = Math.min(WIDTH.most, Math.max(WIDTH.least, wanted));
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  const header = columns.map(
    (name, index) =>
      `<c r="${columnLetters(index)}1" s="${HEADER_STYLE}" t="inlineStr">${inlineString(name)}</c>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    (columns.length === 0 ? '' : `<cols>${columnWidths.join('')}</cols>`) +
    `<sheetData>${columns.length === 0 ? '' : `<row r="1">${header.join('')}</row>`}`
  );
}

/** The XML after the last row. Numbers stored as text are intended: no warning for them. */
function sheetTail(range: string | undefined): string {
  const rest =
    range === undefined
      ? ''
      : `<autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${rest}</worksheet>`;
}

/** The letters of a column of a sheet, from 0: A, B, …, Z, AA, AB, … */
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

const CURRENCY = /^[A-Z]{3}$/;

type SheetColumns = ReturnType<typeof sheetColumns>;

/**
 * What the columns of a workbook hold, by their names, the known columns, and the first rows. Columns are named by their indexes.
 *
 * @param reader has the columns so far
 */
export function sheetColumns(
  reader: { readonly columns: readonly string[] },
  { known = [], isChosen }: Pick<Layout, 'known' | 'isChosen'>,
) {
  let order: number[] = [];
  const forms: CellForm[] = [];
  const zones = new Map<number, string>();
  const currencies: number[] = [];
  let seen = 0;
  const name = (index: number): string => reader.columns[index]!;
  const formOf = (index: number): CellForm => {
    const role = roleOf(name(index), known);
    return {
      identifies: isId(name(index)),
      grouped: role !== 'number' && role !== 'fiscalId' && !isIdentifier(name(index)),
      isAmount: role === 'amount' || role === 'open',
      zone: zones.get(index),
    };
  };
  return {
    name,
    /** The first `count` columns in the order of the sheet: that of a screen, and behind them those that came later. */
    order(count: number): readonly number[] {
      while (order.length < count) order.push(order.length);
      return order;
    },
    form: (index: number): CellForm => (forms[index] ??= formOf(index)),
    currencyOf(cells: SheetRow): string | undefined {
      for (; seen < cells.length; seen++) if (roleOf(name(seen), known) === 'currency') currencies.push(seen);
      return currencies.map((at) => cells[at]?.text).find((text) => CURRENCY.test(text ?? ''));
    },
    /** Learns from the first rows the order of the columns, and which hold dates alone, some of them with a time, in one zone. */
    learn(rows: readonly SheetRow[]): void {
      const ofScreen = knownOfRows(reader.columns, known, (index) => rows.map((row) => row[index]?.text));
      if (isChosen !== true) order = screenOrder(reader.columns, ofScreen);
      for (const index of reader.columns.keys()) {
        const facts = new ColumnFacts();
        for (const row of rows) if (row[index] !== undefined) facts.add(row[index]);
        const { times, days, fraction } = facts;
        const areDates = times + days === facts.cells - facts.empty && fraction <= MAX_FRACTION;
        const areDays = times === facts.midnights;
        if (areDates && !areDays && facts.zones.size === 1) zones.set(index, [...facts.zones][0]!);
      }
    },
  };
}
