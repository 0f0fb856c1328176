import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import { CellStyles } from './cell-styles.ts';
import { SheetColumns, Sheet, SHEET_LIMITS, type SheetLimits } from './sheet.ts';
import {
  contentTypesXml,
  packageRelationsXml,
  sheetPath,
  workbookRelationsXml,
  workbookXml,
} from './workbook-xml.ts';
import { ZipArchive } from './zip.ts';

const DEFAULT_NAME = 'records';
const ROWS_BETWEEN_DRAINS = 64;

/** The most rows, and the most cells, that decide which columns hold dates only. Later cells that do not fit become text. */
const SAMPLE = { rows: 500, cells: 250_000 };

type Row = readonly (Cell | undefined)[];

/**
 * A workbook for Excel, LibreOffice and others. Its columns are those of the layout, or all that any record has. A full
 * sheet continues in a next one. Rows wait, deflated, in a temporary file: memory does not grow with them.
 *
 * No library is used: those that stream take numbers as doubles, so that 10.50 becomes 10.5 and a 19-digit number another
 * one; and they wrote a third as many rows a second.
 */
export function openXlsx(sink: Sink, layout: Layout, limits = SHEET_LIMITS): Writer {
  return new XlsxWriter(sink, layout, limits);
}

class XlsxWriter implements Writer {
  readonly #sink: Sink;
  readonly #limits: SheetLimits;
  readonly #reader: CellReader;
  readonly #columns: SheetColumns;
  readonly #styles = new CellStyles();
  /** The first rows; undefined when they are written. */
  #held: Row[] | undefined = [];
  readonly #sheets: Sheet[] = [];
  readonly #name: string;
  #records = 0;

  constructor(sink: Sink, { columns, sheet, known, sources }: Layout, limits: SheetLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#reader = new CellReader(columns);
    this.#columns = new SheetColumns(() => this.#reader.columns, { known, sources });
    this.#name = sheet ?? DEFAULT_NAME;
  }

  async write(batch: RecordBatch): Promise<void> {
    for (let index = 0; index < batch.count; index++) {
      const row = this.#reader.read(batch, index);
      if (this.#held === undefined) this.#addRow(row);
      else await this.#hold(row, this.#held);
      if (index % ROWS_BETWEEN_DRAINS === 0) await this.#sheets.at(-1)?.drain();
    }
  }

  async end(): Promise<void> {
    await this.#addHeld();
    if (this.#sheets.length === 0) this.#addSheet();
    const { columns } = this.#reader;
    const named = this.#sheets.map((sheet) => ({ name: sheet.name, range: sheet.range(columns) }));
    const archive = new ZipArchive(this.#sink);
    await archive.addText('[Content_Types].xml', contentTypesXml(named.length));
    await archive.addText('_rels/.rels', packageRelationsXml());
    await archive.addText('xl/workbook.xml', workbookXml(named));
    await archive.addText('xl/_rels/workbook.xml.rels', workbookRelationsXml(named.length));
    await archive.addText('xl/styles.xml', this.#styles.xml());
    for (const [index, sheet] of this.#sheets.entries()) {
      await archive.add(await sheet.finish(sheetPath(index + 1), columns));
    }
    await archive.end();
  }

  async #hold(row: Row, held: Row[]): Promise<void> {
    held.push(row);
    const { length: rows } = held;
    if (rows >= SAMPLE.rows || rows * row.length >= SAMPLE.cells) await this.#addHeld();
  }

  async #addHeld(): Promise<void> {
    const rows = this.#held ?? [];
    this.#held = undefined;
    this.#columns.learn(rows);
    for (const [index, row] of rows.entries()) {
      this.#addRow(row);
      if (index % ROWS_BETWEEN_DRAINS === 0) await this.#sheets.at(-1)?.drain();
    }
  }

  #addRow(cells: Row): void {
    const place = ++this.#records;
    const last = this.#sheets.at(-1);
    const sheet = last === undefined || last.isFull ? this.#addSheet() : last;
    sheet.addRow(cells, { columns: this.#columns, styles: this.#styles, place });
  }

  #addSheet(): Sheet {
    const number = this.#sheets.length + 1;
    const sheet = new Sheet(number === 1 ? this.#name : `${this.#name} (${number})`, this.#limits);
    this.#sheets.push(sheet);
    return sheet;
  }
}
