import { OutputError } from '../../errors.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import { isId, isIdentifier, knownOfRows, lookOf, screenOrder } from '../column-looks.ts';
import { Spool } from '../spool.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import {
  CellStyles,
  cellXml,
  HEADER_STYLE,
  inlineString,
  xmlAttribute,
  xmlText,
  type CellForm,
} from './cell.ts';
import { writeZip } from './zip.ts';

/** Rows, or cells, that decide the order of the columns; one that comes later is behind them. */
const SAMPLE = { rows: 500, cells: 250_000 };

/** Rows of a sheet, with the header. */
const MAX_ROWS = 1_048_576;
const MAX_CHARACTERS = 32_767;
const CURRENCY = /^[A-Z]{3}$/;

type SheetRow = readonly (Cell | undefined)[];

interface SheetColumn extends CellForm {
  readonly name: string;
  readonly isCurrency: boolean;
}

/**
 * A workbook. Its columns are those of the layout, or all that any record has. A full sheet continues in a next one. Rows wait in
 * a temporary file: memory does not grow with them.
 *
 * No library is used: those that stream take numbers as doubles, so that 10.50 becomes 10.5 and a 19-digit number another
 * one; and they wrote a third as many rows a second.
 */
export function openXlsx(sink: Sink, layout: Layout, maxRows = MAX_ROWS): Writer {
  const { known = [], isChosen, sheet: title = 'records' } = layout;
  const reader = new CellReader(layout.columns);
  const styles = new CellStyles();
  const sheets: Sheet[] = [];
  /** The columns so far, by their indexes, and these in the order of the sheet. */
  const columns: SheetColumn[] = [];
  let order: number[] = [];
  /** The first rows; undefined when they are written. */
  let held: SheetRow[] | undefined = [];
  let records = 0;

  /** Adds the columns that are new. */
  const addColumns = (): void => {
    for (let index = columns.length; index < reader.columns.length; index++) {
      const name = reader.columns[index]!;
      const look = lookOf(name, known);
      order.push(index);
      columns.push({
        name,
        isCurrency: look === 'currency',
        identifies: isId(name),
        grouped: look !== 'number' && look !== 'fiscalId' && !isIdentifier(name),
        isAmount: look === 'amount' || look === 'open',
      });
    }
  };
  const addSheet = (): Sheet => {
    const number = sheets.length + 1;
    const sheet = openSheet(number === 1 ? title : `${title} (${number})`, styles);
    sheets.push(sheet);
    return sheet;
  };
  const addRow = (cells: SheetRow): Promise<void> => {
    addColumns();
    const place = ++records;
    const long = cells.findIndex((cell) => cell !== undefined && cell.text.length > MAX_CHARACTERS);
    if (long >= 0) throw tooLong(columns[long]!.name, cells[long]!, place);
    const last = sheets.at(-1);
    const sheet = last === undefined || last.rows() === maxRows ? addSheet() : last;
    return sheet.add(cells, columns, order);
  };
  const addHeld = async (): Promise<void> => {
    const rows = held ?? [];
    held = undefined;
    addColumns();
    const ofScreen = knownOfRows(reader.columns, known, (index) => rows.map((row) => row[index]?.text));
    if (isChosen !== true) order = screenOrder(reader.columns, ofScreen);
    for (const row of rows) await addRow(row);
  };

  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        const row = reader.read(batch, index);
        if (held === undefined) await addRow(row);
        else if (held.push(row) >= SAMPLE.rows || held.length * row.length >= SAMPLE.cells) await addHeld();
      }
    },
    async end() {
      await addHeld();
      if (sheets.length === 0) addSheet();
      addColumns();
      const named = layout.headings?.(reader.columns) ?? reader.columns;
      const headings = order.map((index) => named[index]!);
      const parts = [...partsOf(sheets, headings.length), ['xl/styles.xml', styles.xml()] as const];
      await writeZip(sink, [
        ...parts.map(([name, text]) => [name, [Buffer.from(text)]] as const),
        ...sheets.map((sheet, index) => [`xl/${sheetPath(index)}`, sheet.xml(headings)] as const),
      ]);
    },
  };
}

function tooLong(name: string, { text }: Cell, place: number): OutputError {
  return new OutputError(
    `record ${place} has ${text.length.toLocaleString('en')} characters in ${name}; a cell of a spreadsheet holds 32,767`,
    { hint: 'Write csv or jsonl, or leave the column out: name the ones you want with --columns.' },
  );
}

const PIECE = 1 << 18;
const WIDTH = { least: 6, most: 60, beside: 2, filterButton: 2 };

type Sheet = ReturnType<typeof openSheet>;

/** One sheet, whose rows wait in a spool until all columns and their widths are known, which stand before them. */
function openSheet(name: string, styles: CellStyles) {
  const spool = new Spool();
  const letters: string[] = [];
  /** Characters of the widest cell of each column, in the order of the sheet. */
  const widths: number[] = [];
  let text = '';
  let rows = 1;
  const putAside = async (): Promise<void> => {
    await spool.append(Buffer.from(text));
    text = '';
  };
  return {
    name,
    /** How many there are, with the header. */
    rows: () => rows,
    /** Rejects with OutputError without room for temporary files. */
    async add(cells: SheetRow, columns: readonly SheetColumn[], order: readonly number[]): Promise<void> {
      const row = ++rows;
      const isCurrency = (cell: Cell | undefined, index: number): boolean =>
        columns[index]!.isCurrency && CURRENCY.test(cell?.text ?? '');
      const currency = cells.find(isCurrency)?.text;
      let xml = `<row r="${row}">`;
      for (let position = 0; position < order.length; position++) {
        const index = order[position]!;
        const cell = cells[index];
        if (cell === undefined || cell.text === '') continue;
        const at = (letters[position] ??= columnLetters(position)) + row;
        const written = cellXml(cell, { at, form: columns[index]!, styles, currency });
        if (written.width > (widths[position] ?? 0)) widths[position] = written.width;
        xml += written.xml;
      }
      text += `${xml}</row>`;
      if (text.length >= PIECE) await putAside();
    },
    /** The sheet's XML, when all rows are there. May be read once. */
    async *xml(headings: readonly string[]): AsyncGenerator<Buffer> {
      await putAside();
      yield Buffer.from(sheetHead(headings, widths));
      yield* spool.read();
      await spool.close();
      yield Buffer.from(sheetTail(headings.length, rows));
    },
  };
}

/** The XML of a sheet up to its second row. */
function sheetHead(headings: readonly string[], widths: readonly (number | undefined)[]): string {
  const columns = headings.map((name, index) => {
    const wanted = Math.max(name.length + WIDTH.filterButton, widths[index] ?? 0) + WIDTH.beside;
    const width = Math.min(WIDTH.most, Math.max(WIDTH.least, wanted));
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  const header = headings.map(
    (name, index) =>
      `<c r="${columnLetters(index)}1" s="${HEADER_STYLE}" t="inlineStr">${inlineString(name)}</c>`,
  );
  const isEmpty = headings.length === 0;
  return (
    `${DECLARATION}<worksheet xmlns="${MAIN}">` +
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    (isEmpty ? '' : `<cols>${columns.join('')}</cols>`) +
    `<sheetData>${isEmpty ? '' : `<row r="1">${header.join('')}</row>`}`
  );
}

/** The XML after the last row. Numbers stored as text are intended: no warning for them. */
function sheetTail(columns: number, rows: number): string {
  const range = `A1:${columnLetters(columns - 1)}${rows}`;
  const rest = `<autoFilter ref="${range}"/><ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${columns === 0 ? '' : rest}</worksheet>`;
}

/** The letters of a column of a sheet, from 0: A, B, …, Z, AA, AB, … */
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function sheetPath(index: number): string {
  return `worksheets/sheet${index + 1}.xml`;
}

/** The files of the archive beside styles and sheets. */
function partsOf(sheets: readonly Sheet[], columns: number): (readonly [name: string, text: string])[] {
  const override = (path: string, type: string): string =>
    `<Override PartName="/xl/${path}" ContentType="${TYPE}.${type}+xml"/>`;
  const types =
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    override('workbook.xml', 'sheet.main') +
    override('styles.xml', 'styles') +
    `${sheets.map((_, index) => override(sheetPath(index), 'worksheet')).join('')}</Types>`;
  const elements = sheets.map(
    ({ name }, index) =>
      `<sheet name="${xmlAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  // LibreOffice shows the buttons of a filter only if the filter is named here too.
  const filters = sheets.map(({ name, rows }, index) => {
    const range = `$A$1:$${columnLetters(columns - 1)}$${rows()}`;
    const cells = xmlText(`'${name.replaceAll("'", "''")}'!${range}`);
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${cells}</definedName>`;
  });
  const workbook =
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${elements.join('')}</sheets>` +
    `${columns === 0 ? '' : `<definedNames>${filters.join('')}</definedNames>`}</workbook>`;
  const sheetRelations = sheets.map((_, index) => ['worksheet', sheetPath(index)] as const);
  return [
    ['[Content_Types].xml', types],
    ['_rels/.rels', relationsXml([['officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook],
    ['xl/_rels/workbook.xml.rels', relationsXml([...sheetRelations, ['styles', 'styles.xml']])],
  ];
}

function relationsXml(targets: readonly (readonly [type: string, target: string])[]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}
