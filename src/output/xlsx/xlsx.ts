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

interface HeldRow {
  readonly cells: readonly (Cell | undefined)[];
  /** The name of its sheet, as it was asked for. */
  readonly name: string;
}

/**
 * A workbook for Excel, LibreOffice and others. Its columns are those of the layout, or all that any record has. A full
 * sheet continues in a next one, and a column may decide the sheet of each record (`sheetFor`). Rows wait, deflated, in a
 * temporary file: memory does not grow with them.
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
  #held: HeldRow[] | undefined = [];
  readonly #names = new SheetNames();
  readonly #sheets: Sheet[] = [];
  /** The sheet that is not full, by the name that was asked for. */
  readonly #current = new Map<string, Sheet>();
  readonly #nameReader: CellReader | undefined;
  readonly #defaultName: string;
  readonly #wanted: () => readonly string[];
  #records = 0;

  constructor(sink: Sink, { columns, sheet, sheetFor, known, sources }: Layout, limits: SheetLimits) {
    this.#sink = sink;
    this.#limits = limits;
    this.#reader = new CellReader(columns);
    this.#columns = new SheetColumns(() => this.#reader.columns, { known, sources });
    this.#defaultName = sheet ?? DEFAULT_NAME;
    this.#wanted = sheetFor?.values ?? (() => []);
    this.#nameReader = sheetFor && new CellReader([sheetFor.column]);
  }

  async write(batch: RecordBatch): Promise<void> {
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      const row = { cells, name: this.#nameOf(batch, index) };
      if (this.#held === undefined) this.#addRow(row);
      else await this.#hold(row, this.#held);
      if (index % ROWS_BETWEEN_DRAINS > 0) continue;
      for (const sheet of this.#current.values()) await sheet.drain();
    }
  }

  async end(): Promise<void> {
    await this.#addHeld();
    for (const name of this.#wanted()) if (!this.#current.has(name)) this.#addSheet(name);
    if (this.#sheets.length === 0) this.#addSheet(this.#defaultName);
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

  async #hold(row: HeldRow, held: HeldRow[]): Promise<void> {
    held.push(row);
    const { length: rows } = held;
    if (rows >= SAMPLE.rows || rows * row.cells.length >= SAMPLE.cells) await this.#addHeld();
  }

  async #addHeld(): Promise<void> {
    const rows = this.#held ?? [];
    this.#held = undefined;
    this.#columns.learn(rows.map(({ cells }) => cells));
    for (const [index, row] of rows.entries()) {
      this.#addRow(row);
      if (index % ROWS_BETWEEN_DRAINS === 0) for (const sheet of this.#current.values()) await sheet.drain();
    }
  }

  #addRow({ cells, name }: HeldRow): void {
    const place = ++this.#records;
    this.#sheetOf(name).addRow(cells, { columns: this.#columns, styles: this.#styles, place });
  }

  #nameOf(batch: RecordBatch, index: number): string {
    return this.#nameReader?.read(batch, index)[0]?.text ?? this.#defaultName;
  }

  #sheetOf(name: string): Sheet {
    const sheet = this.#current.get(name);
    return sheet === undefined || sheet.isFull ? this.#addSheet(name) : sheet;
  }

  #addSheet(name: string): Sheet {
    const sheet = new Sheet(this.#names.claim(name), this.#limits);
    this.#sheets.push(sheet);
    this.#current.set(name, sheet);
    return sheet;
  }
}

/** Characters that spreadsheets refuse in the name of a sheet; a quote is refused at either end. */
const REFUSED = /[:\\/?*[\]\p{Cc}\p{Cs}]/gu;
const QUOTES_AROUND = /^[\s']+|[\s']+$/g;
const MAX_CHARACTERS = 31;
/** Spreadsheets keep this one for themselves. */
const RESERVED = 'history';

/** Names for the sheets of a workbook: allowed by spreadsheets, and no two the same. */
export class SheetNames {
  readonly #given = new Set([RESERVED]);

  /** The wanted name without what spreadsheets refuse, with a number if it is taken. */
  claim(wanted: string): string {
    const clean = wanted.normalize('NFC').replace(REFUSED, '_').replace(QUOTES_AROUND, '') || 'Sheet';
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`;
      const name = cut(clean, MAX_CHARACTERS - suffix.length) + suffix;
      if (this.#given.has(name.toLowerCase())) continue;
      this.#given.add(name.toLowerCase());
      return name;
    }
  }
}

/** The text cut to so many UTF-16 units, which are what spreadsheets count, without half a character at the end. */
function cut(text: string, units: number): string {
  return text
    .slice(0, units)
    .replace(/\p{Cs}$/u, '')
    .replace(QUOTES_AROUND, '');
}
