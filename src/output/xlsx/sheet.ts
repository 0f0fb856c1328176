import { OutputError } from '../../errors.ts';
import type { Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { isId, isIdentifier, knownOfRows, roleOf, screenOrder } from '../column-roles.ts';
import { Spool } from '../spool.ts';
import type { Layout } from '../writer.ts';
import { cellXml, HEADER_STYLE, inlineString, MAX_FRACTION, type CellForm, type CellStyles } from './cell.ts';

export type SheetRow = readonly (Cell | undefined)[];

export interface SheetLimits {
  /** Rows, with the header. */
  readonly rows: number;
  /** Bytes of XML. Below 4 GiB by more than a row and the header, so that the archive needs no zip64. */
  readonly bytes: number;
}

export const SHEET_LIMITS: SheetLimits = { rows: 1_048_576, bytes: 4_000_000_000 };
const MAX_CHARACTERS = 32_767;
/** Characters of XML that are put aside together. */
const PIECE = 1 << 18;

/** What the sheets of a workbook share. */
interface Workbook {
  readonly limits: SheetLimits;
  readonly columns: SheetColumns;
  readonly styles: CellStyles;
}

/** One sheet, whose rows wait in a spool until all columns and their widths are known, which stand before them. */
export class Sheet {
  readonly name: string;
  readonly #workbook: Workbook;
  readonly #spool = new Spool();
  readonly #letters: string[] = [];
  readonly #widths: number[] = [];
  /** Rows that are not in the spool yet. */
  #text = '';
  #bytes = 0;
  #count = 1;

  constructor(name: string, workbook: Workbook) {
    this.name = name;
    this.#workbook = workbook;
  }

  get isFull(): boolean {
    const { rows, bytes } = this.#workbook.limits;
    return this.#count === rows || this.#bytes > bytes;
  }

  /** The cells of the filter, as a formula names them. Undefined without columns. */
  range(columns: readonly string[]): string | undefined {
    return columns.length === 0 ? undefined : `$A$1:$${columnLetters(columns.length - 1)}$${this.#count}`;
  }

  /**
   * Adds a row, whose cells are aligned with the columns so far. Rejects with OutputError for text that no cell can hold, or without
   * room for temporary files.
   *
   * @param place the record's number in the listing, from 1
   */
  async addRow(cells: SheetRow, place: number): Promise<void> {
    const { columns, styles } = this.#workbook;
    const row = ++this.#count;
    const currency = columns.currencyOf(cells);
    let xml = `<row r="${row}">`;
    for (const [position, index] of columns.order(cells.length).entries()) {
      const cell = cells[index];
      if (cell === undefined || cell.text === '') continue;
      if (cell.text.length > MAX_CHARACTERS) refuseLong(cell, columns.name(index), place);
      const at = (this.#letters[position] ??= columnLetters(position)) + row;
      const { xml: text, width } = cellXml(cell, { at, form: columns.form(index), styles, currency });
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
    if (this.#text === '') return;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += bytes.length;
    await this.#spool.append(bytes);
  }
}

function refuseLong({ text }: Cell, column: string, place: number): never {
  throw new OutputError(
    `record ${place} has ${text.length.toLocaleString('en')} characters in ${column}; a cell of a spreadsheet holds 32,767`,
    { hint: 'Write csv or jsonl, or leave the column out: name the ones you want with --columns.' },
  );
}

const WIDTH = { least: 6, most: 60, beside: 2, filterButton: 2 };

/**
 * The XML of a sheet up to its second row: columns as wide as their cells, and the header, bold and always in sight.
 *
 * @param widths characters of the widest cell of each column, where there is one
 */
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

/** The XML after the last row. `range` is that of the filter. Numbers stored as text are intended: no warning for them. */
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

/** What the columns of a workbook hold, as their names, what is known of the listing, and the first rows tell. */
type SheetColumns = ReturnType<typeof sheetColumns>;

/** @param reader has the columns so far */
export function sheetColumns(
  reader: { readonly columns: readonly string[] },
  { known = [], asked }: Pick<Layout, 'known' | 'asked'>,
) {
  /** The places of the columns in the order of the sheet. */
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
    /** The places of the first `count` columns as the sheet has them: as a screen does; what comes later is last. */
    order(count: number): readonly number[] {
      while (order.length < count) order.push(order.length);
      return order;
    },
    form: (index: number): CellForm => (forms[index] ??= formOf(index)),
    currencyOf(cells: SheetRow): string | undefined {
      for (; seen < cells.length; seen++) if (roleOf(name(seen), known) === 'currency') currencies.push(seen);
      return currencies.map((at) => cells[at]?.text).find((text) => CURRENCY.test(text ?? ''));
    },
    /** Learns from the first rows in which order the columns come, and which columns hold nothing but dates, some of them with a time, in one zone. */
    learn(rows: readonly SheetRow[]): void {
      const looked = knownOfRows(reader.columns, known, (index) => rows.map((row) => row[index]?.text));
      if (asked !== true) order = screenOrder(reader.columns, looked);
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
