import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import { stylesXml } from './cell-styles.ts';
import { SheetNames } from './sheet-names.ts';
import { Sheet, SHEET_LIMITS, type SheetLimits } from './sheet.ts';
import {
  contentTypesXml,
  packageRelationsXml,
  sheetPath,
  workbookRelationsXml,
  workbookXml,
} from './workbook-parts.ts';
import { ZipArchive } from './zip-archive.ts';

/** A writer whose records may go to several sheets. */
export interface SheetWriter extends Writer {
  /** What is written from now on goes to a sheet of its own, of this name as far as spreadsheets allow it. */
  startSheet(name: string): void;
}

const DEFAULT_NAME = 'records';
const ROWS_BETWEEN_DRAINS = 64;

/**
 * A workbook for Excel, LibreOffice and others. Columns are those of the layout, or all that any record has; a sheet
 * that is full goes on in a next one. Rows wait, deflated, in a temporary file: memory does not grow with them.
 *
 * Our own, though there are libraries: those that stream take numbers as doubles, so that 10.50 arrives as 10.5 and a
 * 19-digit number as another one, and wrote a third as many rows a second.
 */
export function openXlsx(sink: Sink, layout: Layout, limits = SHEET_LIMITS): SheetWriter {
  return new XlsxWriter(sink, layout, limits);
}

class XlsxWriter implements SheetWriter {
  readonly #sink: Sink;
  readonly #limits: SheetLimits;
  readonly #reader: CellReader;
  readonly #names = new SheetNames();
  readonly #sheets: Sheet[] = [];
  #wish: string;
  #records = 0;

  constructor(sink: Sink, layout: Layout, limits: SheetLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#wish = layout.sheet ?? DEFAULT_NAME;
    this.#reader = new CellReader(layout.columns);
  }

  startSheet(name: string): void {
    this.#wish = name;
    this.#addSheet();
  }

  async write(batch: RecordBatch): Promise<void> {
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      let sheet = this.#sheets.at(-1);
      if (sheet === undefined || sheet.isFull) sheet = this.#addSheet();
      sheet.addRow(cells, this.#reader.columns, ++this.#records);
      if (index % ROWS_BETWEEN_DRAINS === 0) await sheet.drain();
    }
  }

  async end(): Promise<void> {
    if (this.#sheets.length === 0) this.#addSheet();
    const { columns } = this.#reader;
    const named = this.#sheets.map((sheet) => ({ name: sheet.name, range: sheet.range(columns) }));
    const archive = new ZipArchive(this.#sink);
    await archive.addText('[Content_Types].xml', contentTypesXml(named.length));
    await archive.addText('_rels/.rels', packageRelationsXml());
    await archive.addText('xl/workbook.xml', workbookXml(named));
    await archive.addText('xl/_rels/workbook.xml.rels', workbookRelationsXml(named.length));
    await archive.addText('xl/styles.xml', stylesXml());
    for (const [index, sheet] of this.#sheets.entries()) {
      await archive.add(await sheet.finish(sheetPath(index + 1), columns));
    }
    await archive.end();
  }

  #addSheet(): Sheet {
    const sheet = new Sheet(this.#names.claim(this.#wish), this.#limits);
    this.#sheets.push(sheet);
    return sheet;
  }
}
