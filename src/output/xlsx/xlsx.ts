import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import { CellStyles, xmlAttribute, xmlText } from './cell.ts';
import { SheetColumns, Sheet, SHEET_LIMITS, type SheetLimits } from './sheet.ts';
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

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Where the sheet of this number, from 1, is in the workbook's archive. */
function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** A sheet as the workbook knows it. */
interface NamedSheet {
  readonly name: string;
  /** The cells of its filter, such as `$A$1:$C$9`, if it has one. */
  readonly range: string | undefined;
}

/** What each file of the archive is. */
function contentTypesXml(sheets: number): string {
  const parts = numbers(sheets).map((number) => override(sheetPath(number), 'worksheet'));
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${parts.join('')}</Types>`
  );
}

/** Which file of the archive is the workbook. */
function packageRelationsXml(): string {
  return relationsXml([['officeDocument', 'xl/workbook.xml']]);
}

/** The list of sheets. LibreOffice shows the buttons of a filter only if the filter is named here too. */
function workbookXml(sheets: readonly NamedSheet[]): string {
  const elements = sheets.map(
    ({ name }, index) =>
      `<sheet name="${xmlAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const filters = sheets.map(({ name, range }, index) => {
    if (range === undefined) return '';
    const cells = xmlText(`'${name.replaceAll("'", "''")}'!${range}`);
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${cells}</definedName>`;
  });
  const names = filters.join('');
  return (
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${elements.join('')}</sheets>${names && `<definedNames>${names}</definedNames>`}</workbook>`
  );
}

/** Where in the archive the workbook finds its sheets and styles. */
function workbookRelationsXml(sheets: number): string {
  const targets = numbers(sheets).map((number): [string, string] => [
    'worksheet',
    sheetPath(number).slice('xl/'.length),
  ]);
  return relationsXml([...targets, ['styles', 'styles.xml']]);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function relationsXml(targets: readonly (readonly [type: string, target: string])[]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}

function override(path: string, type: string): string {
  return `<Override PartName="/${path}" ContentType="${TYPE}.${type}+xml"/>`;
}
