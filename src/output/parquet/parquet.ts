import { setImmediate } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { OutputError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Layout, OpenWriter, Sink, Writer } from '../writer.ts';
import { StoredColumn, storedType, WIDE, type ParquetValue, type SchemaElement } from './stored-column.ts';

/** When a row group is full: bytes of records as sent, or cells, since few bytes may make thousands of them. */
const ROW_GROUP = { bytes: 16 * 1024 * 1024, cells: 4_000_000 };

/** The most columns of all row groups together: the metadata of each waits in memory. */
const MAX_CHUNKS = 50_000;

const CELLS_A_TURN = 1_000_000;

/** The only column of a file without records and known columns: engines refuse a file without columns. */
const NO_COLUMN = '_no_records';

/**
 * A Parquet file. Columns are those of the layout, or all that any record has, by first appearance. The type of a column is declared,
 * never guessed from values: the same in every file. So records are written as they come, a group of rows at a time, and memory does
 * not grow with them. A column that came later is null in the groups before: that is written at the end, since a group need not be in
 * one piece. The same records give the same bytes.
 *
 * Throws UsageError for a value that does not fit its column's type, with the record's place.
 */
export const openParquet: OpenWriter = (sink, layout) => new ParquetFile(sink, layout);

const CREATED_BY = 'folio';

const THRIFT_STRUCT = 0x0c;

/**
 * Declares the empty list of row groups as one of structs, as strict readers want it; the library leaves its type open. In Thrift's
 * compact protocol: a list (0x19), empty (0x00), and behind it who wrote the file.
 */
function declareRowGroups(file: Uint8Array): void {
  const list = Buffer.from([0x19, 0x00, 0x28, CREATED_BY.length, ...Buffer.from(CREATED_BY)]);
  const at = Buffer.from(file.buffer, file.byteOffset, file.length).lastIndexOf(list);
  if (at === -1) throw new TypeError('a Parquet file without records has no list of row groups');
  file[at + 1] = THRIFT_STRUCT;
}

class ParquetFile implements Writer {
  readonly #sink: Sink;
  readonly #layout: Layout;
  readonly #reader: CellReader;
  readonly #bytes = new ByteWriter();
  readonly #file = new ParquetWriter({ writer: this.#bytes, schema: [], createdBy: CREATED_BY });
  readonly #columns: StoredColumn[] = [];
  #records = 0;
  /** Of the current group: its rows, and the bytes of their records as sent. */
  #rows = 0;
  #bytesSent = 0;
  #cellsOfTurn = 0;

  constructor(sink: Sink, layout: Layout) {
    this.#sink = sink;
    this.#layout = layout;
    this.#reader = new CellReader(layout.columns);
  }

  async write(batch: RecordBatch): Promise<void> {
    for (let index = 0; index < batch.count; index++) {
      this.#addRow(batch, index);
      const columns = this.#columns.length;
      if (this.#bytesSent >= ROW_GROUP.bytes || this.#rows * columns >= ROW_GROUP.cells)
        await this.#endGroup();
      this.#cellsOfTurn += columns;
      if (this.#cellsOfTurn >= CELLS_A_TURN) {
        this.#cellsOfTurn = 0;
        await setImmediate();
      }
    }
  }

  async end(): Promise<void> {
    this.#openColumns(this.#names());
    if (this.#rows > 0) await this.#endGroup();
    await this.#completeGroups();
    const elements = this.#columns.map(({ element }) => element);
    this.#file.schema = [{ name: 'root', num_children: elements.length }, ...elements];
    await this.#file.finish();
    if (this.#records === 0) declareRowGroups(this.#bytes.getBytes());
    await this.#drain();
  }

  #addRow(batch: RecordBatch, index: number): void {
    const record = this.#reader;
    record.moveTo(batch, index);
    this.#openColumns(record.columns);
    this.#records++;
    this.#rows++;
    this.#bytesSent += batch.bounds[2 * index + 1]! - batch.bounds[2 * index]!;
    for (let at = 0; at < this.#columns.length; at++) this.#columns[at]!.add(record, at, this.#records);
  }

  /** Adds the columns that are new: in the rows before, they are null. */
  #openColumns(names: readonly string[]): void {
    if (this.#columns.length === names.length) return;
    const { types, declared, headings } = this.#layout;
    const shown = headings?.(names) ?? names;
    for (let at = this.#columns.length; at < names.length; at++) {
      const [name, heading] = [names[at]!, shown[at]!];
      const type = types?.get(name) ?? types?.get(heading) ?? storedType(declared?.typeOf(name));
      const column = new StoredColumn(heading, type);
      column.addNulls(this.#rows);
      this.#columns.push(column);
    }
  }

  /** The columns; of a listing without records those that it declares, so that its file fits those of other months. */
  #names(): readonly string[] {
    const names = this.#reader.columns;
    if (names.length > 0) return names;
    const { declared, types } = this.#layout;
    const usual = new Set([...(declared?.names ?? []), ...(types?.keys() ?? [])]);
    return usual.size > 0 ? [...usual] : [NO_COLUMN];
  }

  async #endGroup(): Promise<void> {
    const groups = this.#file.row_groups;
    this.#checkSize(groups.length + 1);
    const columns = this.#columns.map((column) => writeColumnChunk(this.#bytes, column));
    groups.push({ columns, num_rows: BigInt(this.#rows), total_byte_size: 0n });
    this.#file.num_rows += BigInt(this.#rows);
    for (const column of this.#columns) column.clear();
    this.#rows = this.#bytesSent = 0;
    await this.#drain();
  }

  /** Writes the columns that came after a group: all of its rows are null there. */
  async #completeGroups(): Promise<void> {
    for (const group of this.#file.row_groups) {
      for (const column of this.#columns.slice(group.columns.length)) {
        column.clear();
        column.addNulls(Number(group.num_rows));
        group.columns.push(writeColumnChunk(this.#bytes, column));
      }
      const sizes = group.columns.map(({ meta_data }) => meta_data!);
      group.total_byte_size = sizes.reduce((sum, chunk) => sum + chunk.total_uncompressed_size, 0n);
      group.total_compressed_size = sizes.reduce((sum, chunk) => sum + chunk.total_compressed_size, 0n);
      await this.#drain();
    }
  }

  #checkSize(groups: number): void {
    const columns = this.#columns.length;
    if (groups * columns <= MAX_CHUNKS) return;
    throw new OutputError(
      `${this.#records} records with ${columns} different fields are too many cells for a Parquet file`,
      { hint: 'Name the columns you want with --columns, or use --format jsonl.' },
    );
  }

  async #drain(): Promise<void> {
    await this.#sink.write(this.#bytes.getBytes());
    this.#bytes.index = 0;
  }
}

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
type PhysicalType = NonNullable<SchemaElement['type']>;
type Statistics = NonNullable<NonNullable<ColumnChunk['meta_data']>['statistics']>;
type PageHeader = Parameters<typeof writePageHeader>[1];

/** Bytes of a value that is no text; of a text those of its length. */
const WIDTHS: Readonly<Partial<Record<PhysicalType, number>>> = {
  INT32: 4,
  INT64: 8,
  FIXED_LEN_BYTE_ARRAY: WIDE,
  BYTE_ARRAY: 4,
};

/**
 * Writes the values of a column in a group of rows: their dictionary, where they repeat, and one page of all rows. The library that
 * writes the rest of the file takes an object for each cell, which takes more time than all else.
 */
function writeColumnChunk(writer: ByteWriter, column: StoredColumn): ColumnChunk {
  const { element, values, rows, nulls } = column;
  const start = writer.offset;
  const type = element.type!;
  const indices = column.indices();
  const indexBits = Math.ceil(Math.log2(Math.max(1, values.length)));
  // A dictionary and what points into it have to take less than half of the room.
  const dictionarySize = plainSize(type, values) + Math.ceil((indices.length * indexBits) / 8);
  const all = values.length === indices.length ? values : indices.map((index) => values[index]!);
  const isDictionary = column.isShared && type !== 'BOOLEAN' && 2 * dictionarySize < plainSize(type, all);
  let size = 0;
  if (isDictionary) {
    const bytes = plainBytes(type, values);
    size = writePage(writer, {
      bytes,
      header: (compressed_page_size) => ({
        type: 'DICTIONARY_PAGE',
        uncompressed_page_size: bytes.length,
        compressed_page_size,
        dictionary_page_header: { num_values: values.length, encoding: 'PLAIN' },
      }),
    });
  }
  const pageStart = writer.offset;
  const encoding = isDictionary ? 'RLE_DICTIONARY' : 'PLAIN';
  const bytes = isDictionary ? indexBytes(indices, indexBits) : plainBytes(type, all);
  const levels = new ByteWriter();
  writeRleBitPackedHybrid(levels, column.levels(), 1);
  size += writePage(writer, {
    bytes,
    levels: levels.getBytes(),
    header: (compressed) => ({
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.offset + bytes.length,
      compressed_page_size: levels.offset + compressed,
      data_page_header_v2: {
        num_values: rows,
        num_nulls: nulls,
        num_rows: rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    }),
  });
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: isDictionary ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [element.name],
      codec: 'SNAPPY',
      num_values: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(size),
      data_page_offset: BigInt(pageStart),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: statisticsOf(column),
    },
  };
}

interface Page {
  readonly bytes: Uint8Array;
  /** Of a page of rows: which of them have a value. They stand before the bytes, uncompressed. */
  readonly levels?: Uint8Array;
  readonly header: (compressedBytes: number) => PageHeader;
}

/** Writes a page and returns its size before compression, with its header. */
function writePage(writer: ByteWriter, { bytes, levels = new Uint8Array(), header }: Page): number {
  const start = writer.offset;
  const compressed = snappyCompress(bytes);
  writePageHeader(writer, header(compressed.length));
  const headerSize = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(compressed);
  return headerSize + levels.length + bytes.length;
}

/** The indexes of the values of the rows in the dictionary. */
function indexBytes(indices: readonly number[], bits: number): Uint8Array {
  const page = new ByteWriter();
  page.appendUint8(bits);
  writeRleBitPackedHybrid(page, Int32Array.from(indices), bits);
  return page.getBytes();
}

function plainSize(type: PhysicalType, values: readonly ParquetValue[]): number {
  const texts = type === 'BYTE_ARRAY' ? (values as readonly string[]) : [];
  return texts.reduce((sum, { length }) => sum + length, values.length * (WIDTHS[type] ?? 0));
}

function plainBytes(type: PhysicalType, values: readonly ParquetValue[]): Uint8Array {
  if (type === 'BOOLEAN') {
    const page = new ByteWriter();
    writePlain(page, [...values], type, undefined);
    return page.getBytes();
  }
  const bytes = Buffer.allocUnsafeSlow(plainSize(type, values));
  let at = 0;
  for (const value of values) {
    if (typeof value === 'string') {
      at = bytes.writeUInt32LE(value.length, at);
      at += bytes.write(value, at, 'latin1');
    } else if (type === 'INT32') at = bytes.writeInt32LE(Number(value), at);
    else if (type === 'INT64') at = bytes.writeBigInt64LE(BigInt(value), at);
    else {
      at = bytes.writeBigInt64BE(BigInt(value) >> 64n, at);
      at = bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), at);
    }
  }
  return bytes;
}

function statisticsOf({ values, nulls }: StoredColumn): Statistics {
  const null_count = BigInt(nulls);
  let [least, greatest] = [values[0], values[0]];
  if (least === undefined || greatest === undefined) return { null_count };
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const shown = (value: ParquetValue) => (typeof value === 'string' ? Buffer.from(value, 'latin1') : value);
  return { min_value: shown(least), max_value: shown(greatest), null_count };
}
