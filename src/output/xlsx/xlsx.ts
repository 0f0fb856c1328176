import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import { OutputError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { Spool } from '../spool.ts';
import type { Layout, Sink, Writer } from '../writer.ts';
import { CellStyles, xmlAttribute, xmlText } from './cell.ts';
import { MAX_ROWS, Sheet, sheetColumns, type SheetRow } from './sheet.ts';

/** Rows, or cells, that decide which columns hold dates alone. Later cells that are none become text. */
const SAMPLE = { rows: 500, cells: 250_000 };

/**
 * A workbook. Its columns are those of the layout, or all that any record has. A full sheet continues in a next one. Rows wait in a
 * temporary file: memory does not grow with them.
 *
 * No library is used: those that stream take numbers as doubles, so that 10.50 becomes 10.5 and a 19-digit number another
 * one; and they wrote a third as many rows a second.
 */
export function openXlsx(sink: Sink, layout: Layout, maxRows = MAX_ROWS): Writer {
  const reader = new CellReader(layout.columns);
  const styles = new CellStyles();
  const columns = sheetColumns(reader, layout);
  const sheets: Sheet[] = [];
  /** The first rows; undefined when they are written. */
  let held: SheetRow[] | undefined = [];
  let records = 0;
  const addSheet = (): Sheet => {
    const { sheet: name = 'records' } = layout;
    const number = sheets.length + 1;
    const sheet = new Sheet(number === 1 ? name : `${name} (${number})`, columns, styles);
    sheets.push(sheet);
    return sheet;
  };
  const addRow = (row: SheetRow): Promise<void> => {
    const last = sheets.at(-1);
    return (last === undefined || last.rows === maxRows ? addSheet() : last).addRow(row, ++records);
  };
  const addHeld = async (): Promise<void> => {
    const rows = held ?? [];
    held = undefined;
    columns.learn(rows);
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
      const named = layout.headings?.(reader.columns) ?? reader.columns;
      const headings = columns.order(named.length).map((place) => named[place]!);
      const parts = [...partsOf(sheets, headings), ['xl/styles.xml', styles.xml()] as const];
      await writeZip(sink, [
        ...parts.map(([name, text]) => [name, [Buffer.from(text)]] as const),
        ...sheets.map((sheet, index) => [`xl/${sheetPath(index)}`, sheet.xml(headings)] as const),
      ]);
    },
  };
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
function partsOf(
  sheets: readonly Sheet[],
  columns: readonly string[],
): (readonly [name: string, text: string])[] {
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
  const filters = sheets.flatMap((sheet, index) => {
    const range = sheet.range(columns);
    if (range === undefined) return [];
    const cells = xmlText(`'${sheet.name.replaceAll("'", "''")}'!${range}`);
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${cells}</definedName>`;
  });
  const workbook =
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${elements.join('')}</sheets>` +
    `${filters.length === 0 ? '' : `<definedNames>${filters.join('')}</definedNames>`}</workbook>`;
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

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
const FLAGS = 0x0800;
const DEFLATE = 8;
/** The first of January 1980, the earliest that zip knows: equal content makes equal bytes. */
const DATE = 0x0021;
const MAX_BYTES = 0xffffffff;

/** At level 3 a workbook is a sixteenth larger than at 6, and takes three quarters of the time. */
const OPTIONS = { level: 3, chunkSize: 1 << 16 };

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Writes a zip archive. Sizes stand before each file, so that every reader can stream it: the deflated file waits in a spool.
 * Does not close the sink. Throws OutputError where a file or the archive would pass 4 GiB: that needs a form of zip that many
 * readers lack.
 */
async function writeZip(
  sink: Sink,
  files: readonly (readonly [name: string, content: Content])[],
): Promise<void> {
  const directory: Buffer[] = [];
  let offset = 0;
  const write = async (bytes: Uint8Array): Promise<void> => {
    await sink.write(bytes);
    offset += bytes.length;
  };
  for (const [name, content] of files) {
    const deflated = new Spool();
    try {
      const sizes = await deflate(content, deflated);
      const path = Buffer.from(name);
      if (Math.max(sizes.whole, offset + path.length + sizes.deflated + 1024) > MAX_BYTES) {
        throw new OutputError('the workbook would be larger than 4 GB', {
          hint: 'Write csv or jsonl, or fewer columns with --columns.',
        });
      }
      const facts = [
        ...[VERSION, FLAGS, DEFLATE, 0, DATE].map(twoBytes),
        ...[sizes.crc, sizes.deflated, sizes.whole].map(fourBytes),
        ...[path.length, 0].map(twoBytes),
      ];
      const start = fourBytes(offset);
      directory.push(fourBytes(CENTRAL), twoBytes(VERSION), ...facts, Buffer.alloc(10), start, path);
      await write(Buffer.concat([fourBytes(LOCAL), ...facts, path]));
      for await (const chunk of deflated.read({ reuse: true })) await write(chunk);
    } finally {
      await deflated.close();
    }
  }
  const counts = [0, 0, files.length, files.length].map(twoBytes);
  const sizes = [directory.reduce((sum, { length }) => sum + length, 0), offset].map(fourBytes);
  await sink.write(Buffer.concat([...directory, fourBytes(END), ...counts, ...sizes, twoBytes(0)]));
}

/** Returns the checksum of the content, and its bytes before and after. */
async function deflate(content: Content, into: Spool) {
  const sizes = { crc: 0, whole: 0, deflated: 0 };
  await pipeline(
    async function* () {
      for await (const chunk of content) {
        sizes.crc = crc32(chunk, sizes.crc);
        sizes.whole += chunk.length;
        yield chunk;
      }
    },
    createDeflateRaw(OPTIONS),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        sizes.deflated += chunk.length;
        await into.append(chunk);
      }
    },
  );
  return sizes;
}

function twoBytes(value: number): Buffer {
  return Buffer.of(value & 0xff, value >>> 8);
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
