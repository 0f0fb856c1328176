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
 * A workbook of one sheet. Its columns are those of the layout, or all that any record has. Rows wait in a temporary file until
 * all columns and their widths are known, which stand before them: memory does not grow with them. Throws OutputError for records
 * that no sheet can hold.
 *
 * No library is used: those that stream take numbers as doubles, so that 10.50 becomes 10.5 and a 19-digit number another
 * one; and they wrote a third as many rows a second.
 */
export function openXlsx(sink: Sink, layout: Layout, maxRows = MAX_ROWS): Writer {
  const { known = [], isChosen, sheet = 'records' } = layout;
  const reader = new CellReader(layout.columns);
  const styles = new CellStyles();
  const spool = new Spool({ path: sink.spare });
  /** The columns so far, and their indexes in the order of the sheet. */
  const columns: SheetColumn[] = [];
  let order: number[] = [];
  /** Of each column in that order: its letters, and the characters of its widest cell. */
  const letters: string[] = [];
  const widths: number[] = [];
  /** The first rows; undefined when they are written. */
  let held: SheetRow[] | undefined = [];
  /** How many rows there are, with the header, and the XML of the last ones. */
  let rows = 1;
  let text = '';

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
  const putAside = async (): Promise<void> => {
    await spool.append(Buffer.from(text));
    text = '';
  };
  const addRow = async (cells: SheetRow): Promise<void> => {
    addColumns();
    if (rows === maxRows) throw tooMany(maxRows - 1);
    const long = cells.findIndex((cell) => cell !== undefined && cell.text.length > MAX_CHARACTERS);
    if (long >= 0) throw tooLong(columns[long]!.name, cells[long]!, rows);
    const isCurrency = (cell: Cell | undefined, index: number): boolean =>
      columns[index]!.isCurrency && CURRENCY.test(cell?.text ?? '');
    const currency = cells.find(isCurrency)?.text;
    text += `<row r="${++rows}">`;
    for (let position = 0; position < order.length; position++) {
      const index = order[position]!;
      const cell = cells[index];
      if (cell === undefined || cell.text === '') continue;
      const at = (letters[position] ??= columnLetters(position)) + rows;
      const { xml, width } = cellXml(cell, { at, form: columns[index]!, styles, currency });
      if (width > (widths[position] ?? 0)) widths[position] = width;
      text += xml;
    }
    text += '</row>';
    if (text.length >= PIECE) await putAside();
  };
  const addHeld = async (): Promise<void> => {
    const first = held ?? [];
    held = undefined;
    addColumns();
    const ofScreen = knownOfRows(reader.columns, known, (index) => first.map((row) => row[index]?.text));
    if (isChosen !== true) order = screenOrder(reader.columns, ofScreen);
    for (const row of first) await addRow(row);
  };
  const sheetXml = async function* (headings: readonly string[]): AsyncGenerator<Buffer> {
    await putAside();
    yield Buffer.from(sheetHead(headings, widths));
    yield* spool.read();
    await spool.close();
    yield Buffer.from(sheetTail(headings.length, rows));
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
      const named = layout.headings?.(reader.columns) ?? reader.columns;
      const headings = order.map((index) => named[index]!);
      const parts = { ...partsOf(sheet, headings.length, rows), 'xl/styles.xml': styles.xml() };
      await writeZip(sink, [
        ...Object.entries(parts).map(([name, part]) => [name, [Buffer.from(part)]] as const),
        [`xl/${SHEET}`, sheetXml(headings)],
      ]);
    },
  };
}

function tooMany(most: number): OutputError {
  return new OutputError(
    `there are more records than the ${most.toLocaleString('en')} that a sheet of a workbook holds`,
    {
      hint: 'Write csv or Parquet, or a part of them, such as --period 2026.',
    },
  );
}

function tooLong(name: string, { text }: Cell, place: number): OutputError {
  return new OutputError(
    `record ${place} has ${text.length.toLocaleString('en')} characters in ${name}; a cell of a spreadsheet holds 32,767`,
    { hint: 'Write csv or jsonl, or leave the column out: name the ones you want with --columns.' },
  );
}

const PIECE = 1 << 18;
const WIDTH = { least: 6, most: 60, beside: 2, filterButton: 2 };

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

const SHEET = 'worksheets/sheet1.xml';

/** The files of the archive beside styles and the sheet, by their names. */
function partsOf(sheet: string, columns: number, rows: number): Readonly<Record<string, string>> {
  const override = (path: string, type: string): string =>
    `<Override PartName="/xl/${path}" ContentType="${TYPE}.${type}+xml"/>`;
  // LibreOffice shows the buttons of a filter only if the filter is named here too.
  const range = xmlText(`'${sheet.replaceAll("'", "''")}'!$A$1:$${columnLetters(columns - 1)}$${rows}`);
  const filter = `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${range}</definedName>`;
  return {
    '[Content_Types].xml':
      `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      override('workbook.xml', 'sheet.main') +
      override('styles.xml', 'styles') +
      `${override(SHEET, 'worksheet')}</Types>`,
    '_rels/.rels': relationsXml([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml':
      `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>` +
      `<sheets><sheet name="${xmlAttribute(sheet)}" sheetId="1" r:id="rId1"/></sheets>` +
      `${columns === 0 ? '' : `<definedNames>${filter}</definedNames>`}</workbook>`,
    'xl/_rels/workbook.xml.rels': relationsXml([
      ['worksheet', SHEET],
      ['styles', 'styles.xml'],
    ]),
  };
}

function relationsXml(targets: readonly (readonly [type: string, target: string])[]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}
